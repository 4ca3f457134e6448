/** Workflows without Temporal: the real machine, the real rows and prompts, and activities that answer when told to. */
import assert from 'node:assert/strict';
import type { HomePorts } from '../../../src/activities/ports/home-ports.js';
import type { MachineEvent, RunEvent, Trigger } from '../../../src/domain/run/events.js';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import type { SubjectRef } from '../../../src/domain/forge/issue.js';
import { livingOf } from '../../../src/workflows/run/phase.js';
import { betweenLives } from '../../../src/workflows/run/beginnings.js';
import type { IssueState } from '../../../src/workflows/run/state.js';
import type { WorkflowGateway } from '../../../src/webhook/dispatch/gateway.js';
import { carryOut } from './played-workflow.js';
import type { Workflow } from './played-workflow.js';
import { observed, POLICY, settledTurn, turnResult, World } from '../machine/world.js';

export interface PlayedLife {
  readonly id: string;
  readonly slug: string;
  readonly trigger: Trigger;
  readonly startedAt: number;
  end: { readonly at: number; readonly why: string; readonly seenAt: number } | null;
}

export interface ToldPrompt {
  readonly slug: string;
  readonly turn: number;
  readonly text: string;
  /** When what it is made of began to be read. */
  readonly readFrom: number;
}

export interface PlayDeps {
  readonly ports: HomePorts;
  readonly openPr: (issue: number, branch: string) => number;
  readonly now: () => number;
}

const done = { id: 'd', status: 'success', summaryRef: 'r' } as const;

export class PlayedWorkflows implements WorkflowGateway {
  readonly running = new Map<string, Workflow>();
  readonly lives: PlayedLife[] = [];
  readonly prompts: ToldPrompt[] = [];

  constructor(private readonly deps: PlayDeps) {}

  signal(subject: SubjectRef, event: RunEvent): Promise<'delivered' | 'no_workflow'> {
    const workflow = this.running.get(workflowIdOf(subject));
    if (workflow === undefined) return Promise.resolve('no_workflow');
    this.#feed(workflow, event);
    return Promise.resolve('delivered');
  }

  signalWithStart(...[subject, event]: Parameters<WorkflowGateway['signalWithStart']>): Promise<void> {
    const id = workflowIdOf(subject);
    let workflow = this.running.get(id);
    if (workflow === undefined) {
      const world = new World(POLICY, subject);
      // Slugs of one issue differ from workflow to workflow.
      world.slugs = this.lives.length * 5;
      workflow = {
        id,
        world,
        rows: [],
        preparing: null,
        publish: true,
        stop: null,
        started: false,
        told: false,
      };
      this.running.set(id, workflow);
    }
    this.#feed(workflow, event);
    return Promise.resolve();
  }

  reachable(): Promise<boolean> {
    return Promise.resolve(true);
  }

  state(issue: number): IssueState | undefined {
    return [...this.running.values()].find(({ world }) => world.state.subject.number === issue)?.world.state;
  }

  /** What activities and local activities owe, as something to choose from. */
  owed(): [Workflow, 'claim' | 'prepare' | 'run' | 'settle' | 'destroy' | 'rows' | 'end'][] {
    return [...this.running.values()].flatMap((workflow): ReturnType<PlayedWorkflows['owed']> => {
      const { world, rows, preparing } = workflow;
      const is = (what: 'claim' | 'prepare' | 'run' | 'settle' | 'destroy'): boolean => world.owed.has(what);
      const kinds = (['claim', 'prepare', 'run', 'settle', 'destroy'] as const)
        .filter(is)
        .filter((what) => what !== 'prepare' || preparing?.outcome !== 'reading');
      return [
        ...kinds.map((what): [Workflow, typeof what] => [workflow, what]),
        ...(world.phase === 'destroyed' ? [[workflow, 'end'] as [Workflow, 'end']] : []),
        ...(rows.length > 0 ? [[workflow, 'rows'] as [Workflow, 'rows']] : []),
      ];
    });
  }

  /** One answer; resolves when what it reads has been read. @param flavour 0 to 15, 0 being the good end */
  async answer(choice: number, flavour: number): Promise<void> {
    const owed = this.owed();
    const picked = owed[choice % Math.max(1, owed.length)];
    if (picked === undefined) return;
    const [workflow, what] = picked;
    const { world } = workflow;
    const turn = world.turn.number;
    switch (what) {
      case 'claim':
        world.pay('claim');
        if (flavour === 15) {
          this.#feed(workflow, { kind: 'step_failed', step: 'claim', turn, reason: 'x' });
          return;
        }
        {
          this.#feed(workflow, { kind: 'host_claimed', host: 'h1' });
          return;
        }
      case 'prepare':
        return this.#prepare(workflow);
      case 'run':
        return this.#run(workflow, flavour);
      case 'settle': {
        this.#settle(workflow, flavour);
        return;
      }
      case 'destroy':
        this.#writeRows(workflow);
        world.pay('destroy');
        {
          this.#feed(workflow, { kind: 'destroyed' });
          return;
        }
      case 'rows': {
        this.#writeRows(workflow);
        return;
      }
      case 'end': {
        this.#end(workflow);
        return;
      }
    }
  }

