import type { Octokit } from '@octokit/rest';
import { BotBottleError } from '../../domain/errors.js';
import { HttpTransport } from '../forge-http/http-transport.js';
import { DEFAULT_RETRY, waitBeforeRetry } from '../forge-http/retry.js';
import type { RetryPolicy } from '../forge-http/retry.js';
import { apiBaseUrl } from './base-url.js';
import { AttemptFailed, forgeFetch } from './forge-fetch.js';
import type { ForgeFetch } from './forge-fetch.js';

export interface GithubClientOptions {
  /** `FORGE_GITHUB_API` */
  readonly baseUrl: string;
  /** Read anew for every request, so that a replaced token file needs no restart. */
  readonly token: string | (() => string);
  readonly caFile?: string | null;
  readonly socketPath?: string | null;
  /** Milliseconds for one attempt, the body included; 15,000 by default. */
  readonly timeoutMs?: number;
  /** Bytes of one answer; 16 MiB by default. */
  readonly maxResponseBytes?: number;
  readonly retry?: Partial<RetryPolicy>;
}

/** Octokit's methods, one for each operation GitHub documents, with typed parameters. */
export type GithubApi = Octokit['rest'];

/** For the operation that has no method. */
export type GithubRequest = Octokit['request'];

/** What of an answer is used. Octokit's types of `data` are promises of a document, so it is decoded like any input. */
export interface GithubAnswer {
  readonly status: number;
  readonly headers: { readonly link?: string | undefined };
  readonly data: unknown;
}

export interface CallOptions {
  /** The request may be sent again when its fate is unknown. Default: every method but POST. */
  readonly idempotent?: boolean;
}

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** The version of the REST API that the adapter was written to. */
const API_VERSION = '2022-11-28';

/**
 * GitHub's REST API through Octokit, over our own transport and with our own repetition. Errors: `InvalidInputError`
 * before any request for a name that cannot be one; `ForgeHttpError` for everything the forge or the way to it
 * answers, status 0 when there was no answer, 429 for every kind of rate limit. The token is in one header only.
 */
export class GithubClient {
  readonly retry: RetryPolicy;
  readonly #baseUrl: string;
  readonly #fetch: ForgeFetch;
  #loading: Promise<Octokit> | undefined;
  readonly #transport: HttpTransport;

  constructor(options: GithubClientOptions) {
    const { token } = options;
    const base = apiBaseUrl(options.baseUrl);
    this.retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#transport = new HttpTransport({
      base,
      caFile: options.caFile ?? null,
      socketPath: options.socketPath ?? null,
    });
    this.#fetch = forgeFetch({
      base,
      transport: this.#transport,
      token: typeof token === 'string' ? () => token : token,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      maxBytes: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    });
    this.#baseUrl = base.href.replace(/\/$/, '');
  }

  /** One request, repeated where that is safe and of use. A longer wait than the policy's cap is left to the caller. */
  async call(
    ask: (api: GithubApi, request: GithubRequest) => Promise<GithubAnswer>,
    options: CallOptions = {},
  ): Promise<GithubAnswer> {
    const octokit = await (this.#loading ??= loadOctokit(this.#baseUrl, this.#fetch));
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ask(octokit.rest, octokit.request);
      } catch (fault) {
        const cause = fault instanceof Error ? fault.cause : undefined;
        // A refusal of ours, thrown below Octokit.
        if (cause instanceof BotBottleError) throw cause;
        if (!(cause instanceof AttemptFailed)) throw fault;
        const { error, repeatable } = cause.failure;
        const askedMs = error.retryAfterMs;
        const idempotent = options.idempotent ?? error.method !== 'POST';
        const tooLong = askedMs !== undefined && askedMs > this.retry.capMs;
        const last = attempt >= this.retry.tries || tooLong;
        if (last || !error.retryable || !(idempotent || repeatable)) throw error;
        await waitBeforeRetry(this.retry, attempt, askedMs);
      }
    }
  }

  close(): void {
    this.#transport.close();
  }
}

/** Octokit writes to the console otherwise, URLs and all. */
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** With the first call: it takes 60 ms and 6 MiB, which those with another forge need not pay. */
async function loadOctokit(baseUrl: string, fetch: ForgeFetch): Promise<Octokit> {
  const { Octokit } = await import('@octokit/rest');
  const octokit = new Octokit({
    baseUrl,
    userAgent: 'bot-bottle-orchestrator',
    log: SILENT,
    request: { log: SILENT, fetch },
  });
  octokit.hook.before('request', (request) => {
    request.headers['x-github-api-version'] = API_VERSION;
  });
  return octokit;
}
