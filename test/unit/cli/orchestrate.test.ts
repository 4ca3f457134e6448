import assert from 'node:assert/strict';
import { UnreachableError } from '../../../src/cli/base/errors.js';
import { EXIT, TURN_EXIT } from '../../../src/cli/base/exit-codes.js';
import type {
  Orchestrator,
  RunSummary,
  StartOptions,
  TurnOutcome,
} from '../../../src/cli/base/orchestrator.js';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import { summary } from './run-summary.js';
import { cliWith } from './small-world.js';

const SLUG = 'coder-alice-demo-12-abcde';
const started = { kind: 'started', slug: SLUG, workflowId: 'gitea:alice/demo#12', turn: 3 } as const;
const outcome = (change: Partial<TurnOutcome> = {}): TurnOutcome => ({
  turn: 3,
  exitCode: 0,
  reason: 'done',
  detail: null,
  stopped: null,
  sessionId: 'ses-1',
  doneStatus: 'success',
  pr: 318,
  prs: [317, 318],
  fetch: null,
  ...change,
});

describe('orchestrate start', () => {
  it('hands the issue and every option on, bottles in the order given, and prints the slug', async () => {
    const seen: { subject: string; options: StartOptions }[] = [];
    const start: Orchestrator['start'] = (subject, options) => {
      seen.push({ subject: workflowIdOf(subject), options });
      return Promise.resolve(started);
    };
    const cli = cliWith({ orchestrator: { start } });
    const ran = await cli.run(
      ...['orchestrate', 'start', '--issue', 'https://git.example/code/alice/demo/issues/12'],
      ...[
        '--agent',
        'coder',
        '--bottle',
        'base',
        '--bottle',
        'extra',
        '--prompt',
        'go',
        '--label',
        'mine',
        '--backend',
        'docker',
      ],
    );
    assert.deepEqual(ran, { code: EXIT.ok, stdout: `${SLUG}\n`, stderr: '' });
    const options = {
      agent: 'coder',
      bottles: ['base', 'extra'],
      prompt: 'go',
      label: 'mine',
    };
    assert.deepEqual(seen, [{ subject: 'gitea:alice/demo#12', options }]);
    assert.equal(cli.closed(), 1);
  });

  it('begins a run without an issue of a repository or a directory, which it makes absolute', async () => {
    const seen: unknown[] = [];
    const startLocal: Orchestrator['startLocal'] = (source, { agent, prompt, bottles }) => {
      seen.push([source, agent, prompt, bottles]);
      return Promise.resolve({ ...started, workflowId: `local:${SLUG}` });
    };
    const cli = cliWith({ orchestrator: { startLocal } });
    const begin = ['orchestrate', 'start', '--agent', 'coder', '--prompt', 'go', '--bottle', 'node'];
    assert.equal((await cli.run(...begin, '--repo', 'alice/demo')).stdout, `${SLUG}\n`);
    assert.equal((await cli.run(...begin, '--dir', 'here')).code, 0);
    const rest = ['coder', 'go', ['node']];
    assert.deepEqual(seen, [
      [{ kind: 'repository', owner: 'alice', repo: 'demo' }, ...rest],
      [{ kind: 'directory', path: `${process.cwd()}/here` }, ...rest],
    ]);
  });

  it('says how to get the work of a run without an issue', async () => {
    const fetch = 'git fetch /h/state/s/work.bundle b:b';
    const waitForTurn: Orchestrator['waitForTurn'] = () => Promise.resolve(outcome({ fetch }));
    const cli = cliWith({
      orchestrator: { startLocal: () => Promise.resolve(started), waitForTurn },
    });
    const args = ['orchestrate', 'start', '--agent', 'coder', '--prompt', 'go', '--repo', 'a/b', '--wait'];
    assert.match((await cli.run(...args)).stdout, new RegExp(`\\n${fetch}\\n$`));
  });

  it('what is missing, unknown or malformed is a usage error that connects to nothing', async () => {
    const cli = cliWith({ deps: { orchestrator: () => Promise.reject(new Error('connected')) } });
    for (const args of [
      ['orchestrate', 'start'],
      ['orchestrate', 'start', '--issue', 'a/b#1', '--repo', 'a/b'],
      ['orchestrate', 'start', '--repo', 'a/b', '--dir', '/tmp', '--agent', 'coder', '--prompt', 'x'],
      ['orchestrate', 'start', '--repo', 'a/b', '--prompt', 'x'],
      ['orchestrate', 'start', '--repo', 'a/b', '--agent', 'coder'],
      ['orchestrate', 'start', '--dir', '/tmp', '--agent', 'coder', '--prompt', ' '],
      ['orchestrate', 'start', '--dir', '/tmp', '--agent', '../coder', '--prompt', 'x'],
      ['orchestrate', 'start', '--repo', 'a/b/c', '--agent', 'coder', '--prompt', 'x'],
      ['orchestrate', 'start', '--issue', 'alice/demo'],
      ['orchestrate', 'start', '--issue', 'a/b#1', '--prompt', ''],
      ['orchestrate', 'start', '--issue', 'a/b#1', '--backend', 'vm'],
      ['orchestrate', 'start', '--issue', 'a/b#1', '--nonsense'],
      ['orchestrate', 'resume', '--slug', SLUG],
      ['orchestrate', 'resume', '--slug', '../etc', '--prompt', 'x'],
      ['orchestrate', 'resume', '--slug', SLUG, '--prompt', ' '],
      ['orchestrate', 'begin'],
      ['nonsense'],
    ]) {
      const ran = await cli.run(...args);
      assert.equal(ran.code, EXIT.usage, args.join(' '));
      assert.equal(ran.stdout, '', args.join(' '));
      assert.notEqual(ran.stderr, '', args.join(' '));
    }
  });

  it('a refusal says why and exits with its own status, as JSON too', async () => {
    const start: Orchestrator['start'] = () =>
      Promise.resolve({ kind: 'refused', reason: 'a run is active\u001b[2J' });
    const cli = cliWith({ orchestrator: { start } });
    const plain = await cli.run('orchestrate', 'start', '--issue', 'a/b#1');
    assert.equal(plain.code, EXIT.refused);
    assert.match(plain.stderr, /refused: a run is active\\u\{1b\}/);
    const json = await cli.run('orchestrate', 'start', '--issue', 'a/b#1', '--json');
    assert.equal(json.code, EXIT.refused);
    assert.deepEqual(JSON.parse(json.stdout), {
      error: { code: 'refused', message: 'refused: a run is active\u001b[2J' },
    });
    assert.equal(cli.closed(), 2);
  });

  it('a server that does not answer is told apart, with what to do', async () => {
    const away = new UnreachableError('Temporal at 127.0.0.1:7233', 'start it with bot-bottle up');
    const cli = cliWith({ deps: { orchestrator: () => Promise.reject(away) } });
    const ran = await cli.run('orchestrate', 'status');
    assert.equal(ran.code, EXIT.unreachable);
    assert.match(ran.stderr, /bot-bottle up/);
  });
});

