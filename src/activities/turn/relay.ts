import { withoutHostPaths } from '../../domain/text/host-paths.js';
import type { PublishAnswer, QueueBody, QueueMessage } from '../../domain/run/queue.js';
import type { PublishResult } from '../../domain/run/turn.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import { messageWork } from '../base/work-of-run.js';
import { keepEgress } from './egress-record.js';
import { tellOperations } from './tell-operations.js';
import { ProposalCalls } from './proposal-calls.js';
import { TextChecks, type TextMessage } from './text-checks.js';
import type { TurnJournal } from './turn-journal.js';
import { untilAborted } from './until-aborted.js';
import { untilDelivered } from './until-delivered.js';

/** The queue is looked at this often even when no change was reported, milliseconds. */
const POLL_MS = 500;
/** Most refused files that are told of in a turn. */
const MAX_SAID = 256;
/**
 * Most calls that wait for the run at once: as many as a sidecar of ours makes, one for a pull request and five proposals. The
 * server takes ten Updates of a workflow at once (`maxInFlightUpdates`), and operators are to have some of them.
 */
const MAX_ASKING = 6;

type RequestMessage = QueueMessage & { readonly body: Extract<QueueBody, { kind: 'open_pr' }> };

export interface RelayEvents {
  onDone(): void;
  onFlood(): void;
  /** The credential proxy refuses the model, because the turn's budget is used up. */
  onOverBudget(): void;
  /** A message killed worker after worker: the turn is over. */
  onSetAside(): void;
}

/**
 * Carries the sidecar's messages to the run and its answers back: read, deliver, acknowledge, so that a message whose
 * delivery is not certain is delivered again under the same id.
 */
export class Relay {
  private readonly requests = new Map<string, Promise<void>>();
  /** File names of messages that went since the last reading began, and may be in what it read. */
  private readonly gone = new Set<string>();
  private readonly refused = new Set<string>();
  private draining: Promise<void> = Promise.resolve();
  private flooded = false;
  private readonly texts: TextChecks;
  private readonly proposals: ProposalCalls;
  private sidecarIsGone = false;

  constructor(
    private readonly ports: HostPorts,
    private readonly input: RunTurnInput,
    private readonly journal: TurnJournal,
    private readonly events: RelayEvents,
  ) {
    const acknowledge = (message: QueueMessage): Promise<void> => this.acknowledge(message);
    this.texts = new TextChecks(ports, input, acknowledge);
    this.proposals = new ProposalCalls(ports, input, journal, acknowledge);
  }

  /** The agent waits for an operator now. */
  get isHeld(): boolean {
    return this.proposals.areHeld;
  }

  /** What more is asked stays in the queue until then. */
  private get asking(): number {
    return this.requests.size + this.proposals.size;
  }

  /** Until the signal aborts; a fault of the disk is logged and tried again. */
  async run(signal: AbortSignal): Promise<void> {
    let wake = (): void => undefined;
    const wakeUp = (): void => {
      wake();
    };
    const unwatch = this.ports.queue.watch(this.input.slug, wakeUp);
    signal.addEventListener('abort', wakeUp);
    try {
      while (!signal.aborted) {
        const changed = new Promise<void>((resolve) => (wake = resolve));
        await this.drain(signal).catch((error: unknown) => {
          this.ports.log.warn({ slug: this.input.slug, err: error }, 'queue could not be read; trying again');
        });
        const timer = setTimeout(wakeUp, POLL_MS);
        await changed;
        clearTimeout(timer);
      }
    } finally {
      signal.removeEventListener('abort', wakeUp);
      unwatch();
    }
  }

  /** Delivers what is there now; one drain at a time. */
  drain(signal: AbortSignal): Promise<void> {
    const next = this.draining.catch(() => undefined).then(() => this.drainOnce(signal));
    this.draining = next;
    return next;
  }

  /** After the bundle is gone: everything it left is delivered, open requests are answered. Until the signal aborts. */
  async drainToEmpty(signal: AbortSignal): Promise<void> {
    this.sidecarIsGone = true;
    await this.texts.end();
    this.proposals.end();
    for (;;) {
      await this.drain(signal);
      const passedOn = Promise.all([...this.requests.values(), this.proposals.untilPassedOn()]);
      await Promise.race([passedOn, untilAborted(signal)]);
      if (signal.aborted) return;
      const { messages } = await this.ports.queue.read(this.input.slug);
      if (messages.length === 0 || this.flooded) return;
    }
  }

  /** Once of each: a directory with content stays. */
  private sayRefused(fileName: string, reason: string): void {
    if (this.refused.has(fileName) || this.refused.size >= MAX_SAID) return;
    this.refused.add(fileName);
    this.ports.log.warn({ slug: this.input.slug, fileName, reason }, 'a file in the queue was refused');
  }

