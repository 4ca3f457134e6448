/** A world without time or I/O around the pure machine: keeps what is in flight and checks what must always hold. */
import assert from 'node:assert/strict';
import type {
  PrepareTurnInput,
  RecordTurnInput,
  RunTurnInput,
} from '../../../src/activities/ports/inputs.js';
import type {
  MachineEvent,
  Observed,
  OperatorCommand,
  PreparedTurn,
  PrepareTurnOutcome,
  RunEvent,
  SettledTurn,
  Trigger,
  WakeReference,
} from '../../../src/domain/run/events.js';
import { localSubject, type Place, type SubjectRef } from '../../../src/domain/forge/issue.js';
import type { AgentOutcome } from '../../../src/domain/agent/agent-stream.js';
import { NO_USE, type ModelReport, type ModelTrouble } from '../../../src/domain/run/model-use.js';
import type { AgentReport, FrozenReason, PublishResult, TurnResult } from '../../../src/domain/run/turn.js';
import type { RunPolicy } from '../../../src/domain/run/run-policy.js';
import type { MachineCommand } from '../../../src/workflows/run/commands.js';
import { isQuiescent, phaseOf, reasonOf, type Phase } from '../../../src/workflows/run/phase.js';
import { betweenLives, initialState } from '../../../src/workflows/run/beginnings.js';
import type { Frozen, IssueState, Life, Turn } from '../../../src/workflows/run/state.js';
import { step } from '../../../src/workflows/run/step.js';

export const SUBJECT = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;
export const POLICY: RunPolicy = {
  hostSilentMs: 120_000,
  superviseHoldMs: 240_000,
  watchdogMs: 1_800_000,
  turnTimeoutMs: 3_600_000,
  doneGraceMs: 20_000,
  nudges: 1,
  wakesPerHour: 10,
  budget: { turns: 20, tokens: 1_000, microUsd: 5_000_000 },
  session: { turns: 12, tokens: 800 },
  resumeLimited: true,
  maxEvents: 30_000,
  maxSignals: 8_000,
};

/** What an agent says that has done its work. */
export const done = { id: 'd', status: 'success', summaryRef: 'r' } as const;
export const PUBLISHED = {
  kind: 'published',
  pr: 13,
  prUrl: 'u',
  head: 'h',
  created: true,
} as const satisfies PublishResult;

export const PREPARED: PreparedTurn = {
  promptRef: 'p',
  branch: 'bot-bottle/12-abcde',
  readKeys: [],
  provider: 'scripted',
  model: null,
  image: 'image',
  env: {},
  limits: { memoryBytes: 1, cpus: 1, pids: 1 },
  gitUser: { name: 'bot', email: 'bot@example.org' },
  baseBranches: [],
  bottleNames: ['default'],
  allowPaths: [],
  drafts: false,
  bottleRef: 'b',
};

export function trigger(actAt: number, change: Partial<Trigger> = {}): Trigger {
  return {
    agent: 'implementer',
    bottles: [],
    actor: 'alice',
    actAt,
    actId: 0,
    textHash: '',
    pull: null,
    ...change,
  };
}

export function comment(id: number): WakeReference {
  return {
    key: `comment:${String(id)}:x`,
    kind: 'comment',
    number: 12,
    id,
    sha: '',
    author: 'alice',
    at: id,
  };
}

/** Checks that fail on a commit. @param names of them, as the key has them */
export function failing(sha: string, names = 'x'): WakeReference {
  return { key: `checks:${sha}:${names}`, kind: 'checks', number: 13, id: 0, sha, author: '', at: 1 };
}

export const PLACE: Place = { repoId: 7, owner: 'alice', repo: 'demo' };

/** What people wrote, as the dispatcher tells it. */
export function wrote(...references: readonly WakeReference[]): Extract<RunEvent, { kind: 'references' }> {
  return { kind: 'references', references, withdrawn: [], place: PLACE };
}

export function observed(change: Partial<Observed> & { readonly readAt: number }): Observed {
  return {
    kind: 'observed',
    open: true,
    closedAt: null,
    triggered: true,
    trigger: null,
    prs: [],
    place: PLACE,
    ...change,
  };
}

export function turnResult(change: Partial<TurnResult> = {}): TurnResult {
  return {
    exitCode: 0,
    done: null,
    stopped: null,
    startedAt: 1,
    finishedAt: 2,
    lastCheckinAt: 2,
    sidecarRestarts: 0,
    baseSha: 'b',
    sessionId: 's',
    imageId: 'i',
    limit: null,
    setAside: null,
    agent: agentReport('finished'),
    model: null,
    operationsRef: null,
    egressRef: null,
    ...change,
  };
}

