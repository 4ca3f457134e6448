import assert from 'node:assert/strict';
import { prepareTurn } from '../../../src/activities/prepare/prepare-turn.js';
import type { AccessSettings } from '../../../src/domain/forge/access.js';
import type { Trigger } from '../../../src/domain/run/events.js';
import { agentsFrom } from '../../support/manifests/agents.js';
import { ACT_AT, MALLORY, SLUG, usePreparing } from '../../support/prepare/preparing.js';
import { ALICE, BOT, type FakeForge } from '../../support/webhook/fake-forge.js';

const LABEL = 'bot-bottle:coder';

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
  const preparing = usePreparing();

  async function outcomeOf(change: Row['change'], turn: number): Promise<string | null> {
    const { forge, database } = preparing;
    const { trigger } = preparing.input();
    const { access } = preparing.ports.settings;
    const world: World = { forge, trigger, access, knows: true, before: null };
    change(world);
    const ports = {
      ...preparing.ports,
      agents: agentsFrom(world.knows ? {} : { agent: () => Promise.resolve(undefined) }),
      settings: { ...preparing.ports.settings, access: world.access },
    };
    if (world.before !== null) {
      const { actAt, actId, destroyedAt } = world.before;
      const slug = SLUG.replace('abc12', 'older');
      await prepareTurn(ports, preparing.input({ slug }, { ...world.trigger, actAt, actId }));
      const row = await database.forgeState.ofRun(slug);
      assert.ok(row !== undefined);
      await database.forgeState.upsert({ ...row, status: 'destroyed', destroyedAt });
    }
    const cause = turn === 1 ? ({ kind: 'first' } as const) : ({ kind: 'retriggered' } as const);
    try {
      const outcome = await prepareTurn(ports, preparing.input({ turn, cause }, world.trigger));
      if (outcome.kind === 'ready') return null;
      if (outcome.kind !== 'refused') return outcome.kind;
      assert.deepEqual(await database.runs.turns(SLUG), [], 'a turn that does not run has no row');
      return outcome.reason;
    } catch (error) {
      return `error: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  for (const { when, change, first, later } of ROWS)
    for (const [turn, expected] of [
      [1, first],
      [2, later],
    ] as const)
      it(`${expected === null ? 'runs' : 'refuses'} turn ${String(turn)} when ${when}`, async () => {
        const said = await outcomeOf(change, turn);
        if (expected === null || said === null) assert.equal(said, expected);
        else assert.ok(said.startsWith(expected), said);
      });
});
