import type { IncomingMessage } from 'node:http';
import type { PriceTable } from '../../../domain/egress/model-prices.js';
import type { ModelApi, ModelRule } from '../../../domain/egress/route.js';
import type { ModelBudget, ModelReport } from '../../../domain/run/model-use.js';
import type { HeaderList } from '../headers.js';
import { AnswerMeter } from './answer-meter.js';
import { BodyRoom } from './body-room.js';
import { readJson } from './json-body.js';
import { callOf, type ModelCall } from './model-calls.js';
import { ModelMeter } from './model-meter.js';
import { readRequestBody } from './request-body.js';
import { checkRequest } from './request-rules.js';
import { vendorError } from './vendor-error.js';

export interface ModelPlaneOptions {
  readonly budget: ModelBudget;
  readonly prices: PriceTable;
  /** One request's body. */
  readonly maxBodyBytes: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called when there is something to tell. */
  readonly onChange: () => void;
}

export type ModelRequest =
  | {
      readonly kind: 'allowed';
      readonly body: Buffer;
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
/** Of all that arrive at the same time. */
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
  readonly #room = new BodyRoom(ROOM_BYTES);
  #open = 0;

  constructor(options: ModelPlaneOptions) {
    this.#options = options;
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
    const end = (): void => {
      if (isOpen) this.#open -= 1;
      isOpen = false;
    };
    let read: ModelRequest | undefined;
    try {
      read = await this.#readOpen(request, rule, call, end);
      return read;
    } finally {
      if (read?.kind !== 'allowed') end();
    }
  }

  async #readOpen(
    request: IncomingMessage,
    rule: ModelRule,
    call: ModelCall,
    end: () => void,
  ): Promise<ModelRequest> {
    const { api } = rule;
    const { now, maxBodyBytes } = this.#options;
    const arrived = await readRequestBody(request, Math.min(maxBodyBytes, MAX_BODY_BYTES), this.#room);
    if (arrived.kind === 'gone') return arrived;
    if (arrived.kind === 'refused') return refused(api, arrived);
    const json = readJson(arrived.bytes);
    if (json.kind === 'refused') return refused(api, { status: 400, why: json.why });
    const checked = checkRequest(json.value, rule);
    if (checked.kind === 'refused') return refused(api, checked);
    const body = Buffer.from(JSON.stringify(call === 'answer' ? checked.body : json.value));
    const { model, factor } = checked;
    const meter =
      call === 'count'
        ? null
        : new AnswerMeter({ api, model, factor, requestBytes: body.length, meter: this.#meter, now });
    return { kind: 'allowed', body, meter, end };
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