describe('orchestrate resume', () => {
  // small-world rejects any read of standard input, and says it is no terminal.
  const resume: Orchestrator['resume'] = (slug, prompt) => {
    assert.deepEqual([slug, prompt], [SLUG, 'fix the tests']);
    return Promise.resolve(started);
  };
  const args = ['orchestrate', 'resume', '--slug', SLUG, '--prompt', 'fix the tests'];

  it('without a terminal asks nothing, returns at once and prints the slug', async () => {
    const ran = await cliWith({ orchestrator: { resume } }).run(...args);
    assert.deepEqual(ran, { code: 0, stdout: `${SLUG}\n`, stderr: '' });
  });

  const waiting = (ended: TurnOutcome, ...more: string[]): ReturnType<ReturnType<typeof cliWith>['run']> => {
    const waitForTurn: Orchestrator['waitForTurn'] = (begun) => {
      assert.deepEqual(begun, started);
      return Promise.resolve(ended);
    };
    return cliWith({ orchestrator: { resume, waitForTurn } }).run(...args, '--wait', ...more);
  };

  it('with --wait says first what it follows, apart from the result', async () => {
    const { stdout, stderr } = await waiting(outcome({}), '--json');
    assert.match(stderr, /^bot-bottle: following turn \d of [a-z0-9-]+; it goes on if you leave\n$/);
    assert.doesNotMatch(stdout, /following/);
  });

  it('with --wait exits as the agent did', async () => {
    for (const exitCode of [0, 42])
      assert.equal((await waiting(outcome({ exitCode, doneStatus: null }), '--json')).code, exitCode);
  });

  it('with --wait and --json gives all there is of the turn that was followed last', async () => {
    const ended = outcome({ turn: 4, reason: 'limited', detail: 'until\nnoon', doneStatus: null });
    const ran = await waiting(ended, '--json');
    assert.equal(ran.code, TURN_EXIT.limit);
    assert.deepEqual(JSON.parse(ran.stdout), { slug: SLUG, workflowId: 'gitea:alice/demo#12', ...ended });
  });

  it('with --wait tells reason and detail in words, every line of it escaped', async () => {
    const ended = outcome({ reason: 'stuck', detail: 'first\nsecond\u001b[2J' });
    const { code, stdout } = await waiting(ended);
    assert.equal(code, TURN_EXIT.stuck);
    assert.deepEqual(stdout.split('\n'), [
      `${SLUG}: turn 3 ended: stuck, agent exited with 0, said success, pull request #318, session ses-1`,
      '  first',
      '  second\\u{1b}[2J',
      '',
    ]);
  });

  it('with --wait tells of a turn that was stopped for its time, whatever its agent exited with then', async () => {
    const ended = outcome({
      exitCode: 143,
      reason: 'timeout',
      stopped: 'timeout',
      doneStatus: null,
      pr: null,
    });
    const { code, stdout } = await waiting(ended);
    assert.equal(code, TURN_EXIT.outOfTime);
    assert.match(
      stdout,
      /ended: timeout, agent was stopped and exited with 143, said nothing, no pull request, session/,
    );
  });

  it('with --wait says that a turn did not run, and why', async () => {
    const { code, stdout } = await waiting(outcome({ exitCode: null, reason: 'paused' }));
    assert.equal(code, TURN_EXIT.calledOff);
    assert.equal(stdout, `${SLUG}: turn 3 did not run: paused\n`);
  });

  it('a slug nobody has is not found', async () => {
    const none: Orchestrator['resume'] = () => Promise.resolve({ kind: 'not_found' });
    const ran = await cliWith({ orchestrator: { resume: none } }).run(...args);
    assert.equal(ran.code, EXIT.notFound);
    assert.match(ran.stderr, /orchestrate status/);
  });
});

