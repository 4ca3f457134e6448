import type { QueueBody, QueueMessage, TextVerdict } from '../../domain/run/queue.js';
import { textVerdict } from '../../domain/run/secret-refusal.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import { messageWork } from '../base/work-of-run.js';
import { noteTextScan } from '../publish/publish-scans.js';

export type TextMessage = QueueMessage & { readonly body: Extract<QueueBody, { kind: 'text' }> };

/** The sidecar has had its time with the verdict when so many others were given since. */
const KEPT_ANSWERS = 64;
const FAULT = 'the orchestrator could not look through it';

/**
 * Looks the texts that the sidecar is about to post through for secrets and answers it, one after another, so that no
 * agent keeps this machine busy with scanners. A text that was not answered is scanned again by the next worker.
 */
export class TextChecks {
  private readonly underWay = new Set<string>();
  private readonly answered: string[] = [];
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly ports: Pick<HostPorts, 'files' | 'queue' | 'secrets' | 'underWay' | 'log'>,
    private readonly input: Pick<RunTurnInput, 'slug' | 'turn'>,
    private readonly acknowledge: (message: QueueMessage) => Promise<void>,
  ) {}

  /** Does not wait for the verdict, so that no other message does. Until the signal aborts. */
  start(message: TextMessage, signal: AbortSignal): void {
    if (this.underWay.has(message.id)) return;
    this.underWay.add(message.id);
    const { slug } = this.input;
    this.last = this.last
      .then(() => this.ports.underWay.during(messageWork(slug, message), () => this.check(message, signal)))
      .catch((error: unknown) => {
        this.ports.log.warn({ slug, request: message.id, err: error }, 'verdict not passed on; trying again');
      })
      .finally(() => this.underWay.delete(message.id));
  }

  /** When nobody waits for verdicts any more: what is under way ends, and the verdicts go. */
  async end(): Promise<void> {
    await this.last;
    for (const id of this.answered.splice(0)) await this.ports.queue.retract(this.input.slug, id);
  }

  private async check(message: TextMessage, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { queue } = this.ports;
    const { slug } = this.input;
    const { id, body } = message;
    const result = await this.verdict(body);
    await queue.answer(slug, { requestId: id, result });
    await this.acknowledge(message);
    this.answered.push(id);
    if (this.answered.length <= KEPT_ANSWERS) return;
    const oldest = this.answered.shift();
    if (oldest !== undefined) await queue.retract(slug, oldest);
  }

  private async verdict({ where, text }: TextMessage['body']): Promise<TextVerdict> {
    const { secrets, log } = this.ports;
    const { slug, turn } = this.input;
    try {
      const scan = await secrets.scanTexts([{ where, text }]);
      const verdict = textVerdict(scan);
      // What is clean stands on the forge, and in the operation log.
      if (verdict.kind !== 'clean')
        await noteTextScan(this.ports, this.input, { ...secrets.report(scan), of: where });
      if (verdict.kind === 'unchecked') log.warn({ slug, turn, reason: verdict.reason }, 'text not checked');
      return verdict;
    } catch (error) {
      log.warn({ slug, turn, err: error }, 'text not checked');
      return { kind: 'unchecked', reason: FAULT };
    }
  }
}
