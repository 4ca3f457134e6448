import { setTimeout as delay } from 'node:timers/promises';
import type { DiskUsage } from '../../domain/bottle/disk-usage.js';
import type { EgressTotals } from '../../domain/egress/totals.js';
import { CONTAINER_GONE, type StopReason, type TurnResult } from '../../domain/run/turn.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import { offerHosts } from '../supervise/offer-hosts.js';
import type { StreamReader } from '../../domain/agent/agent-stream.js';
import { agentReport, sessionOf } from './agent-report.js';
import { agentRuns } from './ask-agent.js';
import { eitherSignal } from '../../domain/base/abort-with.js';
import { keepBundle } from './bundle-keeper.js';
import { guardDisk } from './guard-disk.js';
import { isGone } from '../base/is-gone.js';
import { readEgress } from './egress-record.js';
import { limitHit } from './limit-hit.js';
import { pumpLogs } from './log-pump.js';
import { Relay } from './relay.js';
import type { TurnJournal } from './turn-journal.js';
import { untilTimeIsOver } from './turn-limit.js';
import { untilDelivered } from './until-delivered.js';

/** Seconds between SIGTERM and SIGKILL when the orchestrator ends a turn. */
const STOP_GRACE_S = 5;
/** As above, for an agent that fills the disk meanwhile. */
const FULL_DISK_GRACE_S = 1;
/** Seconds the bundle gets to flush its operation log. */
const BUNDLE_GRACE_S = 3;
const RETRY_MS = 500;
/** How long the turn's end waits for the workflow to hear of `signal_done`, milliseconds. */
const SAY_MS = 10_000;
/** A CLI whose model is refused because the budget is used up may end by itself for so long, milliseconds. */
const OVER_BUDGET_GRACE_MS = 10_000;

/** What the activity around a turn tells it. */
export interface TurnLink {
  /** Leave the containers running and stop watching. */
  readonly detach: AbortSignal;
  /** Stop the agent: the workflow asked for it. */
  readonly stop: AbortSignal;
  /** The turn has begun; from now on this is what is known of it. */
  readonly onBegun: (journal: Pick<TurnJournal, 'record'>) => void;
}

/** A turn that has begun, watched to its end. */
export class TurnWatch {
  private readonly over = new AbortController();
  /** Nothing is said of this turn any more. */
  private readonly reported = new AbortController();
  private readonly relay: Relay;
  private readonly reader: StreamReader;
  private readonly logs: Promise<void>;
  private readonly helpers: Promise<unknown>[] = [];
  private readonly timers: NodeJS.Timeout[] = [];
  private stopping: Promise<void> | undefined;
  private isLeaving = false;
  /** The workflow hears of `signal_done` before it hears of the turn's end. */
  private saying: Promise<void> = Promise.resolve();