/** What the credential proxy metered. */
export function modelReport(tokens: number, usd = 0, trouble: ModelTrouble | null = null): ModelReport {
  return { use: { ...NO_USE, requests: 1, inputTokens: tokens, microUsd: usd * 1e6 }, trouble };
}

export function agentReport(outcome: AgentOutcome): AgentReport {
  return { outcome, errorRef: null, reported: null, toolCalls: 0, denials: 0 };
}

export function settledTurn(change: Partial<SettledTurn> = {}): SettledTurn {
  return {
    publish: { kind: 'nothing', reason: '' },
    stuck: false,
    stuckHash: null,
    uncommitted: 0,
    uncommittedRef: null,
    head: 'h',
    transcriptHash: 't',
    ...change,
  };
}

export function ids<T>(of: readonly { readonly id: T }[]): T[] {
  return of.map(({ id }) => id);
}

export function kinds(commands: readonly MachineCommand[]): string[] {
  return commands.map(({ kind }) => kind);
}

type StepFailed = Extract<MachineEvent, { kind: 'step_failed' }>;

/** What the executor of commands owes the machine. */
type Owed = 'claim' | 'prepare' | 'run' | 'settle' | 'archive' | 'destroy' | 'watchdog' | 'resume';

export class World {
  state: IssueState;
  now = 1_000_000;
  /** The history of this execution is. */
  isFull = false;
  readonly owed = new Map<Owed, MachineCommand>();
  /** Turns whose last check-in is being asked for: only read, so it may still be under way when the turn is over. */
  readonly checkins: number[] = [];
  /** What was under way on a host that was left. */
  readonly left: { readonly what: 'run' | 'settle'; readonly turn: number }[] = [];
  readonly ran: string[] = [];
  readonly delivered: string[] = [];
  /** Of proposals. */
  readonly rows = new Set<string>();
  readonly commands: MachineCommand[] = [];
  stopsThisTurn = 0;
  slugs = 0;
  fed = 0;
  /** What the run's row says why it rests. */
  private recorded: FrozenReason | null = null;

  constructor(policy: RunPolicy = POLICY, subject: SubjectRef = SUBJECT) {
    this.state = initialState(subject, policy);
  }

  get phase(): Phase {
    return phaseOf(this.state);
  }

  get reason(): FrozenReason | null {
    return reasonOf(this.state);
  }

  /** The one that goes on, or that has just ended. */
  get life(): Life {
    const { life } = this.state;
    assert.ok(life !== null, 'no life has begun');
    return life;
  }

  get turn(): Turn {
    return this.life.turn;
  }

  /** What the turn is being prepared with. */
  get preparing(): PrepareTurnInput {
    const command = this.owed.get('prepare');
    assert.ok(command?.kind === 'prepare_turn', `no turn is prepared: ${this.phase}, ${String(this.reason)}`);
    return command.input;
  }

  /** What the turn is run with. */
  get atWork(): RunTurnInput {
    const command = this.owed.get('run');
    assert.ok(command?.kind === 'run_turn' || command?.kind === 'attach_turn', `no turn runs: ${this.phase}`);
    return command.input;
  }

  /** Rows of turns that have ended. */
  get turnRows(): RecordTurnInput[] {
    return this.commands.flatMap((one) => (one.kind === 'record_turn' ? [one.input] : []));
  }

  get frozen(): Frozen {
    const { stage } = this.life;
    assert.ok(stage.kind === 'frozen', `not frozen: ${stage.kind}`);
    return stage;
  }

  /** What the machine wants done; rows of operators' acts are in `commands` only. */
  feed(event: MachineEvent): MachineCommand[] {
    this.fed += 1;
    const { state, commands } = step(deepFrozen(this.state), event, {
      now: this.now,
      random: () => ((this.slugs += 1) % 36) / 36,
      isFull: this.isFull,
    });
    this.state = state;
    for (const command of commands) this.take(command);
    const sleeps = state.life?.stage.kind === 'frozen' && state.life.stage.resumeAt !== null;
    if (!this.isFull)
      assert.equal(this.owed.has('resume'), sleeps, 'a timer for whoever sleeps, and for nobody else');
    if (this.phase === 'frozen') assert.equal(this.recorded, this.reason, 'the row says why it is frozen');
    if (state.life !== null) saysSomething(state.life);
    return commands.filter(({ kind }) => kind !== 'record_command');
  }

  /** An operator says so. */
  command(command: OperatorCommand): MachineCommand[] {
    return this.feed({ kind: 'command', command, at: this.now });
  }

