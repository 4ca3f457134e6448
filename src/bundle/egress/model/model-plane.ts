import type { IncomingMessage } from 'node:http';
import type { PriceTable } from '../../../domain/egress/model-prices.js';
import type { ModelApi, ModelRule } from '../../../domain/egress/route.js';
import type { ModelBudget, ModelReport } from '../../../domain/run/model-use.js';
import type { HeaderList } from '../headers.js';
import { AnswerMeter } from './answer-meter.js';
import { BodyRoom, Hold } from './body-room.js';
import { HeldBody } from './held-body.js';
import { readJson } from './json-body.js';
import { callOf, type ModelCall } from './model-calls.js';
import { ModelMeter } from './model-meter.js';
import { noRoom, readRequestBody, unpackBody } from './request-body.js';
import { checkRequest } from './request-rules.js';
import { vendorError } from './vendor-error.js';

export interface ModelPlaneOptions {
  readonly budget: ModelBudget;
  readonly prices: PriceTable;
  /** One request's body. */
  readonly maxBodyBytes: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told of the bytes of requests as they are read. */
  readonly onMoved: (bytes: number) => void;
  /** Called when there is something to tell. */
  readonly onChange: () => void;
}

export type ModelRequest =
  | {
      readonly kind: 'allowed';
      readonly body: HeldBody;
      /** `null` for a call that costs nothing. */
      readonly meter: AnswerMeter | null;
      /** To be called when the exchange is over. */
      readonly end: () => void;
    }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly why: string;
      /** For the client, in its provider's form. */
      readonly body: unknown;
      readonly headers: HeaderList;
    }
  /** The client went away meanwhile. */
  | { readonly kind: 'gone' };

const MIB = 1024 * 1024;
/** Of a model's request; a conversation of a million tokens is some five MiB. */
const MAX_BODY_BYTES = 16 * MIB;
/** Of all that are here at the same time, unpacked: in 256 MiB, of which judging one takes half. */
const ROOM_BYTES = 32 * MIB;
/** Answers at a time; what is over the budget is over it by as many at most. */
const MAX_ANSWERS = 16;
/** The SDKs of both vendors ask again or not as this header says. */
const FINAL: HeaderList = [['x-should-retry', 'false']];
const LATER: HeaderList = [['retry-after', '2']];

/** What is done with the requests of routes to models: read, judged, limited, metered. */
export class ModelPlane {
  readonly #options: ModelPlaneOptions;
  readonly #meter: ModelMeter;
  readonly #room: BodyRoom;
  /** One is unpacked and judged at a time, which takes several times its bytes. */
  #judging: Promise<void> = Promise.resolve();
  #open = 0;

  constructor(options: ModelPlaneOptions) {
    this.#options = options;
    this.#room = new BodyRoom(ROOM_BYTES, options.onMoved);
    this.#meter = new ModelMeter(options);
  }

  get report(): ModelReport | null {
    return this.#meter.report;
  }

  /** @param path below the route's upstream */
  async read(request: IncomingMessage, rule: ModelRule, path: string): Promise<ModelRequest> {
    const { api } = rule;
    const call = callOf(api, path);
    if (call === undefined)
      return refused(api, { status: 403, why: `this is no call of ${api} that can be read` });
    const spent = this.#meter.spent();
    if (spent !== undefined) {
      const why = `this run's budget of ${spent} is used up: an operator can raise it. Stop here; asking again will not help`;
      return refused(api, { status: 400, why }, 'budget_used_up');
    }
    if (this.#open >= MAX_ANSWERS)
      return refused(api, { status: 429, why: `at most ${String(MAX_ANSWERS)} requests at a time` });
    this.#open += 1;
    let isOpen = true;
    const hold = new Hold(this.#room);
    const end = (): void => {
      if (isOpen) this.#open -= 1;
      isOpen = false;
      hold.give();
    };
    let read: ModelRequest | undefined;
    try {
      read = await this.#readOpen(request, rule, call, hold, end);
      return read;
    } finally {
      if (read?.kind !== 'allowed') end();
    }
  }

  async #readOpen(
    request: IncomingMessage,
    rule: ModelRule,
    call: ModelCall,
    hold: Hold,
    end: () => void,
  ): Promise<ModelRequest> {
    const maxBytes = Math.min(this.#options.maxBodyBytes, MAX_BODY_BYTES);
    const arrived = await readRequestBody(request, maxBytes, hold);
    if (arrived.kind === 'gone') return arrived;
    if (arrived.kind === 'refused') return refused(rule.api, arrived);
    const judged = this.#judging.then(async () => {
      const plain = await unpackBody(arrived.bytes, maxBytes, hold, request.headers['content-encoding']);
      return plain.kind === 'refused'
        ? refused(rule.api, plain)
        : this.#judge(plain.bytes, rule, call, hold, end);
    });
    // Its value is let go: a request that nobody asks for any more may have megabytes.
    this.#judging = judged.then(
      () => undefined,
      () => undefined,
    );
    return judged;
  }

  #judge(bytes: Uint8Array, rule: ModelRule, call: ModelCall, hold: Hold, end: () => void): ModelRequest {
    const { api } = rule;
    const { now } = this.#options;
    const json = readJson(bytes);
    if (json.kind === 'refused') return refused(api, { status: 400, why: json.why });
    const checked = checkRequest(json.value, rule);
    if (checked.kind === 'refused') return refused(api, checked);
    const body = Buffer.from(JSON.stringify(call === 'answer' ? checked.body : json.value));
    // It takes the place of what arrived, and can be longer: `1e20` is written out.
    hold.give();
    if (!hold.take(body.length)) return refused(api, noRoom());
    const { models, factor } = checked;
    const meter =
      call === 'count'
        ? null
        : new AnswerMeter({ api, models, factor, requestBytes: body.length, meter: this.#meter, now });
    return { kind: 'allowed', body: new HeldBody(body, hold), meter, end };
  }
}

function refused(
  api: ModelApi,
  { status, why }: { readonly status: number; readonly why: string },
  code = 'not_allowed',
): ModelRequest {
  return {
    kind: 'refused',
    status,
    why,
    body: vendorError(api, status, `bot-bottle: ${why}`, code),
    headers: status === 429 || status === 503 ? LATER : FINAL,
  };
}