  constructor(
    private readonly ports: HostPorts,
    private readonly input: RunTurnInput,
    private readonly journal: TurnJournal,
    private readonly link: TurnLink,
    usedBefore: DiskUsage,
  ) {
    const signal = eitherSignal(this.over.signal, link.detach);
    const onSetAside = (): void => void this.stop(null, STOP_GRACE_S);
    this.relay = new Relay(ports, input, journal, {
      onDone: () => {
        this.afterDone();
      },
      onFlood: () => {
        void this.stop('queue_flood', STOP_GRACE_S);
      },
      onOverBudget: () => {
        this.afterBudget();
      },
      onSetAside,
    });
    this.reader = ports.provider(input.prepared.provider).reader();
    // What has killed a worker and is read again comes before any message, or that would be blamed, too.
    let onCaughtUp = (): void => undefined;
    const caughtUp = new Promise<void>((resolve) => (onCaughtUp = resolve));
    const pumpLink = { signal: link.detach, onCaughtUp, onSetAside };
    this.logs = pumpLogs(ports, input, journal, this.reader, pumpLink);
    // Whoever ends the turn sees it; nobody may be waiting yet.
    this.logs.catch(() => undefined);
    this.helpers.push(
      this.announce(signal),
      caughtUp.then(() => this.relay.run(signal)),
      keepBundle(ports, input, journal, signal, () => caughtUp.then(() => this.relay.drain(signal))).then(
        (end) => (end === 'gave_up' ? this.stopIfRunning('sidecar_died', signal) : undefined),
      ),
      untilTimeIsOver(ports, input, journal, () => this.relay.isHeld, signal).then(() =>
        this.stopIfRunning('timeout', signal),
      ),
      guardDisk(ports, input, journal, {
        usedBefore: journal.resumed ? null : usedBefore,
        signal,
        onOver: (detail) => void this.stop('disk', FULL_DISK_GRACE_S, detail),
      }),
    );
    if (journal.record.setAside !== null) void this.stop(null, STOP_GRACE_S);
    if (journal.record.done !== null) this.afterDone();
    // Said to a worker that is no more.
    this.helpers.push(
      readEgress(ports.files, input.slug, input.turn).then(
        ({ model }) => {
          if (model?.trouble?.kind === 'over_budget') this.afterBudget();
        },
        (error: unknown) => {
          ports.log.warn({ slug: input.slug, err: error }, 'what the sidecars counted could not be read');
        },
      ),
    );
    if (input.stop !== null) void this.stop(input.stop, STOP_GRACE_S);
    if (link.stop.aborted) void this.stop(null, STOP_GRACE_S);
    link.stop.addEventListener('abort', () => void this.stop(null, STOP_GRACE_S), {
      signal: this.over.signal,
    });
  }

  /** Resolves when the agent's container has exited; rejects with the detach signal's reason. */
  async untilExit(): Promise<void> {
    const { slug } = this.input;
    try {
      for (;;) {
        try {
          await this.ports.runtime.waitForExit(slug, 'agent', this.link.detach);
          return;
        } catch (error) {
          this.link.detach.throwIfAborted();
          if (await isGone(this.ports.runtime, slug, 'agent')) return;
          this.ports.log.warn({ slug, err: error }, 'the agent could not be watched; trying again');
          await delay(RETRY_MS);
        }
      }
    } finally {
      for (const timer of this.timers) clearTimeout(timer);
      this.over.abort();
      await Promise.allSettled(this.helpers);
      if (this.link.detach.aborted) await this.logs.catch(() => undefined);
    }
  }

  async finish(): Promise<TurnResult> {
    const { ports, journal } = this;
    const { slug, turn } = this.input;
    const [state] = await Promise.all([
      ports.runtime.inspect(slug, 'agent'),
      this.logs,
      stopBundle(ports, slug),
    ]);
    // The agent's exit must not overtake its own `signal_done`.
    await this.relay.drainToEmpty(this.link.detach);
    // The result says it, too: an orchestrator that cannot be told now does not hold the turn's end up.
    await Promise.race([this.saying, delay(SAY_MS, undefined, { ref: false })]);
    this.reported.abort();
    this.link.detach.throwIfAborted();
    await Promise.all([ports.files.dropSecrets(slug), ports.files.dropTurnInput(slug)]);
    const operations = await ports.files.readOperations(slug, turn);
    const egress = await readEgress(ports.files, slug, turn);
    const { record } = journal;
    const exitCode = state?.exitCode ?? CONTAINER_GONE;
    const summary = this.reader.summary(exitCode, this.isStopped);
    const agent = await agentReport(ports, this.input, journal, summary);
    const isOverBudget = egress.model?.trouble?.kind === 'over_budget' && record.done === null;
    await journal.decide({ stopped: record.stopped ?? (isOverBudget ? 'budget' : null) });
    const { stopped } = journal.record;
    const done = record.done === null ? null : await this.doneOf(record.done);
    return {
      exitCode,
      done,
      stopped,
      // A container that is gone took its times along.
      startedAt: Date.parse(state?.startedAt ?? '') || ports.clock.now(),
      finishedAt: Date.parse(state?.finishedAt ?? '') || ports.clock.now(),
      lastCheckinAt: record.lastCheckinAt,
      sidecarRestarts: record.sidecarRestarts,
      baseSha: record.baseSha ?? '',
      sessionId: sessionOf(this.input, record, summary, exitCode),
      imageId: state?.imageId ?? '',
      limit: limitHit(stopped, record.stopDetail, state, this.input.prepared.limits),
      setAside: record.setAside,
      agent,
      model: egress.model,
      operationsRef: operations === '' ? null : await ports.blobs.put(operations),
      egressRef: isNothing(egress) ? null : await ports.blobs.put(JSON.stringify(egress)),
      offers: await offerHosts(ports, this.input, egress.refusals),
    };
  }

