import assert from 'node:assert/strict';
import type { HomePorts } from '../../../../src/activities/ports/home-ports.js';
import type { PrepareTurnInput } from '../../../../src/activities/ports/inputs.js';
import { writeTurnRows, type TurnFacts } from '../../../../src/activities/rows/turn-rows.js';
import type { ForgeStateRow } from '../../../../src/domain/run/rows.js';
import { comment, SUBJECT, trigger } from '../../../support/machine/world.js';
import { stateRow } from '../../../support/webhook/rows.js';
import { useDatabase } from '../../../support/webhook/use-database.js';

const SLUG = 'coder-alice-demo-12-abc12';
const NOW = 9_000;

const INPUT: PrepareTurnInput = {
  workflowId: 'gitea:alice/demo#12',
  repoId: 7,
  subject: SUBJECT,
  slug: SLUG,
  turn: 1,
  trigger: trigger(5, { actId: 3 }),
  cause: { kind: 'first' },
  references: [comment(1), comment(2)],
  omitted: 4,
  limit: null,
  prNumber: 31,
  host: 'h1',
  session: 'first',
  dayIsLifted: false,
};
const FACTS: TurnFacts = {
  row: undefined,
  issueUrl: 'https://forge.example/alice/demo/issues/12',
  agent: { name: 'coder', gitUser: { name: 'Coder', email: 'coder@example.org' } },
  provider: 'claude',
  bottleNames: ['default', 'node'],
  promptRef: 'p'.repeat(64),
  branch: 'bot-bottle/12-abc12',
  dropped: ['comment:3:x'],
  source: null,
  shadowed: false,
};

/** Over a real database. */
describe('the rows of a turn that begins', () => {
  const database = useDatabase();

  const begin = (input: Partial<PrepareTurnInput> = {}, facts: Partial<TurnFacts> = {}): Promise<void> => {
    const provider = (name: string) => ({ version: `${name} 1.2` });
    const ports = { database: database(), provider, clock: { now: () => NOW } } as unknown as HomePorts;
    return writeTurnRows(ports, { ...INPUT, ...input }, { ...FACTS, ...facts });
  };
  const row = (): Promise<ForgeStateRow | undefined> => database().forgeState.ofRun(SLUG);
  const detail = async (): Promise<Readonly<Record<string, unknown>> | undefined> =>
    (await database().runs.turns(SLUG)).at(-1)?.detail;

  it('say whose run it is, what its prompt was made of, and that it is launched', async () => {
    await begin();
    assert.deepEqual(await database().runs.run(SLUG), {
      slug: SLUG,
      workflowId: 'gitea:alice/demo#12',
      subject: 'alice/demo#12',
      agentName: 'coder',
      bottleNames: ['default', 'node'],
      triggerActor: 'alice',
      triggerAt: 5,
      triggerActId: 3,
      createdAt: NOW,
    });
    assert.deepEqual(await database().runs.turns(SLUG), [
      {
        slug: SLUG,
        turn: 1,
        event: 'begun',
        at: NOW,
        detail: {
          cause: 'first',
          promptHash: 'p'.repeat(64),
          provider: 'claude',
          providerVersion: 'claude 1.2',
          references: ['comment:1:x', 'comment:2:x'],
          dropped: ['comment:3:x'],
          omitted: 4,
        },
      },
    ]);
    assert.deepEqual(await row(), stateRow({ slug: SLUG, phase: 'launching', prNumber: 31, updatedAt: NOW }));
  });

  it('are those of a run that goes on, with its pull request’s page and when it was last heard of', async () => {
    const prUrl = 'https://forge.example/alice/demo/pulls/31';
    const before = stateRow({ slug: SLUG, lastCheckinAt: 77, prUrl, status: 'frozen', reason: 'done' });
    await database().forgeState.upsert(before);
    await begin({ turn: 2, cause: { kind: 'wake' }, epoch: 1 }, { row: before });
    const now = await row();
    assert.deepEqual([now?.status, now?.phase, now?.reason], ['running', 'rehydrating', null]);
    assert.deepEqual([now?.lastCheckinAt, now?.prUrl, now?.epoch], [77, prUrl, 1]);
  });

  it('take nothing over from an earlier life of the issue', async () => {
    const earlier = stateRow({
      slug: 'coder-alice-demo-12-first',
      lastCheckinAt: 77,
      prUrl: 'x',
      destroyedAt: 5,
    });
    await database().forgeState.upsert(earlier);
    await begin({}, { row: earlier });
    const now = await row();
    assert.deepEqual([now?.lastCheckinAt, now?.prUrl, now?.destroyedAt], [null, null, null]);
  });

  it('name the agent that the repository brings: the one that runs, or one that does not count', async () => {
    await begin();
    const plain = await detail();
    assert.ok(plain !== undefined && !('repositoryAgent' in plain) && !('repositoryAgentShadowed' in plain));
    const source = { path: '.bot-bottle/agents/coder.md', commit: 'c'.repeat(40) };
    await begin({ turn: 2 }, { source });
    assert.deepEqual((await detail())?.['repositoryAgent'], source);
    await begin({ turn: 3 }, { shadowed: true });
    assert.equal((await detail())?.['repositoryAgentShadowed'], true);
  });
});
