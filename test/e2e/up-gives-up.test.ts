import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MOST_RESTARTS } from '../../src/domain/upkeep/part-ends.js';
import { EntryProcess, ROOT } from '../support/entries/entry-process.js';
import { ProductHome } from '../support/entries/product-home.js';
import { processesOf } from '../support/stack/processes.js';

const DYING = pathToFileURL(join(ROOT, 'test/support/faults/dying-worker.mjs')).href;
/** As ProductHome sets it. */
const SECRET = 'forge-token-of-a-test';

describe('`up` whose worker dies at each start', function () {
  this.timeout(150_000);
  let home: ProductHome;

  before(async () => {
    home = await ProductHome.make();
  });
  after(() => home.remove());

  it('starts it again a few times, then ends with 1 and the reason; doctor has it, too', async () => {
    const up = EntryProcess.start([process.execPath, 'dist/cli.js', 'up'], {
      ...home.env,
      NODE_OPTIONS: `--import ${DYING}`,
      DIE_BY: 'throw,heap,kill,exit',
      DIE_COUNT: join(home.dir, 'deaths'),
      DIE_TEXT: `the text\u001b[2J has ${SECRET}`,
    });
    const { code, stdout, stderr } = await up.ended();
    assert.equal(code, 1, stderr);
    assert.equal(stdout, '');
    const reasons = [
      ...stderr.matchAll(/^bot-bottle: worker ended by itself: (.*); (?:starting|stopping)/gm),
    ];
    assert.deepEqual(
      reasons.map(([, reason]) => reason),
      [
        'uncaught Error: the text\\u{1b}[2J has [redacted] (exit code 1)',
        'its heap was full (JavaScript heap out of memory, SIGABRT)',
        'killed by SIGKILL',
        ...Array.from({ length: MOST_RESTARTS - 2 }, () => 'exit code 3'),
      ],
      stderr,
    );
    assert.match(stderr, /^bot-bottle: worker ended too often and is not started again: exit code 3$/m);
    assert.doesNotMatch(stderr, /worker runs/);
    assert.ok(!stderr.includes(SECRET) && !stderr.includes('\u001b'), stderr);
    assert.deepEqual(await processesOf(home.dir), []);

    const doctor = await EntryProcess.start([process.execPath, 'dist/cli.js', 'doctor'], home.env).ended();
    assert.match(
      doctor.stdout,
      /^warn +up +worker ended by itself 6 times, last at \S+: exit code 3; up ended with it$/m,
    );
  });
});
