/** What each event does in each stage, tried on the machine itself and written down for people. */
import type { MachineEvent, OperatorCommand } from '../../../src/domain/run/events.js';
import type { MachineCommand } from '../../../src/workflows/run/commands.js';
import { phaseOf, reasonOf } from '../../../src/workflows/run/phase.js';
import type { IssueState } from '../../../src/workflows/run/state.js';
import { step } from '../../../src/workflows/run/step.js';
import { SHOWN } from './stages.js';
import {
  comment,
  failing,
  observed,
  PLACE,
  PREPARED,
  settledTurn,
  trigger,
  turnResult,
  wrote,
  type World,
} from './world.js';

const AT = 1_000_000;
const done = { id: 'e', status: 'success', summaryRef: 'r' } as const;
const command = (asked: OperatorCommand): MachineEvent => ({ kind: 'command', command: asked, at: AT });

/** One of each kind, of the run's own current turn. */
function eventsOf(world: World): readonly (readonly [string, MachineEvent])[] {
  const { slug } = world.life;
  const turn = world.turn.number;
  const own = { slug, turn } as const;
  return [
    ['observed: triggered later', observed({ readAt: AT, trigger: trigger(AT - 1) })],
    ['observed: no longer triggered', observed({ readAt: AT, triggered: false })],
    [
      'observed: issue and pull request closed',
      observed({
        readAt: AT,
        open: false,
        closedAt: AT,
        prs: [{ number: 13, open: false, merged: true, closedAt: AT }],
      }),
    ],
    ['issue_comment, pr_comment, pr_review, push', wrote(comment(9))],
    ['checks_failed, of its own last push', wrote(failing('h'))],
    ['comment_deleted', { ...wrote(), withdrawn: [9] }],
    ['unserved: its repository is', { kind: 'unserved', why: 'elsewhere' }],
    ['lost: its issue is gone', { kind: 'lost', readAt: AT, why: 'gone' }],
    ['freeze', command({ kind: 'freeze' })],
    ['resume', command({ kind: 'resume', promptRef: null })],
    ['done', command({ kind: 'done', status: 'success' })],
    ['extend', command({ kind: 'extend', ms: 1 })],
    ['budget', command({ kind: 'budget', turns: 1, tokens: 0, microUsd: 0, dayEnds: null })],
    ['destroy', command({ kind: 'destroy' })],
    ['move', command({ kind: 'move' })],
    ['paused: new turns are', { kind: 'paused', reason: 'paused' }],
    ['unpaused', { kind: 'unpaused' }],
    ['archive', { kind: 'archive', slug }],
    ['prepare_ended: ready', { kind: 'prepare_ended', turn, outcome: { kind: 'ready', prepared: PREPARED } }],
    [
      'prepare_ended: refused',
      { kind: 'prepare_ended', turn, outcome: { kind: 'refused', reason: 'not allowed' } },
    ],
    [
      'prepare_ended: nothing_left to tell',
      { kind: 'prepare_ended', turn, outcome: { kind: 'nothing_left' } },
    ],
    [
      'prepare_ended: over_budget, the day’s',
      { kind: 'prepare_ended', turn, outcome: { kind: 'over_budget', reason: 'spent', until: AT * 2 } },
    ],
    ['prepare_ended: paused', { kind: 'prepare_ended', turn, outcome: { kind: 'paused', reason: 'paused' } }],
    [
      'prepare_ended: moved, the repository',
      { kind: 'prepare_ended', turn, outcome: { kind: 'moved', place: { ...PLACE, repo: 'moved' } } },
    ],
    ['turn_started', { kind: 'turn_started', ...own, at: AT }],
    ['turn_held_up', { kind: 'turn_held_up', ...own, reason: 'no engine' }],
    ['signal_done', { kind: 'signal_done', ...own, done }],
    ['watchdog_fired', { kind: 'watchdog_fired', turn }],
    ['checkin_age: silent for too long', { kind: 'checkin_age', turn, ageMs: null }],
    ['history_full', { kind: 'history_full' }],
    ['host_silent', { kind: 'host_silent', turn, since: AT }],
    ['host_back', { kind: 'host_back', turn }],
    ['turn_lost', { kind: 'turn_lost', turn, reason: null }],
    ['turn_finished', { kind: 'turn_finished', turn, result: turnResult({ done }) }],
    ['settled', { kind: 'settled', turn, settled: settledTurn() }],
    [
      'step_failed: the one under way',
      { kind: 'step_failed', step: underWay(world), turn, reason: 'failed' },
    ],
    ['archive_ended', { kind: 'archive_ended', failure: null }],
    ['destroyed', { kind: 'destroyed' }],
    ['unread: a signal of nobody’s', { kind: 'unread', why: 'not understood' }],
  ];
}

function underWay({ life: { stage } }: World): Extract<MachineEvent, { kind: 'step_failed' }>['step'] {
  switch (stage.kind) {
    case 'running':
      return 'run';
    case 'settling':
      return 'settle';
    case 'destroying':
      return 'destroy';
    default:
      return 'prepare';
  }
}

export function stagesMarkdown(): string {
  const parts = Object.entries(SHOWN).map(([name, begin]) => {
    const world = begin();
    const rows = eventsOf(world).flatMap(([event, given]) => {
      const what = outcome(world.state, given);
      return what === null ? [] : [`| ${event} | ${what} |`];
    });
    const table = ['| event | what comes of it |', '| --- | --- |', ...rows];
    return [`## ${name}`, '', ...(rows.length === 0 ? ['Nothing.'] : table)].join('\n');
  });
  const head = [
    '# What each event does in each stage of a run',
    '',
    'Written by `npm run docs:stages` from the state machine ([`src/workflows/run`](../src/workflows/run)): each event was',
    'given to a run in that stage. What is not listed changes nothing there. After the arrow stands the phase that follows;',
    'in brackets what the machine then wants done, without the rows that it writes.',
  ];
  return [head.join('\n'), ...parts, ''].join('\n\n');
}

/** `null`: nothing. */
function outcome(state: IssueState, event: MachineEvent): string | null {
  const { state: next, commands } = step(state, event, { now: AT, random: () => 0.5, isFull: false });
  const wanted = commands.map(({ kind }) => kind).filter(isShown);
  const before = nameOf(state);
  const after = nameOf(next);
  if (before === after && wanted.length === 0)
    return JSON.stringify(lasting(state)) === JSON.stringify(lasting(next)) ? null : 'kept in mind';
  const went = before === after ? 'stays' : `→ ${after}`;
  return wanted.length === 0 ? went : `${went} (${wanted.map((kind) => `\`${kind}\``).join(', ')})`;
}

function isShown(kind: MachineCommand['kind']): boolean {
  return !kind.startsWith('record_') && !kind.startsWith('disarm_');
}

function nameOf(state: IssueState): string {
  const reason = reasonOf(state);
  return reason === null ? phaseOf(state) : `${phaseOf(state)}, ${reason}`;
}

/** What is known but for when it was read and what was noted. */
function lasting({ life, observedAt: _, ...rest }: IssueState): unknown {
  return { ...rest, life: life === null ? null : { ...life, timeline: life.timeline.length } };
}
