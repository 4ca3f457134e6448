import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import { runLogs } from '../../../src/wiring/run-logs.js';
import { cliWith } from '../../unit/cli/small-world.js';
import { LogHome, SLUG, toolUse } from '../../support/logs/log-home.js';
import { waitUntil } from '../../support/stack/stack.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const STEPS = 400;

interface Started {
  readonly child: ChildProcess;
  readonly text: () => string;
  readonly errors: () => string;
  readonly exit: Promise<number | null>;
}

/** The real program, compiled (`npm run build`), beside what writes the log. */
describe('bot-bottle logs, as a process', function () {
  this.timeout(60_000);
  const newPath = useNewPaths();
  let home: LogHome;
  let children: ChildProcess[];

  beforeEach(async () => {
    home = await LogHome.make(newPath());
    children = [];
  });
  afterEach(async () => {
    for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
    await home.close();
  });

  function start(
    command: string,
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Started {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, BOT_BOTTLE_HOME: home.home, TEMPORAL_ADDRESS: '127.0.0.1:9', ...more };
    const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    let text = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const exit = once(child, 'close').then(([code]) => code as number | null);
    return { child, text: () => text, errors: () => errors, exit };
  }
  const PROGRAM = ['dist/cli.js', 'logs'];
  const cli = (...args: readonly string[]): Started => start(process.execPath, [...PROGRAM, ...args]);
  const writer = (): Started =>
    start(process.execPath, [
      '--import',
      'tsx',
      'test/support/logs/write-log.ts',
      home.home,
      SLUG,
      String(STEPS),
    ]);
  /** In a terminal of its own. */
  const inTerminal = (args: string, more: Readonly<Record<string, string>> = {}): Started => {
    const program = `${process.execPath} ${PROGRAM.join(' ')} ${args}`;
    return start('script', ['-qec', `stty cols 60; ${program}`, '/dev/null'], { TERM: 'xterm', ...more });
  };

  it('follows what a writer appends that is killed and started again: every step once, in order', async () => {
    await home.begin(1);
    const followed = cli(SLUG, '-f');
    const steps = (): string[] =>
      [...followed.text().matchAll(/tool {6}step-(\d+)/g)].map(([, step]) => step ?? '');
    for (const enough of [50, 150]) {
      const { child, exit } = writer();
      await waitUntil('some steps', () => steps().length >= enough);
      child.kill('SIGKILL');
      await exit;
    }
    assert.equal(await writer().exit, 0);
    await home.end(1);
    await waitUntil('the end of the turn', () => followed.text().includes('turn 1 ended'));
    await home.status('destroyed');
    assert.equal(await followed.exit, 0, followed.errors());
    assert.deepEqual(
      steps(),
      Array.from({ length: STEPS }, (_, index) => String(index + 1)),
    );
    assert.match(followed.text(), /^== turn 1 began, .*, first, scripted\n/);
    assert.match(
      followed.text(),
      /== turn 1 ended, .*, done, the agent says success, output: finished, exit code 0\n/,
    );
  });

  it('ends with Ctrl-C at once and well, and when nobody reads any more', async () => {
    await home.begin(1);
    home.say(1, toolUse('Bash'));
    const followed = cli(SLUG, '--follow');
    await waitUntil('the tool', () => followed.text().includes('Bash'));
    followed.child.kill('SIGINT');
    assert.equal(await followed.exit, 0);
    assert.equal(followed.errors(), '');

    home.say(1, ...Array.from({ length: 20_000 }, () => toolUse('Bash')));
    const program = [process.execPath, ...PROGRAM, SLUG].join(' ');
    const head = start('bash', ['-c', `set -o pipefail; ${program} | head -n 2`]);
    assert.equal(await head.exit, 0, head.errors());
    assert.equal(head.errors(), '');
    assert.equal(head.text().split('\n').length, 3);
  });

  it('has colours in a terminal, and its width; none with NO_COLOR', async () => {
    await home.begin(1);
    home.say(
      1,
      toolUse('Bash'),
      JSON.stringify({ type: 'result', is_error: true, result: 'word '.repeat(30) }),
    );
    home.say(1, 'plain \u001b]0;owned\u0007 text');
    await home.end(1);
    const colored = inTerminal(SLUG);
    assert.equal(await colored.exit, 0);
    assert.match(colored.text(), /\u001b\[36mtool {6}\u001b\[0m\u001b\[36mBash \{\}\u001b\[0m/);
    assert.ok(colored.text().includes('plain \\u{1b}]0;owned\\u{7} text'));
    const plain = inTerminal(SLUG, { NO_COLOR: '1' });
    assert.equal(await plain.exit, 0);
    assert.ok(!plain.text().includes('\u001b'), plain.text());
    assert.deepEqual(
      plain
        .text()
        .split('\r\n')
        .filter((line) => line.length > 60 && !line.startsWith('==')),
      [],
    );
  });

  it('gives raw lines untouched to a program, and escaped to a terminal', async () => {
    await home.begin(1);
    home.say(1, toolUse('Bash'), 'plain \u001b[31mred');
    await home.end(1);
    const log = readFileSync(join(home.home, 'state', SLUG, 'turns/1/agent.log'), 'utf8');
    const raw = cli(SLUG, '--raw');
    assert.equal(await raw.exit, 0);
    assert.equal(raw.text(), log);
    const shown = inTerminal(`${SLUG} --raw`);
    assert.equal(await shown.exit, 0);
    assert.ok(shown.text().includes('plain \\u{1b}[31mred') && !shown.text().includes('\u001b'));
  });

  it('gives JSON an object a line', async () => {
    await home.begin(1);
    home.say(1, toolUse('Bash'), 'plain \u009b text');
    await home.end(1);
    const json = cli(SLUG, '--json');
    assert.equal(await json.exit, 0);
    assert.ok(!json.text().includes('\u009b'));
    const objects = json
      .text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      objects.map(({ kind }) => kind),
      ['turn_begun', 'tool_call', 'line', 'turn_ended'],
    );
    assert.equal(objects[2]?.['text'], 'plain \u009b text');
  });

  it('says what is not there, and what cannot be asked', async () => {
    const program = cliWith({ deps: { logs: () => runLogs(home.home) } });
    for (const [args, code, message] of [
      [['other-alice-demo-1-abcde'], EXIT.notFound, /no run other-alice-demo-1-abcde/],
      [['alice/demo#99'], EXIT.notFound, /no run alice\/demo#99/],
      [[SLUG], EXIT.notFound, /no turn of .* has begun/],
      [[SLUG, '--turn', '7'], EXIT.notFound, /has no turn 7/],
      [[SLUG, '--turn', '0'], EXIT.usage, /--turn takes the number/],
      [[SLUG, '--from', 'now'], EXIT.usage, /only works with --follow/],
      [[SLUG, '--raw', '--json'], EXIT.usage, /use either --raw or --json/],
      [['../../etc'], EXIT.usage, /a slug/],
    ] as const) {
      const asked = await program.run('logs', ...args);
      assert.equal(asked.code, code, args.join(' '));
      assert.match(asked.stderr, message);
    }
  });

  it('reads a log of many megabytes in little memory', async () => {
    await home.begin(1);
    const megabyte = Array.from({ length: 16 }, () => home.line('x'.repeat(64 * 1024))).join('');
    for (let written = 0; written < 60; written += 1) home.write(1, megabyte);
    await home.end(1);
    const measured = start('bash', [
      '-c',
      `${[process.execPath, '--max-old-space-size=64', ...PROGRAM, SLUG].join(' ')} | wc -c`,
    ]);
    assert.equal(await measured.exit, 0);
    assert.equal(measured.errors(), '');
    assert.ok(Number(measured.text()) > 60 * 1024 * 1024, measured.text());
  });
});
