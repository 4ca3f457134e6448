import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import type { HomePorts } from '../../../src/activities/ports/home-ports.js';
import type { PrepareTurnInput } from '../../../src/activities/ports/inputs.js';
import { prepareTurn } from '../../../src/activities/prepare/prepare-turn.js';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import type { AccessSettings } from '../../../src/domain/forge/access.js';
import type { Trigger } from '../../../src/domain/run/events.js';
import { sampleHome } from '../../support/host/sample-home.js';
import { agentsFrom } from '../../support/manifests/agents.js';
import { ALICE, BOT, FakeForge, user } from '../../support/webhook/fake-forge.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';

const ACT_AT = 1_700_000_000_000;
const SLUG = 'coder-alice-demo-12-abc12';
const LABEL = 'bot-bottle:coder';
const MALLORY = user('mallory', 66);

interface World {
  readonly forge: FakeForge;
  trigger: Trigger;
  access: AccessSettings;
  knows: boolean;
  /** The issue had a run whose trigger was this act, and which ended then. */
  before: { readonly actAt: number; readonly actId: number; readonly destroyedAt: number } | null;
}
interface Row {
  readonly when: string;
  /** What differs from a world in which the turn may run. */
  readonly change: (world: World) => void;
  /** Why the first turn does not run; `null` when it does. */
  readonly first: string | null;
  /** Of a later turn. */
  readonly later: string | null;
}

const NO_MEMBER = 'no assignee is a member of bot-bottle';
const GONE = 'the label of agent "coder" is gone';
const STALE = 'the trigger is not later than the end of the last run';
const mayNot = (login: string): string => `${login} may not drive an agent here: see FORGE_TRIGGER`;

const labelled =
  (...labels: readonly string[]) =>
  ({ forge }: World) =>
    void forge.putIssue(12, { labels });
const by =
  (actor: string, audience: AccessSettings['trigger'] = 'collaborators') =>
  (world: World) => {
    world.trigger = { ...world.trigger, actor };
    world.access = { ...world.access, trigger: audience };
  };
const operator = (world: World): void => {
  world.trigger = { ...world.trigger, actor: '', operator: { promptRef: null } };
};
const after = (before: NonNullable<World['before']>) => (world: World) => {
  world.before = before;
};
const all =
  (...changes: readonly Row['change'][]): Row['change'] =>
  (world) => {
    for (const change of changes) change(world);
  };
const both = (reason: string | null) => ({ first: reason, later: reason });

