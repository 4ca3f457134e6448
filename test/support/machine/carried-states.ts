/** What executions hand to the next ones, as files: a state of each version that runs may still have. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { betweenLives } from '../../../src/workflows/run/beginnings.js';
import type { IssueState } from '../../../src/workflows/run/state.js';
import { STATE_VERSION, type IssueWorkflowInput } from '../../../src/workflows/version.js';
import { decide, ID, propose, proposing } from './proposing.js';
import { after } from './stages.js';
import { comment, done, observed, POLICY, PUBLISHED, SUBJECT, trigger, World, wrote } from './world.js';

const DIRECTORY = fileURLToPath(new URL('../../states/', import.meta.url));

interface CarriedState {
  /** `<version>/<name>` */
  readonly name: string;
  readonly input: { readonly v: number; readonly policy: object; readonly carried: object };
}

export function savedStates(): readonly CarriedState[] {
  const files = readdirSync(DIRECTORY, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({
      name: file.replace('.json', ''),
      input: JSON.parse(readFileSync(`${DIRECTORY}${file}`, 'utf8')) as CarriedState['input'],
    }));
}

/** As of this version. What a version has recorded stays as it is: another shape is another version. */
export function saveStates(): void {
  const directory = `${DIRECTORY}${String(STATE_VERSION)}`;
  if (existsSync(directory)) return;
  mkdirSync(directory);
  for (const { name, input } of statesOfToday())
    writeFileSync(`${DIRECTORY}${name}.json`, `${JSON.stringify(input, null, 1)}\n`);
}

/** What the program carries now, at each kind of rest. */
export function statesOfToday(): readonly { readonly name: string; readonly input: IssueWorkflowInput }[] {
  return Object.entries(RESTS).map(([name, rest]) => {
    const input = { v: STATE_VERSION, subject: SUBJECT, policy: POLICY, carried: rest() } as const;
    return {
      name: `${String(STATE_VERSION)}/${name}`,
      input: JSON.parse(JSON.stringify(input)) as IssueWorkflowInput,
    };
  });
}

const RESTS: Readonly<Record<string, () => IssueState>> = {
  frozen: () => World.frozenDone().state,
  // Its next turn waits for the day's budget.
  asleep: () => {
    const world = World.woken();
    world.pay('prepare');
    return after(world, {
      kind: 'prepare_ended',
      turn: 2,
      outcome: { kind: 'over_budget', reason: 'of the day', until: 9_000_000 },
    }).state;
  },
  // One is decided, in effect and told; the other waits.
  proposals: () => {
    const world = proposing();
    decide(world, '2'.repeat(64));
    after(world, { kind: 'change_applied', id: ID }, { kind: 'proposal_told', id: ID });
    propose(world, { id: 'b'.repeat(32) });
    world.endTurn({ done }, { publish: PUBLISHED });
    return world.state;
  },
  'between-lives': () => {
    const world = World.frozenDone();
    after(world, { kind: 'lost', readAt: 20_000, why: 'closed' });
    world.feed(observed({ readAt: 40_000, trigger: trigger(30_000) }));
    world.destroyed();
    world.feed(wrote(comment(30_000)));
    return betweenLives(world.state);
  },
};
