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
  const subject = {
    kind: 'subject',
    subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
  } as const;

  it('finds the run by issue address, PR address, short form and slug', async () => {
    const { calls, cli } = recording(accepted);
    for (const run of [
      'https://git.example/code/alice/demo/issues/12',
      'https://git.example/code/alice/demo/issues/12#issuecomment-9',
      'https://git.example/code/alice/demo/pulls/12/files',
      'alice/demo#12',
      'gitea:alice/demo#12',
      SLUG,
    ]) {
      assert.equal((await cli.run('signal', run, 'freeze')).code, 0, run);
    }
    assert.deepEqual(
      calls.map(({ target }) => target),
      [subject, subject, subject, subject, subject, { kind: 'slug', slug: SLUG }],
    );
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

  it('options that do not belong, unknown commands and pages of nothing are usage errors', async () => {
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
      ['https://git.example/code/alice/demo/wiki/12', 'freeze'],
      ['https://git.example/alice/demo/issues/12', 'freeze'],
      ['https://git.example.evil.example/code/alice/demo/issues/12', 'freeze'],
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
