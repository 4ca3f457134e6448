import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { routeAddress } from '../../../domain/egress/agent-env.js';
import type { Route } from '../../../domain/egress/route.js';
import { decoderOf } from '../decoder.js';
import { ByteReplacer, type Replacement } from './byte-replacer.js';
import { blanked, secretForms } from './secret-forms.js';

/** Texts in which addresses stand: `application/json`, `application/vnd.….v1+json`, `text/html`; no stream of events. */
const TEXT = /^(?:text\/(?!event-stream)[a-z0-9.+-]+|application\/(?:[a-z0-9.-]+\+)?(?:json|xml|html))$/;

export interface BodyPlan {
  /** In their order; none when the body passes as it is. */
  readonly steps: readonly Transform[];
  /** Addresses are replaced, so the length differs. */
  readonly isChanged: boolean;
  /** It came compressed, although it was asked not to, and goes on plain. */
  readonly isDecoded: boolean;
}

/**
 * What is done to an answer's body on its way. The secret is taken out of every answer; addresses of upstreams become
 * those of routes in the texts of a route that says so. Errors: `UnknownEncodingError`, for an answer that cannot be searched.
 */
export async function planBody(
  incoming: IncomingMessage,
  route: Route,
  routes: readonly Route[],
  secret: string | undefined,
): Promise<BodyPlan> {
  const type = (incoming.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  // Part of a text: replacing would leave what stands across its borders, and move those.
  const isChanged = route.rewrite && TEXT.test(type) && incoming.statusCode !== 206;
  // What is metered has to be read, too.
  if (secret === undefined && !isChanged && route.model === null)
    return { steps: [], isChanged: false, isDecoded: false };
  const decoder = await decoderOf(incoming.headers['content-encoding']);
  const replacements = [
    ...(secret === undefined ? [] : blanks(secret)),
    // Of two routes to one upstream the answer leads on by the one that it came by.
    ...(isChanged ? [route, ...routes].flatMap(rewrites) : []),
  ];
  const steps = [...(decoder === undefined ? [] : [decoder]), new ByteReplacer(replacements)];
  return { steps, isChanged, isDecoded: decoder !== undefined };
}

function blanks(secret: string): Replacement[] {
  return secretForms(secret).map((form) => ({
    find: Buffer.from(form),
    put: Buffer.from(blanked(form)),
    whole: false,
  }));
}

/** Also as JSON may write it, with its slashes escaped. */
function rewrites(route: Route): Replacement[] {
  const to = routeAddress(route);
  const pairs = spellings(route.upstream).flatMap((from) => [
    [from, to] as const,
    [escaped(from), escaped(to)] as const,
  ]);
  return pairs.map(([find, put]) => ({ find: Buffer.from(find), put: Buffer.from(put), whole: true }));
}

/** With the port that goes without saying, too: some indexes write it. */
function spellings(upstream: string): string[] {
  const { host, port, protocol } = new URL(upstream);
  if (port !== '') return [upstream];
  return [upstream, upstream.replace(host, `${host}:${protocol === 'https:' ? '443' : '80'}`)];
}

function escaped(url: string): string {
  return url.replaceAll('/', '\\/');
}