  /** By us: also when it lingered after it had said that it was done. */
  private get isStopped(): boolean {
    const { stopped, done } = this.journal.record;
    return stopped !== null || done !== null || this.stopping !== undefined;
  }

  private async announce(signal: AbortSignal): Promise<void> {
    const { workflowId, slug, turn } = this.input;
    const { lost } = this.journal.record;
    await untilDelivered(signal, () =>
      this.ports.channel.tell(workflowId, {
        kind: 'turn_started',
        slug,
        turn,
        at: this.ports.clock.now(),
        ...(lost.length === 0 ? {} : { lost }),
      }),
    );
  }

  /** The agent may exit by itself; after the grace it is stopped. */
  private afterDone(): void {
    this.saying = this.sayDone();
    this.saying.catch(() => undefined);
    if (this.over.signal.aborted) return;
    const { doneGraceMs } = this.input;
    const since = this.ports.clock.now() - (this.journal.record.done?.at ?? 0);
    this.timers.push(setTimeout(() => void this.stop(null, STOP_GRACE_S), Math.max(0, doneGraceMs - since)));
  }

  /** One that said that it was done has what it needed. */
  private afterBudget(): void {
    if (this.isLeaving || this.journal.record.done !== null) return;
    this.isLeaving = true;
    this.timers.push(
      setTimeout(() => {
        if (this.journal.record.done === null) void this.stop('budget', STOP_GRACE_S);
      }, OVER_BUDGET_GRACE_MS),
    );
  }

  private async sayDone(): Promise<void> {
    const { workflowId, slug, turn } = this.input;
    const { done } = this.journal.record;
    if (done === null) return;
    const said = await this.doneOf(done);
    await untilDelivered(eitherSignal(this.link.detach, this.reported.signal), () =>
      this.ports.channel.tell(workflowId, { kind: 'signal_done', slug, turn, done: said }),
    );
  }

  private async doneOf(done: {
    id: string;
    status: 'success' | 'blocked' | 'failed';
    summary: string;
  }): Promise<NonNullable<TurnResult['done']>> {
    return { id: done.id, status: done.status, summaryRef: await this.ports.blobs.put(done.summary) };
  }

  /** Nobody may have watched for long: an agent that has ended meanwhile, by itself or with its machine, ended for no reason of ours. */
  private async stopIfRunning(reason: StopReason, signal: AbortSignal): Promise<void> {
    if (await agentRuns(this.ports, this.input.slug, signal)) await this.stop(reason, STOP_GRACE_S);
  }

  /** The first reason stands. Tried until the engine has taken it. Never rejects: nobody waits for it. */
  private stop(
    reason: StopReason | null,
    graceSeconds: number,
    stopDetail: string | null = null,
  ): Promise<void> {
    const { slug } = this.input;
    this.stopping ??= (async () => {
      if (reason !== null && this.journal.record.stopped === null)
        // On a full disk the agent is stopped all the same; the turn's end writes the reason again.
        await this.journal.decide({ stopped: reason, stopDetail }).catch((error: unknown) => {
          this.ports.log.warn({ slug, err: error }, 'why a turn is stopped could not be noted yet');
        });
      await untilDelivered(this.over.signal, () => this.ports.runtime.stop(slug, 'agent', graceSeconds));
    })();
    return this.stopping;
  }
}

function isNothing({ hosts, refusals }: EgressTotals): boolean {
  return hosts.length === 0 && refusals.length === 0;
}

export async function stopBundle(ports: HostPorts, slug: string): Promise<void> {
  await ports.runtime.stop(slug, 'bundle', BUNDLE_GRACE_S);
}
