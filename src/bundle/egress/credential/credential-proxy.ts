import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { SlidingWindow } from '../../../domain/base/sliding-window.js';
import type { ModelRule, Route } from '../../../domain/egress/route.js';
import { upstreamOf } from '../../../domain/egress/upstream.js';
import type { BundleLog } from '../../base/bundle-log.js';
import { planBody } from './answer-body.js';
import { headersForClient } from './answer-headers.js';
import { headersForUpstream } from './client-headers.js';
import { CredentialCall } from './credential-call.js';
import { flatHeaders, framingOf, withoutHeaders, type HeaderList } from '../headers.js';
import { IDLE_MS } from '../limits.js';
import type { Ledger, Transfer } from '../ledger.js';
import type { LiveConfig } from '../live-config.js';
import type { LiveConnections } from '../live-connections.js';
import type { HeldBody } from '../model/held-body.js';
import type { ModelPlane } from '../model/model-plane.js';
import type { AnswerMeter } from '../model/answer-meter.js';
import { passMetered } from './metered-answer.js';
import { readRouteRequest } from './route-request.js';
import type { UpstreamClient } from './upstream-client.js';

export interface CredentialProxyParts {
  readonly config: LiveConfig;
  readonly client: UpstreamClient;
  /** The value of a secret by name; `undefined` when the worker has put none. */
  readonly secret: (name: string) => string | undefined;
  readonly ledger: Ledger;
  readonly live: LiveConnections;
  readonly calls: SlidingWindow;
  readonly maxBodyBytes: number;
  /** Where requests of routes to models are read. */
  readonly models: ModelPlane;
  readonly log: BundleLog;
}

/** Of a body that is written anew. */
const OF_THE_BODY = new Set([
  ...['content-length', 'content-type', 'content-encoding', 'content-md5', 'digest', 'content-digest'],
  'repr-digest',
]);

/**
 * The proxy that adds keys: `/<route>/<rest>` becomes a request to the route's upstream, if the route lists method and
 * path. Redirects are not followed. No key is in an answer, an error or a line of the log.
 */
export class CredentialProxy {
  /** Of answers under way. */
  readonly #meters = new Set<AnswerMeter>();

  constructor(private readonly parts: CredentialProxyParts) {}

