import assert from 'node:assert/strict';
import type { CliDeps } from '../../../src/cli/base/deps.js';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import {
  BottleRuntimeError,
  ForgeHttpError,
  GitError,
  InvalidInputError,
} from '../../../src/domain/base/errors.js';
import { cliWith } from './small-world.js';

describe('secret set', () => {
  it('writes what standard input holds, and prints the path only', async () => {
    const set: [string, string][] = [];
    const setSecret = (name: string, content: Uint8Array): string => {
      set.push([name, new TextDecoder().decode(content)]);
      return '/home/secrets/forge-token';
    };
    const cli = cliWith({ deps: { setSecret }, stdin: { isTTY: false, text: 'very-secret\n' } });
    const ran = await cli.run('secret', 'set', 'forge-token');
    assert.deepEqual(ran, { code: 0, stdout: 'wrote /home/secrets/forge-token\n', stderr: '' });
    assert.deepEqual(set, [['forge-token', 'very-secret\n']]);
  });

  it('on a terminal it refuses, reading nothing, and says how it is done', async () => {
    const ran = await cliWith({ stdin: { isTTY: true } }).run('secret', 'set', 'forge-token');
    assert.equal(ran.code, EXIT.usage);
    assert.match(ran.stderr, /secret set forge-token < file/);
  });

  it('a secret given as an argument is not accepted', async () => {
    const ran = await cliWith({ stdin: { isTTY: false, text: 'x' } }).run(
      'secret',
      'set',
      'forge-token',
      'oops',
    );
    assert.equal(ran.code, EXIT.usage);
  });
});

describe('dashboard', () => {
  it('without a terminal shows nothing, and says what does the same', async () => {
    const ran = await cliWith({}).run('dashboard');
    assert.equal(ran.code, EXIT.usage);
    assert.match(ran.stderr, /needs a terminal: without one, bot-bottle proposals/);
  });
});

describe('config show', () => {
  const view = {
    effective: [
      { name: 'FORGE_ORG', value: 'bots', source: 'file', line: 3 },
      { name: 'FORGE_CA_FILE', value: null, source: 'default' },
      { name: 'FORGE_TOKEN_FILE', value: '/h/secrets/forge-token', source: 'default', secret: 'set' },
      {
        name: 'WEBHOOK_SECRET_FILE',
        value: '/h/secrets/webhook-secret',
        source: 'environment',
        secret: 'missing',
      },
    ],
    warnings: ['one token for both'],
  } as const;

  it('prints value and source, a mask for a secret that is set, and warnings apart', async () => {
    const { stdout, stderr, code } = await cliWith({ deps: { config: () => view } }).run('config', 'show');
    assert.equal(code, 0);
    assert.match(stdout, /^FORGE_ORG +bots +config\.yaml:3$/m);
    assert.match(stdout, /^FORGE_CA_FILE +- +default$/m);
    assert.match(stdout, /forge-token \(\*{8}\) +default$/m);
    assert.match(stdout, /webhook-secret \(missing\) +environment$/m);
    assert.equal(stderr, 'warning: one token for both\n');
  });

  it('as JSON is one document', async () => {
    const { stdout } = await cliWith({ deps: { config: () => view } }).run('config', 'show', '--json');
    assert.deepEqual(JSON.parse(stdout), view);
  });

  it('as JSON shows a terminal nothing to act on, and loses nothing', async () => {
    const text = 'a\u001b[31m\u009b31m\u202eb\u{e0041}\u2028';
    const hostile = {
      effective: [{ name: 'FORGE_ORG', value: text, source: 'environment' }],
      warnings: [],
    } as const;
    const { stdout } = await cliWith({ deps: { config: () => hostile } }).run('config', 'show', '--json');
    assert.deepEqual(JSON.parse(stdout), hostile);
    assert.doesNotMatch(stdout, /[\u001b\u007f-\u009f\u2028]|\p{Cf}/u);
  });

  it('a wrong configuration is a usage error with one line a problem', async () => {
    const config = (): never => {
      throw new InvalidInputError('config.yaml:1: unknown setting A\nconfig.yaml:2: unknown setting B');
    };
    const ran = await cliWith({ deps: { config } }).run('config', 'show');
    assert.equal(ran.code, EXIT.usage);
    assert.equal(
      ran.stderr,
      'bot-bottle: config.yaml:1: unknown setting A\nconfig.yaml:2: unknown setting B\n',
    );
  });
});