const ROWS: readonly Row[] = [
  { when: 'everything is as it should be', change: () => undefined, ...both(null) },

  // The issue.
  {
    when: 'the issue is closed, which ends a run that has begun in another way',
    change: ({ forge }) => void forge.putIssue(12, { state: 'closed' }),
    first: 'the issue is closed',
    later: null,
  },
  {
    when: 'the issue is closed, and the operator started the run',
    change: all(operator, ({ forge }) => void forge.putIssue(12, { state: 'closed' })),
    first: 'the issue is closed',
    later: null,
  },
  {
    when: 'the issue is gone',
    change: ({ forge }) => void forge.issues.delete(12),
    first: 'the issue is gone from the forge',
    later: 'error: not found',
  },

  // Labels.
  { when: 'there is no label', change: labelled(), ...both(GONE) },
  { when: 'only other labels are left', change: labelled('bug', 'coder'), ...both(GONE) },
  { when: 'the label of another agent took its place', change: labelled('bot-bottle:other'), ...both(GONE) },
  {
    when: 'there are two agents’ labels',
    change: labelled(LABEL, 'bot-bottle:other'),
    ...both('two agent labels (coder, other): leave one'),
  },
  {
    when: 'there are two bottles’ labels',
    change: labelled(LABEL, 'bot-bottle-bottle:a', 'bot-bottle-bottle:b'),
    ...both('two bottle labels (a, b): leave one'),
  },
  {
    when: 'the label names no possible bottle',
    change: labelled(LABEL, 'bot-bottle-bottle:../x'),
    ...both('"../x" is not a possible bottle name'),
  },
  {
    when: 'the label names no possible agent',
    change: labelled('bot-bottle:../x'),
    ...both('"../x" is not a possible agent name'),
  },

  // Assignees.
  {
    when: 'nobody is assigned',
    change: ({ forge }) => void forge.putIssue(12, { assignees: [] }),
    ...both(NO_MEMBER),
  },
  {
    when: 'only people outside the org are assigned, whatever they may write to',
    change: ({ forge }) => void forge.putIssue(12, { assignees: [ALICE, MALLORY] }),
    ...both(NO_MEMBER),
  },
  {
    when: 'the assignee has left the org',
    change: ({ forge }) => void forge.members.delete('bot'),
    ...both(NO_MEMBER),
  },
  {
    when: 'one of several assignees is a member',
    change: ({ forge }) => void forge.putIssue(12, { assignees: [ALICE, BOT] }),
    ...both(null),
  },

  // Whoever completed the trigger.
  { when: 'who triggered may only read', change: by('mallory'), ...both(mayNot('mallory')) },
  {
    when: 'the account that triggered has another name by now',
    change: all(by('alice-of-old'), ({ forge }) => {
      forge.trigger(12, ACT_AT);
    }),
    ...both(null),
  },
  {
    when: 'the account that triggered has another name by now, and may only read',
    change: all(by('mallory-of-old'), ({ forge }) => {
      forge.trigger(12, ACT_AT, 'coder', MALLORY);
    }),
    ...both(mayNot('mallory-of-old')),
  },
  {
    when: 'who triggered has lost the right to write since',
    change: ({ forge }) => void forge.permissions.set('alice', 'read'),
    ...both(mayNot('alice')),
  },
  {
    when: 'who triggered is an administrator',
    change: ({ forge }) => void forge.permissions.set('alice', 'admin'),
    ...both(null),
  },
  {
    when: 'FORGE_TRIGGER is org, and a writer is no member',
    change: by('alice', 'org'),
    ...both(mayNot('alice')),
  },
  {
    when: 'FORGE_TRIGGER is org, and the person is a member',
    change: all(by('mallory', 'org'), ({ forge }) => void forge.members.add('mallory')),
    ...both(null),
  },
  { when: 'FORGE_TRIGGER is anyone', change: by('mallory', 'anyone'), ...both(null) },
  {
    when: 'the author of the issue has no rights, but who triggered has',
    change: ({ forge }) => void forge.putIssue(12, { author: MALLORY }),
    ...both(null),
  },

  // The operator asks nobody.
  {
    when: 'the operator started the run: no label, no member, no rights',
    change: all(operator, labelled(), ({ forge }) => void forge.putIssue(12, { assignees: [] })),
    ...both(null),
  },

  // The agent.
  {
    when: 'the agent is unknown',
    change: (world) => void (world.knows = false),
    first: 'there is no agent "coder"',
    later: 'error: there is no agent "coder"',
  },

  // A life before this one.
  {
    when: 'the same act began the last life',
    change: after({ actAt: ACT_AT, actId: 2, destroyedAt: ACT_AT - 5_000 }),
    first: STALE,
    later: null,
  },
  {
    when: 'a later act of the same second began the last life',
    change: after({ actAt: ACT_AT, actId: 3, destroyedAt: ACT_AT - 5_000 }),
    first: STALE,
    later: null,
  },
  {
    when: 'an earlier act of the same second began the last life, which ended in it',
    change: after({ actAt: ACT_AT, actId: 1, destroyedAt: ACT_AT }),
    ...both(null),
  },
  {
    when: 'the act is later than the last life’s, but came before its end',
    change: after({ actAt: ACT_AT - 60_000, actId: 1, destroyedAt: ACT_AT + 1_000 }),
    first: STALE,
    later: null,
  },
  {
    when: 'the last moment of the act’s second is the last life’s end',
    change: after({ actAt: ACT_AT - 60_000, actId: 1, destroyedAt: ACT_AT + 999 }),
    first: STALE,
    later: null,
  },
  {
    when: 'the act may have been in the second after the last life’s end',
    change: after({ actAt: ACT_AT - 60_000, actId: 1, destroyedAt: ACT_AT + 998 }),
    ...both(null),
  },
  {
    when: 'the act is later than the last life’s end',
    change: after({ actAt: ACT_AT - 60_000, actId: 1, destroyedAt: ACT_AT - 30_000 }),
    ...both(null),
  },
];