  async request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { config, calls, maxBodyBytes } = this.parts;
    const call = new CredentialCall(this.parts, request, response);
    const waitMs = calls.take();
    if (waitMs > 0) {
      const seconds = String(Math.ceil(waitMs / 1000));
      call.refuse(429, 'too many requests in a minute', undefined, [['retry-after', seconds]]);
      return;
    }
    const { routes } = config.current;
    const length = request.headers['content-length'];
    const framing = framingOf(request.headers);
    if (framing.kind === 'unknown') {
      call.refuse(400, 'the only transfer coding is chunked', undefined);
      return;
    }
    const { hasBody } = framing;
    const asked = readRouteRequest(request.method ?? '', request.url ?? '', hasBody, routes);
    if (asked.kind === 'refused') {
      call.refuse(asked.status, asked.why, asked.route);
      return;
    }
    const { route } = asked;
    call.take(route, asked.path);
    if (Number(length ?? 0) > maxBodyBytes) {
      call.refuse(413, `a request has at most ${String(maxBodyBytes)} bytes`, route);
      return;
    }
    const secret = route.auth === null ? undefined : this.parts.secret(route.auth.secret);
    if (route.auth !== null && secret === undefined) {
      call.refuse(502, 'its secret is not there: the operator has to set it', route);
      return;
    }
    const own: HeaderList =
      route.auth === null || secret === undefined ? [] : [[route.auth.header, route.auth.prefix + secret]];
    const client = headersForUpstream(request.rawHeaders, route, routes);
    const target = upstreamOf(route).base + asked.path + asked.query;
    const exchange = { call, request, response, route, routes, secret, target };
    if (route.model !== null && request.method === 'POST') {
      await this.askModel({ ...exchange, headers: [...client, ...own] }, route.model, asked.path);
      return;
    }
    const headers = [...client, ...framing.headers, ...own];
    await this.exchanged({ ...exchange, headers, hasBody, body: null, meter: null });
    call.ended();
  }

  /** The body is sent as it was read and judged. */
  private async askModel(exchange: AskedExchange, rule: ModelRule, path: string): Promise<void> {
    const { call, request, response, route } = exchange;
    const read = await this.parts.models.read(request, rule, path);
    if (read.kind === 'gone') return;
    if (read.kind === 'refused') {
      call.refuse(read.status, read.why, route, read.headers, read.body);
      return;
    }
    const { body, meter, end } = read;
    if (response.destroyed) {
      end();
      return;
    }
    const headers: HeaderList = [
      ...withoutHeaders(exchange.headers, OF_THE_BODY),
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
    ];
    if (meter !== null) this.#meters.add(meter);
    await this.exchanged({ ...exchange, headers, hasBody: true, body, meter });
    if (meter !== null) {
      await meter.ended;
      this.#meters.delete(meter);
    }
    end();
    call.ended(meter === null ? {} : { ...meter.end('left') });
  }

  /** Answers that are still under way are counted by what is known of them. */
  stop(): void {
    for (const meter of this.#meters) meter.end('left');
  }

  private async exchanged(exchange: CredentialExchange): Promise<void> {
    const { call, response, route } = exchange;
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      const transfer = this.parts.ledger.open(upstreamOf(route).host, route.name);
      call.transfer = transfer;
      this.send(exchange, transfer);
    });
  }

  private send(exchange: CredentialExchange, transfer: Transfer): void {
    const { call, request, response, route, target, headers, hasBody, body, meter } = exchange;
    const { client, live, config, maxBodyBytes } = this.parts;
    const broke = (): void => {
      meter?.end(response.destroyed ? 'left' : 'broken');
    };
    let outgoing: ClientRequest;
    try {
      outgoing = client.request(route, request.method ?? '', target, headers);
    } catch (error) {
      broke();
      call.fail(error, route);
      return;
    }
    const over = live.add(
      () => config.current.routes.some((known) => JSON.stringify(known) === JSON.stringify(route)),
      () => {
        outgoing.destroy();
        response.destroy();
      },
    );
    // A metered answer is read on without its client: what it costs, its provider says at its end.
    if (meter === null)
      response.once('close', () => {
        outgoing.destroy();
      });
    outgoing.once('close', over);
    let isAnswered = false;
    outgoing.once('close', () => {
      if (!isAnswered) broke();
    });
    outgoing.once('timeout', () => {
      outgoing.destroy(new Error(`nothing moved for ${String(IDLE_MS / 1000)} s`));
    });
    outgoing.once('upgrade', () => {
      outgoing.destroy();
      broke();
      call.fail(new Error('it wants another protocol'), route);
    });
    outgoing.on('error', (error) => {
      // A kept connection that the upstream closed just then; nothing of this request has been seen there.
      const isStale = outgoing.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
      if (isStale && !hasBody && !isAnswered && !response.destroyed) {
        over();
        this.send(exchange, transfer);
        return;
      }
      broke();
      call.fail(error, route);
    });
    outgoing.on('response', (incoming) => {
      isAnswered = true;
      this.answer(exchange, transfer, incoming).catch((error: unknown) => {
        incoming.destroy();
        broke();
        call.fail(error, route);
      });
    });
    if (!hasBody) {
      outgoing.end();
      return;
    }
    if (body !== null) {
      transfer.sent(body.length);
      body.endWith(outgoing);
      return;
    }
    let sent = 0;
    request.on('data', (chunk: Buffer) => {
      sent += chunk.length;
      transfer.sent(chunk.length);
      if (sent <= maxBodyBytes) return;
      call.refuse(413, `a request has at most ${String(maxBodyBytes)} bytes`, route);
      outgoing.destroy();
    });
    request.pipe(outgoing);
  }

  private async answer(
    exchange: CredentialExchange,
    transfer: Transfer,
    incoming: IncomingMessage,
  ): Promise<void> {
    const { call, request, response, route, routes, secret, target, meter } = exchange;
    const status = incoming.statusCode ?? 502;
    const hasNoBody = request.method === 'HEAD' || status === 204 || status === 304;
    const plan = await planBody(incoming, route, routes, secret);
    if (meter === null && (response.destroyed || response.headersSent)) {
      incoming.destroy();
      return;
    }
    const url = new URL(route.upstream).origin + target;
    const headers = headersForClient(incoming.rawHeaders, { ...plan, route, routes, url, secret });
    if (!response.destroyed) response.writeHead(status, flatHeaders(headers));
    call.status = status;
    meter?.begin(status, incoming.headers);
    // Of a route to a model only an answer of the model is a sign of life.
    const isSuccess = route.model === null ? status >= 200 && status < 300 : meter?.isGood === true;
    if (isSuccess) this.parts.ledger.succeed();
    if (hasNoBody) {
      incoming.resume();
      response.end();
      meter?.end('whole');
      return;
    }
    // Who waits for a stream sees that it begins.
    if (!response.destroyed) response.flushHeaders();
    incoming.on('data', (chunk: Buffer) => {
      transfer.received(chunk.length);
      if (isSuccess) this.parts.ledger.succeed();
    });
    if (meter !== null) {
      passMetered(incoming, plan, response, meter);
      return;
    }
    pipeline([incoming, ...plan.steps, response], (error) => {
      if (error) response.destroy();
    });
  }
}

/** What a client asks for through a route. */
interface AskedExchange {
  readonly call: CredentialCall;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
  readonly routes: readonly Route[];
  readonly secret: string | undefined;
  /** Path and query at the upstream. */
  readonly target: string;
  readonly headers: HeaderList;
}

interface CredentialExchange extends AskedExchange {
  readonly hasBody: boolean;
  /** Sent in place of the request's own. */
  readonly body: HeldBody | null;
  /** Reads the answer; `null` where nothing is metered. */
  readonly meter: AnswerMeter | null;
}
