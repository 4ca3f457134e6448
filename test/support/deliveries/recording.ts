import type { Caught, Catcher } from './catcher.js';
import { nameOf, rawBodyOf } from './recorded-delivery.js';
import type { RecordedAct, RecordedDelivery } from './recorded-delivery.js';

export const HOOK_PATH = '/hook';
export const MARKER_PATH = '/marker';
const LIMIT_MS = 20_000;

/** Plays acts one after the other and keeps what each of them made the forge send. */
export class Recording {
  readonly acts = new Map<string, RecordedAct>();
  #seen = 0;

  /** @param mark Makes the forge send one request to `MARKER_PATH`, behind everything it has queued already. */
  constructor(
    private readonly catcher: Catcher,
    private readonly mark: () => Promise<void>,
  ) {}

  /**
   * Does it, waits for as many deliveries as are expected, then for a marker behind them, and keeps what came.
   * Errors: something else came, or something later that belongs to the act before.
   * @param expected `<event type> <action>` in any order: what is queued in the background may come in either.
   */
  async act<T>(name: string, act: string, expected: readonly string[], action: () => Promise<T>): Promise<T> {
    const result = await action();
    const deliveries = recorded(await this.#came(expected.length));
    const came = deliveries.map(nameOf);
    if ([...came].sort().join() !== [...expected].sort().join())
      throw new Error(
        `${name}: expected ${expected.join(', ') || 'nothing'}; came ${came.join(', ') || 'nothing'}`,
      );
    if (this.acts.has(name)) throw new Error(`two acts are called ${name}`);
    this.acts.set(name, { act, deliveries });
    return result;
  }

  /** What an act needs, and is recorded elsewhere or of no interest. */
  async prepare<T>(deliveries: number, action: () => Promise<T>): Promise<T> {
    const result = await action();
    const came = recorded(await this.#came(deliveries)).map(nameOf);
    if (came.length !== deliveries)
      throw new Error(`preparing: expected ${deliveries} deliveries; came ${came.join(', ') || 'nothing'}`);
    return result;
  }

  /** Lets everything pass that is on its way. */
  async settle(): Promise<void> {
    await this.#came(0);
  }

  /** Within an act: `X-Gitea-Delivery` of its first delivery, as soon as that is there. */
  async firstDeliveryId(): Promise<string> {
    await this.catcher.reaches(HOOK_PATH, this.#seen + 1, LIMIT_MS);
    return String(this.catcher.at(HOOK_PATH)[this.#seen]?.headers['x-gitea-delivery']);
  }

  async #came(count: number): Promise<readonly Caught[]> {
    await this.catcher.reaches(HOOK_PATH, this.#seen + count, LIMIT_MS);
    const marks = this.catcher.at(MARKER_PATH).length;
    await this.mark();
    if (!(await this.catcher.reaches(MARKER_PATH, marks + 1, LIMIT_MS)))
      throw new Error('the marker did not come');
    const came = this.catcher.at(HOOK_PATH).slice(this.#seen);
    this.#seen += came.length;
    return came;
  }
}

function recorded(caught: readonly Caught[]): RecordedDelivery[] {
  const ids = [...new Set(caught.map(({ headers }) => headers['x-gitea-delivery']))];
  return caught.map(({ headers, rawBody }) => {
    const body = JSON.parse(rawBody.toString()) as Record<string, unknown>;
    const number = String(ids.indexOf(headers['x-gitea-delivery']) + 1).padStart(12, '0');
    const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
      if (!name.startsWith('x-') || typeof value !== 'string') return [];
      return [[name, name.endsWith('-delivery') ? `00000000-0000-4000-8000-${number}` : value]];
    });
    const known = Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
    const event = known['x-gitea-event'] ?? '';
    const eventType = known['x-gitea-event-type'] ?? '';
    if (!rawBodyOf({ eventType, body }).equals(rawBody))
      throw new Error(`not the JSON that rawBodyOf writes: ${String(rawBody)}`);
    return { event, eventType, headers: known, body };
  });
}
