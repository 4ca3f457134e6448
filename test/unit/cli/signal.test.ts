import assert from 'node:assert/strict';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import type { Orchestrator, RunCommand, Target } from '../../../src/cli/base/orchestrator.js';
import { cliWith } from './small-world.js';

const SLUG = 'coder-alice-demo-12-abcde';

describe('signal', () => {
  function recording(answer: Awaited<ReturnType<Orchestrator['command']>>): {
    readonly calls: { target: Target; command: RunCommand }[];
    readonly cli: ReturnType<typeof cliWith>;
  } {
    const calls: { target: Target; command: RunCommand }[] = [];
    const command: Orchestrator['command'] = (target, order) => {
      calls.push({ target, command: order });
      return Promise.resolve(answer);
    };
    return { calls, cli: cliWith({ orchestrator: { command } }) };
  }
  const accepted = { kind: 'accepted', slug: SLUG, phase: 'freezing' } as const;

  it('finds the run by its issue', async () => {
    const { calls, cli } = recording(accepted);
    assert.equal((await cli.run('signal', 'https://git.example/code/alice/demo/pulls/12', 'freeze')).code, 0);
    const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;
    assert.deepEqual(calls, [{ target: { kind: 'subject', subject }, command: { kind: 'freeze' } }]);
  });

  it('hands each command on with what belongs to it', async () => {
    const { calls, cli } = recording(accepted);
    await cli.run('signal', SLUG, 'done');
    await cli.run('signal', SLUG, 'resume', '--prompt', 'go on');
    await cli.run('signal', SLUG, 'resume');
    await cli.run('signal', SLUG, 'destroy');
    await cli.run('signal', SLUG, 'extend', '--by', '30m');
    await cli.run('signal', SLUG, 'budget', '--turns', '5', '--usd', '2.50');
    await cli.run('signal', SLUG, 'budget', '--tokens', '1000000', '--today');
    assert.deepEqual(
      calls.map(({ command }) => command),
      [
        { kind: 'done' },
        { kind: 'resume', prompt: 'go on' },
        { kind: 'resume', prompt: null },
        { kind: 'destroy' },
        { kind: 'extend', ms: 1_800_000 },
        { kind: 'budget', turns: 5, tokens: 0, microUsd: 2_500_000, today: false },
        { kind: 'budget', turns: 0, tokens: 1_000_000, microUsd: 0, today: true },
      ],
    );
  });

  it('options that do not belong, unknown commands and names of nothing are usage errors', async () => {
    const { calls, cli } = recording(accepted);
    for (const args of [
      [SLUG, 'explode'],
      [SLUG, 'freeze', '--prompt', 'x'],
      [SLUG, 'resume', '--prompt', ''],
      [SLUG, 'resume', '--prompt', ' \n'],
      [SLUG, 'freeze', '--by', '1m'],
      [SLUG, 'extend'],
      [SLUG, 'extend', '--by', '30'],
      [SLUG, 'extend', '--by', '0s'],
      [SLUG, 'budget'],
      [SLUG, 'budget', '--turns', '0'],
      [SLUG, 'budget', '--usd', '-1'],
      [SLUG, 'budget', '--usd', '1e3'],
      [SLUG, 'resume', '--turns', '1'],
      ['Not A Slug', 'freeze'],
      [SLUG],
    ]) {
      assert.equal((await cli.run('signal', ...args)).code, EXIT.usage, args.join(' '));
    }
    assert.deepEqual(calls, []);
  });

  it('refused and not found have statuses of their own', async () => {
    const refused = await recording({ kind: 'refused', reason: 'nothing runs' }).cli.run(
      'signal',
      SLUG,
      'done',
    );
    assert.equal(refused.code, EXIT.refused);
    assert.match(refused.stderr, /nothing runs/);
    const missing = await recording({ kind: 'not_found' }).cli.run('signal', SLUG, 'done', '--json');
    assert.equal(missing.code, EXIT.notFound);
    assert.equal((JSON.parse(missing.stdout) as { error: { code: string } }).error.code, 'not_found');
  });
});
