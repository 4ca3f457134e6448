import { steadyOf } from '../../domain/base/clock.js';
import { OneByOne } from '../../domain/base/one-by-one.js';
import { BotBottleError } from '../../domain/base/errors.js';
import type { DecisionAnswer, PublishAnswer, QueueMessage } from '../../domain/run/queue.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import { proposeChange, type MadeProposal, type ProposalMessage } from '../supervise/propose-change.js';
import { messageWork } from '../base/work-of-run.js';
import type { TurnJournal } from './turn-journal.js';
import { untilAborted } from './until-aborted.js';
import { untilDelivered } from './until-delivered.js';

export type ProposalCall = QueueMessage & { readonly body: ProposalMessage };
/**
 * No turn is held for longer: the run holds each proposal once, but a sidecar that was taken over sends what it likes, and the run may
 * not answer. As long as 26 proposals that are held for the longest `SUPERVISE_HOLD`.
 */
const MOST_HELD_MS = 4 * 60 * 60_000;

type Answer = DecisionAnswer | Extract<PublishAnswer, { kind: 'refused' }>;

/**
 * The agent's calls that wait for an operator [S2]: each is passed on to the run, held, and answered. While one is held the agent
 * is neither silent nor using up its turn.
 */
export class ProposalCalls {
  private readonly held = new Map<string, Promise<void>>();
  private readonly over = new AbortController();
  /** By the steady clock: a machine's sleep is counted by whoever minds the turn's limit. */
  private countedAt = 0;
  private readonly making = new OneByOne();

  constructor(
    private readonly ports: HostPorts,
    private readonly input: RunTurnInput,
    private readonly journal: TurnJournal,
    private readonly acknowledge: (message: QueueMessage) => Promise<void>,
  ) {}

  start(message: ProposalCall, signal: AbortSignal): void {
    if (this.held.has(message.id)) return;
    const work = this.carry(message, signal).finally(() => {
      this.count();
      this.held.delete(message.id);
    });
    work.catch(() => undefined);
    if (this.held.size === 0) this.countedAt = steadyOf(this.ports.clock);
    this.held.set(message.id, work);
  }

  get size(): number {
    return this.held.size;
  }

  /** Counts the time for which the agent was held since the last time. */
  count(): void {
    if (this.held.size === 0) return;
    const now = steadyOf(this.ports.clock);
    const ms = Math.min(now - this.countedAt, this.mayBeHeld);
    this.countedAt = now;
    if (ms <= 0) return;
    this.journal.ask(ms);
    this.journal.checkIn();
  }

  /** And that counts: an agent that was held for as long as a turn may be is at work, whatever it waits for. */
  get areHeld(): boolean {
    return this.held.size > 0 && this.mayBeHeld > 0;
  }

  private get mayBeHeld(): number {
    return MOST_HELD_MS - this.journal.record.askedMs;
  }

  /** The agent is gone: what it proposed still reaches the run, and nobody waits for the answer. */
  end(): void {
    this.over.abort();
  }

  async untilPassedOn(): Promise<void> {
    await Promise.all(this.held.values());
  }

  private async carry(message: ProposalCall, signal: AbortSignal): Promise<void> {
    const { slug } = this.input;
    await untilDelivered(
      signal,
      async () => {
        const result = await this.answerTo(message);
        if (result !== null) await this.ports.queue.answer(slug, { requestId: message.id, result });
        await this.acknowledge(message);
      },
      (error) => {
        const fields = { slug, request: message.id, err: error };
        this.ports.log.warn(fields, 'a proposal was not answered yet; trying again');
      },
    );
  }

  /** `null`: nobody waits for it any more. */
  private async answerTo(message: ProposalCall): Promise<Answer | null> {
    const { ports, input } = this;
    const made = await this.make(message).catch((error: unknown) => {
      if (!(error instanceof BotBottleError) || error.retryable) throw error;
      return { kind: 'refused', reason: error.message } as const;
    });
    if (made.kind === 'refused') return made;
    const passedOn = await ports.channel.propose(input.workflowId, message.id, made.request);
    const outcome = await Promise.race([passedOn.outcome(), untilAborted(this.over.signal)]);
    if (outcome === undefined) return null;
    if ('reason' in outcome) return outcome;
    const { id, status, notesRef } = outcome;
    const notes = notesRef === null ? '' : await ports.blobs.getText(notesRef);
    return { kind: 'decision', id, status, notes };
  }

  /**
   * Marked, since what the agent wrote is read here; nobody's wait for the operator is to blame for a crash. One after the other:
   * each counts those before it.
   */
  private make(message: ProposalCall): Promise<MadeProposal> {
    const { ports, input } = this;
    return this.making.next(input.slug, () =>
      ports.underWay.during(messageWork(input.slug, message), () =>
        proposeChange(ports, input, message.body),
      ),
    );
  }
}