  private take(command: MachineCommand): void {
    this.commands.push(command);
    switch (command.kind) {
      case 'leave_host': {
        // Whoever did it may still say what came of it.
        const { number: turn } = this.turn;
        for (const what of ['run', 'settle'] as const)
          if (this.owed.delete(what)) this.left.push({ what, turn });
        return;
      }
      case 'claim_host':
        return this.owe('claim', command);
      case 'prepare_turn':
        return this.owe('prepare', command);
      case 'run_turn': {
        const key = `${command.input.slug}/${String(command.input.turn)}`;
        assert.ok(!this.ran.includes(key), `turn ${key} was run twice`);
        assert.ok(!this.owed.has('archive'), 'run while its containers are put away');
        assert.ok(!this.owed.has('settle') && !this.owed.has('destroy') && !this.owed.has('prepare'));
        this.ran.push(key);
        this.stopsThisTurn = 0;
        return this.owe('run', command);
      }
      case 'attach_turn':
        assert.ok(!this.owed.has('run'), 'attached while another watcher is there');
        return this.owe('run', command);
      case 'stop_turn':
        this.stopsThisTurn += 1;
        assert.equal(this.stopsThisTurn, 1, 'a turn is stopped once');
        return;
      case 'settle_turn':
        return this.owe('settle', command);
      case 'archive': {
        const underWay = [...this.owed.keys()].filter((what) => what !== 'resume');
        assert.deepEqual(underWay, [], 'put away under what goes on');
        assert.equal(this.phase, 'frozen');
        return this.owe('archive', command);
      }
      case 'destroy':
        assert.ok(!this.owed.has('archive'), 'destroyed while its containers are put away');
        assert.ok(!this.owed.has('run') && !this.owed.has('settle'), 'destroyed under a running turn');
        return this.owe('destroy', command);
      case 'arm_watchdog':
        return void this.owed.set('watchdog', command);
      case 'disarm_watchdog':
        return void this.owed.delete('watchdog');
      case 'arm_resume':
        return void this.owed.set('resume', command);
      case 'disarm_resume':
        return void this.owed.delete('resume');
      case 'record_turn':
      case 'record_state':
        this.recorded = command.input.snapshot.reason;
        return;
      case 'record_proposal':
      case 'record_decision': {
        const { slug } = command.input;
        const id = command.kind === 'record_proposal' ? command.input.proposal.id : command.input.decision.id;
        const row = `${command.kind} ${slug}/${id}`;
        assert.ok(!this.rows.has(row), `${row} twice`);
        if (command.kind === 'record_decision')
          assert.ok(this.rows.has(`record_proposal ${slug}/${id}`), `${row}, which nobody proposed`);
        this.rows.add(row);
        return;
      }
      case 'apply_change':
        assert.equal(this.phase, 'running', 'applied to a bottle that runs');
        return;
      case 'rebuild_image':
        assert.ok(this.rows.has(`record_proposal ${command.input.slug}/${command.id}`), 'nobody proposed it');
        assert.ok(!this.rows.has(`record_decision ${command.input.slug}/${command.id}`), 'it is decided');
        return;
      case 'ask_checkin':
        assert.ok(!this.checkins.includes(command.run.turn), 'asked twice at once');
        return void this.checkins.push(command.run.turn);
      default:
        return;
    }
  }

  private owe(what: Owed, command: MachineCommand): void {
    if (what !== 'claim') assert.ok(!this.owed.has(what), `${what} asked for twice at once`);
    this.owed.set(what, command);
  }

  pay(what: Owed): boolean {
    return this.owed.delete(what);
  }

  /** Claims and prepares, and says that the agent started. */
  start(extras: Partial<PreparedTurn> = {}): void {
    this.prepare(extras);
    this.started();
  }

  prepare(extras: Partial<PreparedTurn> = {}): void {
    if (this.owed.has('claim')) this.claimed();
    if (this.owed.has('prepare')) this.prepareEnds({ kind: 'ready', prepared: { ...PREPARED, ...extras } });
  }

  /** @param holds as the event has it */
  claimed(host = 'h1', holds?: number): MachineCommand[] {
    assert.ok(this.pay('claim'));
    return this.feed({ kind: 'host_claimed', host, ...(holds === undefined ? {} : { holds }) });
  }

  prepareEnds(outcome: PrepareTurnOutcome): MachineCommand[] {
    assert.ok(this.pay('prepare'));
    return this.feed({ kind: 'prepare_ended', turn: this.turn.number, outcome });
  }

  started(): void {
    this.told();
    this.feed({
      kind: 'turn_started',
      slug: this.life.slug,
      turn: this.turn.number,
      at: this.now,
    });
  }