describe('the program', () => {
  it('starts the service that is named and exits as it does', async () => {
    for (const role of ['up', 'worker', 'webhook'] as const) {
      const serve = (asked: string): Promise<number> => Promise.resolve(asked === role ? 7 : 0);
      assert.equal((await cliWith({ deps: { serve } }).run(role)).code, 7, role);
    }
  });

  it('temporal setup says what it added', async () => {
    const temporalSetup = (): Promise<{ namespace: string; added: string[] }> =>
      Promise.resolve({ namespace: 'default', added: ['ForgeRepo', 'BottleSlug'] });
    const cli = cliWith({ deps: { temporalSetup } });
    assert.match((await cli.run('temporal', 'setup')).stdout, /added ForgeRepo, BottleSlug/);
    assert.deepEqual(
      JSON.parse((await cli.run('temporal', 'setup', '--json')).stdout),
      await temporalSetup(),
    );
  });

  it('prints its version and its help on standard output', async () => {
    for (const asked of ['version', '--version'])
      assert.deepEqual(await cliWith({}).run(asked), { code: 0, stdout: '1.2.3\n', stderr: '' });
    const help = await cliWith({}).run('--help');
    assert.equal(help.code, 0);
    assert.match(help.stdout, /Exit status: 0 ok/);
    for (const name of [
      'up',
      'worker',
      'webhook',
      'orchestrate',
      'signal',
      'doctor',
      'config',
      'secret',
      'temporal',
    ]) {
      assert.match(help.stdout, new RegExp(`^ +${name}\\b`, 'm'));
    }
  });

  it('without a command it says what there is and exits as a usage error', async () => {
    assert.equal((await cliWith({}).run()).code, EXIT.usage);
    assert.equal((await cliWith({}).run('orchestrate')).code, EXIT.usage);
  });

  it('refuses what it would not do of a command, before anything is done', async () => {
    const status = ['orchestrate', 'status'];
    const remove = ['forge', 'setup', 'acme/app', '--remove'];
    for (const args of [
      [...status, '--all', '--rejected'],
      [...status, '--all', '--commands'],
      [...status, '--rejected', '--commands'],
      [...remove, '--no-webhook'],
      [...remove, '--no-test'],
      [...remove, '--all-labels'],
      [...remove, '--wait', '1m'],
    ]) {
      const ran = await cliWith({}).run(...args);
      assert.equal(ran.code, EXIT.usage, args.join(' '));
      assert.match(ran.stderr, /'--\w+' cannot be used with option '--/);
    }
    assert.match((await cliWith({}).run(...remove)).stderr, /unexpected forgeSetup/);
  });

  it('names the option whose duration is none', async () => {
    const desk = { close: () => Promise.resolve() } as Awaited<ReturnType<CliDeps['sync']>>;
    const { run } = cliWith({ deps: { sync: () => Promise.resolve(desk) } });
    for (const [option, ...args] of [
      ['--by', 'signal', 'acme/app#1', 'extend'],
      ['--expires', 'token', 'create', '--scope', 'read'],
      ['--timeout', 'sync', 'run'],
      ['--every', 'sync', 'schedule'],
    ] as const) {
      const { code, stderr } = await run(...args, option, '30');
      assert.equal(code, EXIT.usage, option);
      assert.match(stderr, new RegExp(`^bot-bottle: ${option}: expected a duration such as 500ms`));
    }
  });

  it('says where to look after what it does not understand', async () => {
    for (const args of [
      ['nonsense'],
      ['signal'],
      ['logs', 'x', '--nonsense'],
      ['orchestrate', 'status', 'x'],
    ])
      assert.match((await cliWith({}).run(...args)).stderr, /^error: .*\n\(--help says what there is\)\n$/s);
  });

  it('has --help everywhere, and no command for it', async () => {
    for (const group of ['orchestrate', 'proposals', 'provenance', 'sync', 'token', 'agents']) {
      const { stdout } = await cliWith({}).run(group, '--help');
      assert.doesNotMatch(stdout, /^ +help\b/m);
      assert.equal((await cliWith({}).run(group, 'help')).code, EXIT.usage, group);
    }
  });

  it('tells faults apart by exit status', async () => {
    for (const [error, code] of [
      [new ForgeHttpError(0, 'GET', '/x', 'away'), EXIT.unreachable],
      // A proxy answers for a forge that does not.
      ...[429, 502, 503, 504].map(
        (status) => [new ForgeHttpError(status, 'GET', '/x', `a ${status}`), EXIT.unreachable] as const,
      ),
      [new ForgeHttpError(500, 'GET', '/x', 'broken'), EXIT.failed],
      [new BottleRuntimeError('away', true, { away: true }), EXIT.unreachable],
      [new GitError('the forge is away', true, { away: true }), EXIT.unreachable],
      [new ForgeHttpError(404, 'GET', '/x', 'gone'), EXIT.notFound],
      [new ForgeHttpError(403, 'GET', '/x', 'no'), EXIT.failed],
      [new Error('odd'), EXIT.failed],
    ] as const) {
      const ran = await cliWith({ deps: { orchestrator: () => Promise.reject(error) } }).run(
        'orchestrate',
        'status',
      );
      assert.equal(ran.code, code, error.message);
    }
  });

  it('says what went wrong in one line of JSON: logs has one document a line', async () => {
    for (const [args, code] of [
      [['logs', 'not a run'], 'invalid_input'],
      [['logs'], 'usage'],
    ] as const) {
      const { stdout } = await cliWith({}).run(...args, '--json');
      assert.equal(stdout.trimEnd().split('\n').length, 1, stdout);
      assert.equal((JSON.parse(stdout) as { error: { code: string } }).error.code, code);
    }
  });

  it('what it does not understand is printed escaped', async () => {
    const ran = await cliWith({}).run('\u001b[2Jnonsense');
    assert.equal(ran.code, EXIT.usage);
    assert.doesNotMatch(ran.stderr.replaceAll('\n', ''), /\p{Cc}/u);
  });
});

describe('a group that is a command itself', () => {
  const groups = {
    sync: 'run, schedule, schedules, unschedule',
    proposals: 'list, show, approve, modify, reject',
  };
  for (const [name, subcommands] of Object.entries(groups))
    it(`names the subcommands to who gives another one: ${name}`, async () => {
      const { code, stderr } = await cliWith({}).run(name, 'bogus');
      assert.equal(code, EXIT.usage);
      assert.equal(stderr, `bot-bottle: ${name} has no subcommand "bogus": there are ${subcommands}\n`);
    });

  it('says of what is no proposal’s id that it is none, and what lists them', async () => {
    for (const text of ['abc', 'not-hex', 'f'.repeat(33)]) {
      const { code, stderr } = await cliWith({}).run('proposals', 'show', text);
      assert.equal(code, EXIT.usage);
      assert.equal(
        stderr,
        `bot-bottle: "${text}" is no proposal’s id, nor the first characters of one, at least 4: bot-bottle proposals lists them\n`,
      );
    }
  });
});
