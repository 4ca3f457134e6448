import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ServedHome } from '../../support/api/served-home.js';
import { ENDED, RecordedHome } from '../../support/provenance/recorded-home.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** The shell blocks of a page, as they stand, but for the slug. */
async function blocksOf(page: string): Promise<string[]> {
  const text = await readFile(join(ROOT, 'docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  return blocks.map((block) => block.replaceAll('implementer-alice-demo-12-x7k2p', ENDED));
}

describe('what the documents say to run about the record', function () {
  this.timeout(120_000);
  let home: RecordedHome;
  let theirs: string;

  before(async () => {
    home = await RecordedHome.make();
    theirs = join(home.dir, 'of-somebody-else');
    for (const name of ['bin', 'of-somebody-else', 'of-somebody-else/home'])
      await mkdir(join(home.dir, name));
    const program = join(home.dir, 'bin/bot-bottle');
    const tsx = fileURLToPath(import.meta.resolve('tsx'));
    await writeFile(
      program,
      `#!/bin/sh\nexec '${process.execPath}' --import '${tsx}' '${ROOT}src/cli.ts' "$@"\n`,
    );
    await chmod(program, 0o700);
  });
  after(() => home.remove());

  const sh = async (block: string, cwd = home.dir, BOT_BOTTLE_HOME = home.dir): Promise<string> => {
    const PATH = `${join(home.dir, 'bin')}:${process.env['PATH'] ?? ''}`;
    return (await run('sh', ['-ec', block], { cwd, env: { PATH, BOT_BOTTLE_HOME } })).stdout;
  };

  it('shows, verifies, exports for somebody who has nothing else, and prunes', async () => {
    const [look = '', give = '', check = '', prune = '', ...others] = await blocksOf('provenance.md');
    assert.deepEqual(others, []);
    // provenance show, provenance verify
    assert.match(await sh(look), new RegExp(`"ended"[^]*^ok +${ENDED}: 12 entries, 12 sealed, ended$`, 'm'));
    // A run that was sealed before, and is exported afterwards.
    await sh('bot-bottle provenance rotate-key');
    // provenance export, provenance key --all
    await sh(give);
    for (const name of ['run.dsse.json', 'bot-bottle.pem'])
      await copyFile(join(home.dir, name), join(theirs, name));
    // provenance verify --file --key
    const there = (): Promise<string> => sh(check, theirs, join(theirs, 'home'));
    assert.match(await there(), new RegExp(`^ok +${ENDED}: 12 entries`));
    const file = join(theirs, 'run.dsse.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace(/"payload":"..../, '"payload":"eyJh'));
    await assert.rejects(there(), { code: 1 });
    // provenance prune --yes --reason
    await sh(prune);
    assert.match(await sh('bot-bottle provenance verify'), new RegExp(`^ok +${ENDED}: .*pruned`, 'm'));
  });

  it('makes a token for the HTTP API, and asks it', async () => {
    const api = await ServedHome.start(home.dir);
    try {
      const [block = '', ...others] = await blocksOf('api.md');
      assert.deepEqual(others, []);
      // token create --scope read --name me
      const answer = await sh(block.replace('http://127.0.0.1:8085/api/v1', api.url));
      assert.equal((JSON.parse(answer) as { runs: object[] }).runs.length, 1);
      assert.equal((await stat(join(home.dir, 'token'))).mode & 0o777, 0o600);
    } finally {
      await api.stop();
    }
  });
});