  /** The agent has its prompt. */
  private told(): void {
    this.delivered.push(...this.turn.taken.map((reference) => reference.key));
  }

  /** @returns false when nobody asked */
  answerCheckin(ageMs: number | null): boolean {
    const turn = this.checkins.shift();
    if (turn === undefined) return false;
    this.feed({ kind: 'checkin_age', turn, ageMs });
    return true;
  }

  /** The news that it started may come too late, or not at all. */
  finish(result: Partial<TurnResult> = {}): void {
    assert.ok(this.pay('run'));
    this.told();
    this.feed({ kind: 'turn_finished', turn: this.turn.number, result: turnResult(result) });
  }

  settle(left: Partial<SettledTurn> = {}): MachineCommand[] {
    assert.ok(this.pay('settle'));
    return this.feed({ kind: 'settled', turn: this.turn.number, settled: settledTurn(left) });
  }

  /** The agent exits, and what it left is collected. */
  endTurn(result: Partial<TurnResult> = {}, left: Partial<SettledTurn> = {}): void {
    this.finish(result);
    this.settle(left);
  }

  /** A step that is under way fails for good. */
  fail(step: StepFailed['step'], reason = 'x'): MachineCommand[] {
    assert.ok(this.pay(step), `no ${step} is under way`);
    return this.feed({ kind: 'step_failed', step, turn: this.turn.number, reason });
  }

  /** What the turn was to be for is gone from the forge. */
  nothingLeft(): void {
    this.prepareEnds({ kind: 'nothing_left' });
  }

  archived(): void {
    assert.ok(this.pay('archive'));
    this.feed({ kind: 'archive_ended', failure: null });
  }

  destroyed(): void {
    assert.ok(this.pay('destroy'));
    this.feed({ kind: 'destroyed' });
  }

  /** What the workflow does when a life has ended and a later trigger waits. */
  continueIntoNextLife(): void {
    const next = this.state.pendingTrigger;
    assert.ok(next !== null);
    this.state = betweenLives(this.state);
    // What was asked is of the execution that has ended.
    this.checkins.length = 0;
    this.feed(observed({ readAt: this.state.observedAt, trigger: next }));
  }

  /** The next execution begins, and arms what sleeps. */
  continueAsNew(): void {
    assert.ok(isQuiescent(this.state), 'its history is cut under what goes on');
    this.isFull = false;
    const { resumeAt } = this.frozen;
    if (resumeAt !== null) this.take({ kind: 'arm_resume', at: resumeAt });
  }

  /** The time that the run sleeps to has come. */
  due(): MachineCommand[] {
    const timer = this.owed.get('resume');
    assert.ok(timer?.kind === 'arm_resume', 'no timer runs');
    this.pay('resume');
    this.now = timer.at;
    return this.feed({ kind: 'resume_due', at: timer.at });
  }

  /** A turn from its preparation to its end, with what it used and left. */
  liveTurn(result: Partial<TurnResult> = {}, left: Partial<SettledTurn> = {}): void {
    this.start();
    this.endTurn(result, left);
  }

  /** A run whose first turn is being prepared. */
  static triggered(policy: RunPolicy = POLICY): World {
    const world = new World(policy);
    world.feed(observed({ readAt: 10, trigger: trigger(5) }));
    return world;
  }

  /** A run without an issue, whose first turn is being prepared. */
  static local(): World {
    const subject = localSubject('coder-demo-local-abcde');
    const world = new World(POLICY, subject);
    const source = { forge: 'gitea', owner: 'alice', repo: 'demo' } as const;
    const asked = trigger(5, { actor: '', operator: { promptRef: 'p', source } });
    const place = { repoId: 0, owner: subject.owner, repo: subject.repo };
    world.feed(observed({ readAt: 10, trigger: asked, place }));
    return world;
  }

  /** A run that is frozen after a successful first turn with a PR. */
  static frozenDone(): World {
    const world = World.triggered();
    world.liveTurn({ done }, { publish: PUBLISHED });
    return world;
  }

  /** The same, whose second turn is being prepared for a comment. */
  static woken(): World {
    const world = World.frozenDone();
    world.feed(wrote(comment(1)));
    return world;
  }
}

/** What people read of a run is never empty. */
function saysSomething({ timeline, detail, closing, turn }: Life): void {
  const said = [...timeline.map(({ what }) => what), detail, closing?.why, turn.pauseReason];
  assert.ok(!said.includes(''), `nothing is said: ${JSON.stringify(said)}`);
}

/** The machine must not change the state it is given: trying to would throw. */
function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(deepFrozen);
  return Object.freeze(value);
}