describe('orchestrate status', () => {
  const runs: readonly RunSummary[] = [
    summary(),
    summary({
      slug: 'x-1-abcde',
      agent: 'writer\u001b]0;owned\u0007',
      status: 'frozen',
      phase: 'frozen',
      reason: 'done\nFAKE ROW',
      spent: { turns: 1, tokens: 5, microUsd: 7 },
      issue: 'a/b#22',
      pr: 3,
      prUrl: 'https://git.example/a/b/pulls/3',
    }),
  ];

  it('prints a table, a run a line, with nothing in it that a terminal acts on', async () => {
    const cli = cliWith({ orchestrator: { status: () => Promise.resolve(runs) } });
    const { stdout, code } = await cli.run('orchestrate', 'status');
    assert.equal(code, 0);
    const [, first, ...others] = stdout.trimEnd().split('\n');
    assert.deepEqual(
      [first?.slice(0, 5), others.map((line) => line.slice(0, 7))],
      ['a/b#1', ['  https', 'a/b#22 ', '  https']],
    );
    assert.doesNotMatch(stdout.replaceAll('\n', ''), /\p{Cc}/u);
  });

  it('goes by the width of the terminal it prints on', async () => {
    const status = { status: () => Promise.resolve(runs) };
    const terminal = { columns: 60, colors: false };
    const { stdout } = await cliWith({ orchestrator: status, terminal }).run('orchestrate', 'status');
    assert.ok(stdout.split('\n').every((line) => line.length <= 60));
    assert.match(stdout, /^a\/b#1 {2}running/);
  });

  it('asks for destroyed runs only with --all, and gives all fields as JSON', async () => {
    const filters: boolean[] = [];
    const status: Orchestrator['status'] = ({ all }) => {
      filters.push(all);
      return Promise.resolve(runs);
    };
    const cli = cliWith({ orchestrator: { status } });
    assert.deepEqual(JSON.parse((await cli.run('orchestrate', 'status', '--json')).stdout), {
      runs,
      pauses: [],
    });
    await cli.run('orchestrate', 'status', '--all');
    assert.deepEqual(filters, [false, true]);
  });

  it('says first that new turns are paused, by whom and what ends it', async () => {
    const pauses: Orchestrator['pauses'] = () =>
      Promise.resolve([{ scope: 'alice/demo', since: 0, who: 'alice@desk\u001b[2J' }]);
    const cli = cliWith({ orchestrator: { pauses, status: () => Promise.resolve([]) } });
    const { stdout } = await cli.run('orchestrate', 'status');
    assert.deepEqual(stdout.split('\n'), [
      'new turns of alice/demo are paused by alice@desk\\u{1b}[2J since 1970-01-01T00:00:00.000Z: bot-bottle unpause --repo alice/demo',
      'no active runs',
      '',
    ]);
  });

  it('lists what operators did, and who', async () => {
    const row = { id: 'r/1', at: 0, who: 'alice@desk', kind: 'extend', detail: { ms: 5 } } as const;
    const rows = [
      { ...row, slug: SLUG, workflowId: 'gitea:a/b#1' },
      { ...row, id: 'r/2', slug: null, workflowId: 'pause:*' },
    ];
    const cli = cliWith({ orchestrator: { commands: () => Promise.resolve(rows) } });
    const { stdout } = await cli.run('orchestrate', 'status', '--commands');
    assert.match(
      stdout,
      /1970-01-01T00:00:00\.000Z +alice@desk +extend +coder-alice-demo-12-abcde +\{"ms":5\}/,
    );
    assert.match(stdout, /extend +- +\{"ms":5\}\n$/);
    const json = await cli.run('orchestrate', 'status', '--commands', '--json');
    assert.deepEqual(JSON.parse(json.stdout), { commands: rows });
  });

  it('lists rejected triggers with their reason', async () => {
    const rejections: Orchestrator['rejections'] = () =>
      Promise.resolve([{ subject: 'gitea:a/b#1', at: 0, reason: 'two agent labels' }]);
    const { stdout } = await cliWith({ orchestrator: { rejections } }).run(
      'orchestrate',
      'status',
      '--rejected',
    );
    assert.match(stdout, /1970-01-01T00:00:00\.000Z +gitea:a\/b#1 +two agent labels/);
  });

  it('lists rows whose time was tampered with', async () => {
    const noTimes = [8.64e15 + 1, '123'] as number[];
    const cli = cliWith({
      orchestrator: {
        commands: () =>
          Promise.resolve(
            noTimes.map((at) => ({
              ...{ id: 'r/1', at, who: 'alice@desk', kind: 'extend', detail: {}, slug: null },
              workflowId: 'gitea:a/b#1',
            })),
          ),
        rejections: () =>
          Promise.resolve(noTimes.map((at) => ({ subject: 'gitea:a/b#1', at, reason: 'why' }))),
        pauses: () => Promise.resolve(noTimes.map((since) => ({ scope: '*', since, who: 'alice@desk' }))),
        status: () => Promise.resolve([]),
      },
    });
    const lines = async (...flags: string[]): Promise<string[]> => {
      const { code, stdout } = await cli.run('orchestrate', 'status', ...flags);
      assert.equal(code, EXIT.ok);
      return stdout.trimEnd().split('\n');
    };
    for (const line of (await lines('--commands')).slice(1)) assert.match(line, /^- +alice@desk +extend/);
    for (const line of (await lines('--rejected')).slice(1)) assert.match(line, /^- +gitea:a\/b#1 +why/);
    const paused = 'new turns are paused by alice@desk since no valid time: bot-bottle unpause';
    assert.deepEqual(await lines(), [paused, paused, 'no active runs']);
  });
});