  private async drainOnce(signal: AbortSignal): Promise<void> {
    this.gone.clear();
    const { messages, flood, refused } = await this.ports.queue.read(this.input.slug);
    for (const { fileName, reason } of refused) this.sayRefused(fileName, reason);
    if (flood && !this.flooded) {
      this.flooded = true;
      this.events.onFlood();
    }
    this.proposals.count();
    for (const message of messages) {
      const { body } = message;
      if (body.turn === this.input.turn) this.checkIn(body);
      if (body.turn !== this.input.turn) await this.acknowledge(message);
      else if ((await this.isSetAside(message)) || this.gone.has(message.fileName)) continue;
      else if (body.kind === 'text') await this.startCheck({ ...message, body }, signal);
      else if ((body.kind === 'open_pr' || body.kind === 'proposal') && this.asking >= MAX_ASKING) continue;
      else if (body.kind === 'open_pr') this.startRequest({ ...message, body }, signal);
      else if (body.kind === 'proposal') this.proposals.start({ ...message, body }, signal);
      else
        await this.ports.underWay.during(messageWork(this.input.slug, message), () =>
          this.deliver(message, body),
        );
    }
  }

  /** What was under way when two workers died is answered and put away; all that is known of it is on disk before. */
  private async isSetAside(message: QueueMessage): Promise<boolean> {
    if (this.requests.has(message.id)) return false;
    const { slug, turn } = this.input;
    const reason = await this.ports.underWay.whySetAside(messageWork(slug, message));
    if (reason === null) return false;
    this.ports.log.warn({ slug, turn, fileName: message.fileName, reason }, 'a message was set aside');
    await this.journal.decide({ setAside: this.journal.record.setAside ?? reason });
    const { kind } = message.body;
    const requestId = message.id;
    if (kind === 'open_pr' || kind === 'proposal')
      await this.ports.queue.answer(slug, { requestId, result: { kind: 'refused', reason } });
    if (kind === 'text')
      await this.ports.queue.answer(slug, { requestId, result: { kind: 'unchecked', reason } });
    await this.ports.queue.setAside(slug, message.fileName);
    this.events.onSetAside();
    return true;
  }

  /** A refused connection is no sign of life, but a good answer through a route is one, when it came. */
  private checkIn(body: QueueBody): void {
    if (body.kind !== 'egress') this.journal.checkIn();
    else if (body.lastSuccessAt !== null)
      this.journal.checkIn(Math.min(body.lastSuccessAt, this.ports.clock.now()));
  }

  private async deliver(
    message: QueueMessage,
    body: Exclude<QueueBody, { kind: 'open_pr' | 'text' | 'proposal' }>,
  ): Promise<void> {
    if (body.kind === 'operations') {
      const lines = body.lines.map((line) => JSON.stringify(line));
      await this.ports.files.appendOperations(this.input.slug, this.input.turn, lines);
      if (this.ports.tracing !== undefined)
        tellOperations(this.ports.tracing, this.input, body.lines, this.ports.clock.now());
    } else if (body.kind === 'egress') {
      const { slug, turn } = this.input;
      if (!(await keepEgress(this.ports.files, slug, turn, body)))
        this.ports.log.warn({ slug, turn }, 'egress totals of too many sidecars; not kept');
      if (body.model?.trouble?.kind === 'over_budget') this.events.onOverBudget();
    } else if (this.journal.record.done === null) {
      const { status, summary } = body;
      await this.journal.decide({ done: { id: message.id, status, summary, at: this.ports.clock.now() } });
      this.events.onDone();
    }
    await this.acknowledge(message);
  }

  /** Nothing is posted any more by a sidecar that is gone. */
  private async startCheck(message: TextMessage, signal: AbortSignal): Promise<void> {
    if (this.sidecarIsGone) await this.acknowledge(message);
    else this.texts.start(message, signal);
  }

  /** Held open until the gate has answered, without holding up other messages. */
  private startRequest(message: RequestMessage, signal: AbortSignal): void {
    if (this.requests.has(message.id)) return;
    const work = this.request(message, signal).finally(() => this.requests.delete(message.id));
    work.catch(() => undefined);
    this.requests.set(message.id, work);
  }

  private async request(message: RequestMessage, signal: AbortSignal): Promise<void> {
    const { workflowId, slug, turn } = this.input;
    const { title, body } = message.body;
    const contentRef = await this.ports.blobs.put(JSON.stringify({ title, body }));
    const request = { slug, turn, requestId: message.id, contentRef };
    await untilDelivered(
      signal,
      async () => {
        const result = answerTo(await this.ports.channel.openPr(workflowId, request));
        await this.ports.queue.answer(slug, { requestId: message.id, result });
        await this.acknowledge(message);
      },
      (error) => {
        const fields = { slug, request: message.id, err: error };
        this.ports.log.warn(fields, 'open_pr not answered yet; trying again');
      },
    );
  }

  private async acknowledge({ fileName }: QueueMessage): Promise<void> {
    await this.ports.queue.acknowledge(this.input.slug, fileName);
    this.gone.add(fileName);
  }
}

/** What the agent is told of what became of its `open_pr`. */
function answerTo(result: PublishResult): PublishAnswer {
  if (result.kind === 'published')
    return { kind: 'published', pr: result.pr, url: result.prUrl, head: result.head };
  const reason =
    'reason' in result ? withoutHostPaths(result.reason) : `${result.kind}, but no pull request was opened`;
  return { kind: 'refused', reason };
}