/** Every objection there is before a turn, over real stores and a forge in memory: none is another's shadow. */
describe('the right to drive, before each turn', () => {
  const newPath = useNewPaths();
  let close: () => Promise<void> = () => Promise.resolve();
  afterEach(() => close());

  async function outcomeOf(change: Row['change'], turn: number): Promise<string | null> {
    const home = newPath();
    mkdirSync(home);
    const forge = new FakeForge();
    forge.putIssue(12, { labels: [LABEL], assignees: [BOT] });
    const trigger: Trigger = {
      agent: 'coder',
      bottles: [],
      actor: 'alice',
      actAt: ACT_AT,
      actId: 2,
      textHash: '',
      pull: null,
    };
    const access: AccessSettings = { org: 'bot-bottle', trigger: 'collaborators', wake: 'collaborators' };
    const world: World = { forge, trigger, access, knows: true, before: null };
    const database = await openDatabase(`${home}/bot-bottle.db`);
    close = () => database.close();
    const ports = (): HomePorts => {
      const own = {
        forgeFor: () => forge.bind(),
        agents: world.knows ? agentsFrom() : agentsFrom({ agent: () => Promise.resolve(undefined) }),
        blobs: new LocalBlobStore(home),
        database,
        clock: { now: () => ACT_AT + 5_000 },
      };
      const dayBudget = { turns: 99, tokens: 1_000_000, microUsd: 5_000_000 };
      return sampleHome(own, { access: world.access, dayBudget });
    };
    const input = (slug: string, of: number, by: Trigger): PrepareTurnInput => ({
      workflowId: 'gitea:alice/demo#12',
      subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
      slug,
      turn: of,
      trigger: by,
      cause: of === 1 ? { kind: 'first' } : { kind: 'retriggered' },
      references: [],
      omitted: 0,
      limit: null,
      session: of === 1 ? 'first' : 'resumed',
      dayIsLifted: false,
      prNumber: null,
      host: null,
      repoId: 7,
    });
    change(world);
    if (world.before !== null) {
      const { actAt, actId, destroyedAt } = world.before;
      const slug = SLUG.replace('abc12', 'older');
      await prepareTurn(ports(), input(slug, 1, { ...world.trigger, actAt, actId }));
      const row = await database.forgeState.ofRun(slug);
      assert.ok(row !== undefined);
      await database.forgeState.upsert({ ...row, status: 'destroyed', destroyedAt });
    }
    try {
      const outcome = await prepareTurn(ports(), input(SLUG, turn, world.trigger));
      if (outcome.kind === 'ready') return null;
      if (outcome.kind !== 'refused') return outcome.kind;
      assert.deepEqual(await database.runs.turns(SLUG), [], 'a turn that does not run has no row');
      return outcome.reason;
    } catch (error) {
      return `error: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  for (const { when, change, first, later } of ROWS)
    it(`${first === null ? 'runs' : 'refuses'} when ${when}`, async () => {
      for (const [turn, expected] of [
        [1, first],
        [2, later],
      ] as const) {
        const said = await outcomeOf(change, turn);
        await close();
        close = () => Promise.resolve();
        if (expected === null || said === null) assert.equal(said, expected, `turn ${String(turn)}`);
        else assert.ok(said.startsWith(expected), `turn ${String(turn)}: ${said}`);
      }
    });
});
