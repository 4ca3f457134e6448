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
    const refuse = (status: number, why: string, headers: HeaderList = FINAL): ModelRequest =>
      refused(api, status, why, 'not_allowed', headers);
    const call = callOf(api, path);
    if (call === undefined) return refuse(403, `this is no call of ${api} that can be read`);
    const spent = this.#meter.spent();
    if (spent !== undefined) {
      const why = `this run's budget of ${spent} is used up: an operator can raise it. Stop here; asking again will not help`;
      return refused(api, 400, why, 'budget_used_up', FINAL);
    }
    if (this.#open >= MAX_ANSWERS)
      return refuse(429, `at most ${String(MAX_ANSWERS)} requests at a time`, [['retry-after', '2']]);
    this.#open += 1;
    let isOpen = true;
    const end = (): void => {
      if (isOpen) this.#open -= 1;
      isOpen = false;
    };
    const read = await this.#readOpen(request, rule, call).catch((error: unknown) => {
      end();
      throw error;
    });
    if (read.kind !== 'allowed') {
      end();
      return read;
    }
    return { ...read, end };
  }

  get #maxBytes(): number {
    return Math.min(this.#options.maxBodyBytes, MAX_BODY_BYTES);
  }

  async #readOpen(
    request: IncomingMessage,
    rule: ModelRule,
    call: ModelCall,
  ): Promise<
    Exclude<ModelRequest, { kind: 'allowed' }> | Omit<Extract<ModelRequest, { kind: 'allowed' }>, 'end'>
  > {
    const { api } = rule;
    const { now } = this.#options;
    const arrived = await readRequestBody(request, this.#maxBytes, this.#room);
    if (arrived.kind === 'gone') return arrived;
    if (arrived.kind === 'refused') {
      const headers: HeaderList = arrived.status === 503 ? [['retry-after', '2']] : FINAL;
      return refused(api, arrived.status, arrived.why, 'not_allowed', headers);
    }
    const json = readJson(arrived.bytes);
    if (json.kind === 'refused') return refused(api, 400, json.why, 'not_allowed', FINAL);
    const checked = checkRequest(json.value, rule);
    if (checked.kind === 'refused') return refused(api, checked.status, checked.why, 'not_allowed', FINAL);
    const body = Buffer.from(JSON.stringify(call === 'answer' ? checked.body : json.value));
    const { model, factor } = checked;
    const meter =
      call === 'count'
        ? null
        : new AnswerMeter({ api, model, factor, requestBytes: body.length, meter: this.#meter, now });
    return { kind: 'allowed', body, meter };
  }
}

function refused(
  api: ModelApi,
  status: number,
  why: string,
  code: string,
  headers: HeaderList,
): Extract<ModelRequest, { kind: 'refused' }> {
  return {
    kind: 'refused',
    status,
    why,
    body: vendorError(api, status, `bot-bottle: ${why}`, code),
    headers,
  };
}
