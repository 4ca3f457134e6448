import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { assertNothingIsLeft, status } from '../support/demo/demo-left.js';
import { Demo, ROOT } from '../support/demo/demo-process.js';

const run = promisify(execFile);

/** In the order in which they happen. */
const STEPS = [
  'set_up',
  'forge_started',
  'up',
  'issue_created',
  'assigned',
  'labelled',
  'launched',
  'issue_read',
  'committed',
  'pr_opened',
  'done_signalled',
  'frozen',
  'commented',
  'rehydrated',
  'pr_updated',
  'frozen_again',
  'merged',
  'destroyed',
  'cleaned_up',
];

describe('script/demo', function () {
  this.timeout(300_000);
  let demo: Demo;
  let records: string;
  let env: Readonly<Record<string, string>>;

  // One set-up at a time: beside this suite another one may build an image for minutes, and no demo is to wait for it.
  before(async function () {
    this.timeout(900_000);
    await run('script/bootstrap', ['--quiet'], { cwd: ROOT });
  });
  before(async () => {
    // Apart from what a person may have left up with --keep.
    records = await mkdtemp(join(tmpdir(), 'bot-bottle-records-'));
    env = { BOT_BOTTLE_DEMO_RECORDS: records };
  });
  afterEach(async () => {
    await demo.end();
  });
  after(async () => {
    await rm(records, { recursive: true });
  });

  it('tells the whole life of an issue as it happens, says so in one line of JSON, and leaves nothing', async () => {
    demo = Demo.start(['--json'], env);
    const issueUrl = await demo
      .seen(/at (http:\S+), with alice\/demo/)
      .then((url) => `${url}/alice/demo/issues/1`);
    await demo.seen(/alice +opens issue #(1)/);
    assert.equal(await status(issueUrl), 200);
    await demo.seen(/forge +has pull request #(2)/);
    const prUrl = issueUrl.replace('issues/1', 'pulls/2');
    assert.equal(await status(prUrl), 200);
    const code = await demo.exited();
    assert.equal(code, 0, demo.stderr);

    assert.match(demo.stdout, /^\{.*\}\n$/, 'one line of JSON and nothing else');
    const report = demo.report();
    assert.equal(report.ok, true);
    assert.equal(report.error, undefined);
    assert.deepEqual(
      report.steps.map(({ name }) => name),
      STEPS,
    );
    for (const { name, ms } of report.steps)
      assert.ok(Number.isSafeInteger(ms) && ms >= 0, `${name}: ${String(ms)}`);
    const total = report.steps.reduce((sum, { ms }) => sum + ms, 0);
    const elapsed = demo.elapsedMs();
    assert.ok(total <= elapsed && total > elapsed / 2, `${String(total)} of ${String(elapsed)} ms`);
    assert.equal(report.issue_url, issueUrl);
    assert.equal(report.pr_url, prUrl);
    assert.match(report.slug ?? '', /^demo-alice-demo-1-[a-z0-9]{5}$/);
    assert.equal(report.workflow_id, 'gitea:alice/demo#1');
    assert.equal(report.sessions.length, 2);
    assert.match(report.sessions[0] ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(report.sessions[1], report.sessions[0], 'the second turn is in the first one’s session');
    assert.ok((report.events ?? 0) > 50, `${String(report.events)} events`);
    assert.deepEqual(report.leftovers, { containers: [], volumes: [], processes: [] });
    assert.ok(demo.everSeen() > 5, 'the processes it started were seen');
    await assertNothingIsLeft(demo, report.slug);
    assert.equal(await status(issueUrl), 'no answer');
    const escapes = demo.stderr.includes('\u001b') || demo.stderr.includes('✓');
    assert.equal(escapes, false, 'no colours or marks where nobody looks');
  });

  it('cleans up when it is interrupted in the middle of a turn', async () => {
    demo = Demo.start(['--json'], env);
    const slug = await demo.seen(/starts in bottle (\S+), session/);
    demo.interrupt();
    assert.equal(await demo.exited(), 130);
    const report = demo.report();
    assert.equal(report.ok, false);
    assert.equal(report.slug, slug);
    assert.deepEqual(report.leftovers, { containers: [], volumes: [], processes: [] });
    await assertNothingIsLeft(demo, slug);
  });

  it('says what failed, with the logs, and still cleans up', async () => {
    demo = Demo.start(['--json'], { ...env, GITEA_BIN: '/nonexistent/gitea' });
    assert.equal(await demo.exited(), 1);
    const report = demo.report();
    assert.equal(report.ok, false);
    assert.match(report.error ?? '', /the forge to start.*no Gitea at \/nonexistent\/gitea/);
    assert.deepEqual(report.leftovers, { containers: [], volumes: [], processes: [] });
    assert.deepEqual(demo.livingProcesses(), []);
    const logs = /The logs are in (\S+)/.exec(demo.stderr)?.[1] ?? '';
    assert.deepEqual(demo.directories(), [logs]);
    assert.ok((await readdir(logs)).includes('keeper.log'));
    await rm(logs, { recursive: true });
  });

  for (const args of [['--frob'], ['--stop', '--json'], ['now']]) {
    it(`answers 2 to ${args.join(' ')}, and starts nothing`, async () => {
      demo = Demo.start(args, env);
      assert.equal(await demo.exited(), 2);
      assert.match(demo.stderr, /^error: .*\n.*script\/demo --help\n$/);
      assert.equal(demo.stdout, '');
    });
  }
});
