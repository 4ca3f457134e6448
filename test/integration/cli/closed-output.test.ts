import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../support/entries/entry-process.js';
import { freePort } from '../../support/ports/free-port.js';
import { waitUntil } from '../../support/stack/stack.js';

const COMMANDS = [
  ['--help', 0],
  ['version', 0],
  ['signal --json', 2],
  ['no-such-command', 2],
] as const;

/** The compiled program, which `npm run build` brings up to date: tsx takes seconds to load it at each start. */
describe('a command whose output nobody reads', () => {
  for (const [args, code] of COMMANDS)
    it(`ends as it would: ${args}`, async () => {
      const child = spawn(process.execPath, ['dist/cli.js', ...args.split(' ')], {
        cwd: ROOT,
      });
      child.stdout.destroy();
      let errors = '';
      child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
      await once(child, 'close');
      assert.equal(child.exitCode, code, errors);
      assert.doesNotMatch(errors, /EPIPE/);
    });
});

describe('a command whose terminal was closed', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'bot-bottle-test-'));
  });

  afterEach(async () => {
    const pid = await readFile(file('pid'), 'utf8').catch(() => '');
    if (pid !== '' && !existsSync(file('status'))) process.kill(Number(pid), 'SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  const file = (name: string): string => join(directory, name);

  /** Both of its streams answer EIO from its first line on. */
  async function startWithoutTerminal(args: string, environment: NodeJS.ProcessEnv = {}): Promise<void> {
    const command = `${process.execPath} ${join(ROOT, 'dist/cli.js')} ${args}`;
    const steps = [
      `trap '' HUP; touch ready; until [ -e go ]; do sleep 0.05; done`,
      `${command} & echo $! > pid; wait $!; echo $? > status`,
    ];
    const terminal = spawn('script', ['-qfec', steps.join('; '), '/dev/null'], {
      cwd: directory,
      stdio: ['pipe', 'ignore', 'inherit'],
      env: { ...process.env, BOT_BOTTLE_HOME: directory, ...environment },
    });
    const ended = once(terminal, 'close');
    await waitUntil('the terminal', () => existsSync(file('ready')));
    terminal.kill('SIGKILL');
    await ended;
    await writeFile(file('go'), '');
  }

  async function status(): Promise<number> {
    let text = '';
    await waitUntil('the command to end', async () => {
      text = await readFile(file('status'), 'utf8').catch(() => '');
      return text.endsWith('\n');
    });
    return Number(text);
  }

  for (const [args, code] of COMMANDS)
    it(`ends as it would: ${args}`, async () => {
      await startWithoutTerminal(args);
      assert.equal(await status(), code);
    });

  it('serves, and ends when it is asked to: a service', async () => {
    await mkdir(file('secrets'));
    const key = randomBytes(32).toString('base64');
    await writeFile(file('secrets/temporal-codec-one'), key, { mode: 0o600 });
    const port = String(await freePort());
    await startWithoutTerminal('temporal codec-server', {
      TEMPORAL_CODEC_KEYS: 'one',
      TEMPORAL_CODEC_PORT: port,
    });
    const answers = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        () => false,
      );
    await waitUntil('the service', answers);
    process.kill(Number(await readFile(file('pid'), 'utf8')), 'SIGTERM');
    assert.equal(await status(), 0);
  });
});