  async #prepare(workflow: Workflow): Promise<void> {
    const { preparing, world } = workflow;
    if (preparing === null) throw new Error('nothing to prepare');
    if (preparing.outcome === 'asked') {
      this.#writeRows(workflow);
      preparing.outcome = 'reading';
      preparing.readFrom = this.deps.now();
      preparing.outcome = await preparing.begin().catch((error: unknown) => error as Error);
      return;
    }
    const turn = world.turn.number;
    const { outcome } = preparing;
    if (outcome === 'reading') return;
    world.pay('prepare');
    if (outcome instanceof Error) {
      this.#feed(workflow, { kind: 'step_failed', step: 'prepare', turn, reason: outcome.message });
      return;
    }
    this.#feed(workflow, { kind: 'prepare_ended', turn, outcome });
  }

  /** The agent has its prompt when the turn starts, whenever the workflow hears of that. */
  async #run(workflow: Workflow, flavour: number): Promise<void> {
    const { world } = workflow;
    const { slug, stage } = world.life;
    const turn = world.turn.number;
    if (flavour === 15 && !workflow.told) {
      world.pay('run');
      this.#feed(workflow, { kind: 'step_failed', step: 'run', turn, reason: 'x' });
      return;
    }
    if (!workflow.told) {
      workflow.told = true;
      assert.ok(stage.kind === 'running');
      const text = await this.deps.ports.blobs.getText(stage.prepared.promptRef);
      const readFrom = workflow.preparing?.readFrom ?? 0;
      this.prompts.push({ slug, turn, text, readFrom });
    }
    if (!workflow.started && flavour !== 14) {
      workflow.started = true;
      this.#feed(workflow, {
        kind: 'turn_started',
        slug,
        turn,
        at: this.deps.now(),
      });
      return;
    }
    world.pay('run');
    const { stop } = workflow;
    const exitCode = stop !== null ? 143 : flavour === 13 ? 1 : 0;
    const said = stop !== null || flavour > 10 ? null : done;
    this.#feed(workflow, {
      kind: 'turn_finished',
      turn,
      result: turnResult({ exitCode, stopped: stop, done: said }),
    });
  }

  #settle(workflow: Workflow, flavour: number): void {
    const { world, publish } = workflow;
    const { stage } = world.life;
    const turn = world.turn.number;
    world.pay('settle');
    assert.ok(stage.kind === 'settling');
    const { branch } = stage.prepared;
    const pr = publish && flavour % 2 === 0 ? this.deps.openPr(world.state.subject.number, branch) : null;
    const left = settledTurn(
      pr === null ? {} : { publish: { kind: 'published', pr, prUrl: 'u', head: 'h', created: true } },
    );
    this.#feed(workflow, { kind: 'settled', turn, settled: left });
  }

  #writeRows(workflow: Workflow): void {
    const { rows } = workflow;
    workflow.rows = [];
    // None of them waits before it has written.
    for (const write of rows) void write();
  }

  /** The last step of `issueWorkflow`. */
  #end(workflow: Workflow): void {
    const { world } = workflow;
    this.#writeRows(workflow);
    const next = world.state.pendingTrigger;
    if (next === null) {
      this.running.delete(workflow.id);
      return;
    }
    const { place } = world.state;
    assert.ok(place !== null);
    world.state = betweenLives(world.state);
    this.#feed(workflow, observed({ readAt: world.state.observedAt, trigger: next, place }));
  }

  #feed(workflow: Workflow, event: MachineEvent): void {
    const { world } = workflow;
    const before = livingOf(world.state);
    world.now = this.deps.now();
    const commands = world.feed(event);
    const { endedAt } = world.state;
    const life = livingOf(world.state);
    if (before !== null && before.slug !== life?.slug) {
      const closing = world.state.life?.closing ?? before.closing;
      const outcome = event.kind === 'prepare_ended' ? event.outcome : null;
      const why = outcome?.kind === 'refused' ? `refused: ${outcome.reason}` : (closing?.why ?? '');
      const played = this.lives.findLast(({ slug }) => slug === before.slug);
      if (played !== undefined) played.end = { at: endedAt, why, seenAt: this.deps.now() };
    }
    if (life !== null && before?.slug !== life.slug) {
      const { slug, trigger } = life;
      this.lives.push({ id: workflow.id, slug, trigger, startedAt: this.deps.now(), end: null });
    }
    for (const command of commands) carryOut(this.deps.ports, workflow, command);
  }
}
