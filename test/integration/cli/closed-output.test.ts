import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
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

describe('a command whose output cannot be written', () => {
  const run = (shell: string): Promise<{ code: number | null; stdout: string; stderr: string }> =>
    ended(spawn('sh', ['-c', `exec ${shell}`], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] }));

  for (const [args, status, lines] of [
    ['version', 1, 1],
    ['--help', 1, 1],
    ['config show --json', 1, 1],
    ['no-such-command --json', 2, 3],
  ] as const)
    it(`fails with one line about a device that is full: ${args}`, async () => {
      const { code, stderr } = await run(`node dist/cli.js ${args} > /dev/full`);
      const words = stderr.split('\n').filter((line) => line !== '');
      assert.equal(code, status, stderr);
      assert.equal(words.at(-1), 'bot-bottle: standard output: ENOSPC: no space left on device, write');
      assert.equal(words.length, lines, stderr);
    });

  it('fails where the disk takes only its beginning', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'bot-bottle-test-'));
    try {
      const file = join(directory, 'out');
      const whole = await run('node dist/cli.js config show');
      const { code, stderr } = await run(
        `env - sh -c 'ulimit -f 1; exec "$@"' sh ${process.execPath} dist/cli.js config show > ${file}`,
      );
      const told = await readFile(file, 'utf8');
      assert.ok(told.length < whole.stdout.length);
      assert.deepEqual([code, stderr], [1, 'bot-bottle: EFBIG: file too large, write\n']);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

async function ended(
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

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
    let told = '';
    await waitUntil('the command to end', async () => {
      told = await readFile(file('status'), 'utf8').catch(() => '');
      return told.endsWith('\n');
    });
    return Number(told);
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
