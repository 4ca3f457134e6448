import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from '../../../domain/egress/route.js';
import { upstreamOf } from '../../../domain/egress/upstream.js';
import { RefusedAddressError } from '../addresses.js';
import { codeOf } from '../../base/code-of.js';
import { answerLast } from '../../base/last-answer.js';
import { UnknownEncodingError } from '../decoder.js';
import type { HeaderList } from '../headers.js';
import { LoggedExchange, type LoggedExchangeParts } from '../logged-exchange.js';
import { blankSecret } from './secret-forms.js';

const SHOWN_PATH = 200;

export interface CredentialCallParts extends LoggedExchangeParts {
  readonly secret: (name: string) => string | undefined;
}

export class CredentialCall extends LoggedExchange {
  status = 0;
  #route: Route | undefined;
  #path = '';

  constructor(
    private readonly parts: CredentialCallParts,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    super(parts.ledger, parts.log);
  }

  take(route: Route, path: string): void {
    this.#route = route;
    this.#path = path;
  }

  /** @param body in place of our own, in which the reason stands with what the route lists */
  refuse(
    status: number,
    why: string,
    route: Route | undefined,
    headers: HeaderList = [],
    body = explained(why, route),
  ): void {
    if (status === 403) this.ledger.refuse(route === undefined ? '' : upstreamOf(route).host);
    this.#tellOf({ verdict: status === 502 ? 'failed' : 'refused', why, status, route: route?.name });
    answerLast(this.request, this.response, status, `${JSON.stringify(body)}\n`, {
      'content-type': 'application/json',
      ...Object.fromEntries(headers),
    });
  }

  /** The upstream did not answer, or not in a way that can be passed on. What was refused before stays refused. */
  fail(error: unknown, route: Route): void {
    if (this.isTold) return;
    if (this.response.headersSent || this.response.destroyed) {
      this.response.destroy();
      return;
    }
    this.status = 502;
    this.refuse(502, whatFailed(error), route);
  }

  /** After the exchange; what was refused has been told already. @param more what its line says besides */
  ended(more: Readonly<Record<string, unknown>> = {}): void {
    this.#tellOf({ verdict: 'allowed', status: this.status, ...more });
  }

  #tellOf(fields: Readonly<Record<string, unknown>>): void {
    if (this.isTold) return;
    const auth = this.#route?.auth ?? null;
    const secret = auth === null ? undefined : this.parts.secret(auth.secret);
    this.tell({
      route: this.#route?.name,
      host: this.#route === undefined ? undefined : upstreamOf(this.#route).host,
      method: this.request.method,
      path: blankSecret(this.#path, secret).slice(0, SHOWN_PATH),
      ...fields,
    });
  }
}

function explained(why: string, route: Route | undefined): unknown {
  if (route === undefined) return { error: `bot-bottle: ${why}` };
  const { name, methods, paths } = route;
  return { error: `bot-bottle, route "${name}": ${why}`, allowed: { methods, paths } };
}

function whatFailed(error: unknown): string {
  if (error instanceof RefusedAddressError)
    return `${error.message}: from here that is not the operator's machine; the route needs an address that a container reaches`;
  if (error instanceof UnknownEncodingError)
    return `its upstream's answer cannot be passed on: ${error.message}`;
  return `its upstream does not answer (${codeOf(error)})`;
}
