/** What the API can do, as data: the routes, the validation and the OpenAPI document are all made of it. */
import { z } from 'zod';
import type { ApiScope, ApiToken } from '../../domain/api/api-token.js';
import type { ApiDeps } from './api-deps.js';

/** All paths begin so. */
export const VERSION_PATH = '/api/v1';

type Fields = z.ZodObject;

/** One request, validated. */
export interface Asked<P extends Fields, Q extends Fields, B extends z.ZodType> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
  readonly token: ApiToken;
}

/** Server-sent events, each with the id that a client goes on after. */
export interface SentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: object;
}

interface Described<P extends Fields, Q extends Fields, B extends z.ZodType> {
  readonly id: string;
  readonly method: 'get' | 'post';
  /** Below `/api/v1`, parameters as in `/runs/{slug}`. */
  readonly path: string;
  readonly scope: ApiScope;
  readonly summary: string;
  readonly params: P;
  readonly query: Q;
  /** `undefined` for one that takes none. */
  readonly body?: B;
  /** What it may refuse with, beside what every operation may. */
  readonly refuses?: readonly (404 | 409 | 503)[];
}

interface Answered<
  P extends Fields,
  Q extends Fields,
  B extends z.ZodType,
  A extends z.ZodType,
> extends Described<P, Q, B> {
  readonly kind: 'answer';
  readonly answer: A;
  /** Errors: `ApiProblem`, and those that the command line knows. */
  handle(deps: ApiDeps, asked: Asked<P, Q, B>): Promise<DeepReadonly<z.output<A>>>;
}

interface Streamed<P extends Fields, Q extends Fields> extends Described<P, Q, z.ZodType> {
  readonly kind: 'events';
  /** Before anything is sent: errors as with `handle`. */
  open(
    deps: ApiDeps,
    asked: Asked<P, Q, z.ZodType>,
    options: { readonly after: string | undefined; readonly signal: AbortSignal },
  ): Promise<AsyncIterable<SentEvent>>;
}

export type Operation = Answered<Fields, Fields, z.ZodType, z.ZodType> | Streamed<Fields, Fields>;

const NONE = z.strictObject({});
type None = typeof NONE;

/** What has no parameters leaves them out. */
type Given<O, P, Q> = Omit<O, 'kind' | 'params' | 'query'> & { readonly params?: P; readonly query?: Q };

/** Checks one operation's types, and forgets them. */
export function answering<
  B extends z.ZodType,
  A extends z.ZodType,
  P extends Fields = None,
  Q extends Fields = None,
>(operation: Given<Answered<P, Q, B, A>, P, Q>): Operation {
  return { params: NONE, query: NONE, ...operation, kind: 'answer' } as unknown as Operation;
}

export function streaming<P extends Fields = None, Q extends Fields = None>(
  operation: Given<Streamed<P, Q>, P, Q>,
): Operation {
  return { params: NONE, query: NONE, ...operation, kind: 'events' } as unknown as Operation;
}

export type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
