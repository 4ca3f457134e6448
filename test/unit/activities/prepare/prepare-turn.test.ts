import assert from 'node:assert/strict';
import { prepareTurn } from '../../../../src/activities/prepare/prepare-turn.js';
import { agentProvider } from '../../../../src/adapters/agents/registry.js';
import { ForgeHttpError, InvalidInputError } from '../../../../src/domain/base/errors.js';
import type { AgentManifest } from '../../../../src/domain/manifest/manifests.js';
import { ACT_AT, SLUG, usePreparing } from '../../../support/prepare/preparing.js';
import { stateRow } from '../../../support/webhook/rows.js';
import { sampleAgent } from '../../../support/manifests/samples.js';
import { agentsFrom } from '../../../support/manifests/agents.js';

describe('preparing a turn', () => {
  const world = usePreparing();
  const { input, ready, refusal } = world;

  describe('the provider', () => {
    const secrets = new Set<string>();
    beforeEach(() => {
      secrets.clear();
      const agent = (name: string): Promise<AgentManifest> =>
        Promise.resolve(sampleAgent(name, { providers: ['claude', 'codex'] }));
      const agents = agentsFrom(
        { agent },
        {},
        { secret: ({ name }) => ({ kind: secrets.has(name) ? 'ready' : 'missing' }) },
      );
      world.ports = { ...world.ports, agents };
    });

    it('is the first of the agent’s whose key is there, and the run’s to its end', async () => {
      secrets.add('openai-api-key');
      assert.equal((await ready()).provider, 'codex');
      secrets.add('anthropic-api-key');
      // The same turn once more: its own row is none of a turn before.
      assert.equal((await ready({ slug: SLUG.replace('abc12', 'abc13') })).provider, 'claude');
      const again = await ready({ turn: 2, cause: { kind: 'retriggered' } });
      assert.deepEqual([again.provider, again.image], ['codex', agentProvider('codex').image]);
      const [, begun] = await world.database.runs.turns(SLUG);
      assert.equal(begun?.detail['provider'], 'codex');
    });

    it('refuses the run that has none to begin with, and fails the turn of one that lost it', async () => {
      assert.match(
        await refusal(),
        /^the agent "coder" cannot run: no model key is set: bot-bottle secret set/,
      );
      secrets.add('anthropic-api-key');
      await ready();
      secrets.clear();
      secrets.add('openai-api-key');
      await assert.rejects(
        prepareTurn(world.ports, input({ turn: 2, cause: { kind: 'retriggered' } })),
        (error) => {
          assert.ok(error instanceof InvalidInputError && !error.retryable);
          assert.match(error.message, /began with the provider claude and cannot go on: .*anthropic-api-key/);
          return true;
        },
      );
    });
  });

  describe('the agent', () => {
    const file = '.bot-bottle/agents/coder.md';
    const manifest = '---\nprovider: scripted\nlimits: { watchdog: 2m }\n---\nYou are the house’s own.\n';

    it('of a repository is the one at the head of its default branch, whose commit stands in the turn’s row', async () => {
      world.ports = {
        ...world.ports,
        agents: agentsFrom({ agent: () => Promise.resolve(undefined) }, { allows: () => true }),
      };
      world.forge.putFile(file, manifest);
      const { prompt, watchdogMs, gitUser } = await ready();
      assert.match(prompt, /You are the house’s own\./);
      assert.deepEqual([watchdogMs, gitUser.email], [120_000, 'coder@bot-bottle.invalid']);
      const [row] = await world.database.runs.turns(SLUG);
      assert.deepEqual(row?.detail['repositoryAgent'], { path: file, commit: 'd'.repeat(40) });
    });

    it('of a repository does not count when the operator has one, and log and row say so', async () => {
      const warned: string[] = [];
      world.ports = {
        ...world.ports,
        agents: agentsFrom({}, { allows: () => true }),
        log: { info: () => undefined, warn: (_fields, message) => void warned.push(message) },
      };
      world.forge.putFile(file, manifest);
      const prepared = await ready();
      assert.match(prepared.prompt, /You code\./);
      assert.deepEqual(warned, ['the operator’s agent counts, not the repository’s']);
      const [row] = await world.database.runs.turns(SLUG);
      assert.deepEqual(
        [row?.detail['repositoryAgentShadowed'], row?.detail['repositoryAgent']],
        [true, undefined],
      );
    });

    it('or its bottle that is gone halfway fails the turn, and takes no trigger away', async () => {
      await ready();
      for (const [gone, why] of [
        [{ agent: () => Promise.resolve(undefined) }, /there is no agent "coder"/],
        [{ bottle: () => Promise.resolve(undefined) }, /there is no bottle "default"/],
      ] as const) {
        world.ports = { ...world.ports, agents: agentsFrom(gone) };
        const turn = prepareTurn(world.ports, input({ turn: 2, cause: { kind: 'retriggered' } }));
        await assert.rejects(turn, (error) => {
          assert.ok(error instanceof InvalidInputError && !error.retryable);
          assert.match(error.message, why);
          return true;
        });
      }
    });

    it('has limits and a variant of its own in the turn, and nothing there when it says nothing', async () => {
      const said = await ready();
      assert.deepEqual(
        ['variant', 'turnTimeoutMs', 'watchdogMs'].filter((key) => key in said),
        [],
      );
      const limits = { turnTimeoutMs: 60_000, watchdogMs: 30_000 };
      const agent = (name: string) => Promise.resolve(sampleAgent(name, { variant: 'high', limits }));
      world.ports = { ...world.ports, agents: agentsFrom({ agent }) };
      const { variant, turnTimeoutMs, watchdogMs } = await ready();
      assert.deepEqual([variant, turnTimeoutMs, watchdogMs], ['high', 60_000, 30_000]);
    });
  });

  it('moves the state row when the repository was renamed, and keeps the workflow’s old name', async () => {
    await ready();
    const [before] = await world.database.forgeState.all();
    assert.ok(before !== undefined);
    await world.database.forgeState.upsert({ ...before, lastCheckinAt: 7 });
    const subject = { forge: 'gitea', owner: 'carol', repo: 'renamed', number: 12 } as const;
    await ready({ subject, turn: 2, cause: { kind: 'retriggered' } });
    const rows = await world.database.forgeState.all();
    assert.deepEqual(
      rows.map(({ owner, repo, slug, repoId }) => [owner, repo, slug, repoId]),
      [['carol', 'renamed', SLUG, 7]],
    );
    assert.equal((await world.database.runs.run(SLUG))?.workflowId, 'gitea:alice/demo#12');
    assert.equal(rows[0]?.lastCheckinAt, 7, 'what the row knew is kept');
  });

  it('says where the repository is when the issue is not where the workflow believes it to be', async () => {
    const place = { repoId: 7, owner: 'carol', repo: 'renamed' };
    world.forge.issues.clear();
    world.forge.places.set(7, place);
    assert.deepEqual(await prepareTurn(world.ports, input()), { kind: 'moved', place });
    world.forge.places.clear();
    assert.match(await refusal(), /gone from the forge/);
    await assert.rejects(prepareTurn(world.ports, input({ turn: 2 })), /not found/);
  });

  it('goes on where only a proxy said that the issue is gone, while the forge started', async () => {
    let seen = 0;
    world.forge.fault = (call) => {
      if (call === 'issue 12' && (seen += 1) === 1) throw world.forge.notFound();
    };
    await ready();
    assert.equal(seen, 2);
    const away = new ForgeHttpError(0, 'GET', '/user', 'nothing is found');
    world.forge.fault = (call) => {
      throw call.startsWith('where') ? away : world.forge.notFound();
    };
    for (const turn of [1, 2]) await assert.rejects(prepareTurn(world.ports, input({ turn })), away);
  });

  it('begins a new life after one whose trigger nobody knows any more only for an act later than its end', async () => {
    const gone = stateRow({ slug: 'coder-alice-demo-12-gone1', status: 'destroyed' });
    await world.database.forgeState.upsert({ ...gone, destroyedAt: ACT_AT });
    assert.match(await refusal(), /not later than the end of the last run/);
    assert.equal((await prepareTurn(world.ports, input({}, { actAt: ACT_AT + 1 }))).kind, 'ready');
  });
});
