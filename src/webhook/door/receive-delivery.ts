import type { RequestHandler } from 'express';
import type { Inbox } from '../../domain/forge/delivery.js';
import type { Place } from '../../domain/forge/issue.js';
import type { Tracing } from '../../domain/base/tracing.js';
import { answer, answerAndHangUp } from './answer.js';
import type { DeliveryFormat } from './delivery-format.js';
import type { WebhookMetrics } from './metrics.js';
import { orderKeyOf, storedHint } from '../events/hint.js';
import { readBody } from './read-body.js';
import { sha256 } from '../sha256.js';

export interface ReceiveDeps {
  readonly secret: string;
  readonly inbox: Inbox;
  readonly metrics: WebhookMetrics;
  readonly maxBodyBytes: number;
  readonly serves: (place: Place) => boolean;
  /** Something came from there, and is in the inbox. */
  readonly saw?: (place: Place) => void;
  /** A run goes on in the repository with this id: what happens there matters wherever it is now. */
  readonly worksIn: (repoId: number) => Promise<boolean>;
  /** Called after a delivery is durable: wakes the dispatcher. */
  readonly onAccepted: () => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onError: (message: string, error: unknown) => void;
  /** A delivery was not signed with our secret; told once in ten minutes, as anybody may send one. */
  readonly onUnsigned?: (reason: string) => void;
  readonly tracing?: Tracing | undefined;
}

const TELL_UNSIGNED_MS = 10 * 60_000;

/**
 * Takes one delivery. In this order: size, completeness, signature, content type, shape, served
 * repository, inbox; nothing of an unsigned body is looked at.
 */
export function receiveDelivery(deps: ReceiveDeps, format: DeliveryFormat): RequestHandler {
  // A forge sends nothing a second time: what nobody can say now, the dispatcher decides.
  const mayWorkIn = (repoId: number): Promise<boolean> =>
    deps.worksIn(repoId).catch((error: unknown) => {
      deps.onError('whether a run goes on there could not be read; the delivery is taken', error);
      return true;
    });
  let toldAt = -Infinity;
  return async (request, response) => {
    const began = process.hrtime.bigint();
    const end = (outcome: string, code: number, status: string, reason?: string): void => {
      deps.metrics.deliveries.inc({ outcome });
      answer(response, code, status, reason);
    };
    const body = await readBody(request, deps.maxBodyBytes);
    if (body.kind === 'too_large') {
      deps.metrics.deliveries.inc({ outcome: 'too_large' });
      const limit = `the body is larger than ${String(deps.maxBodyBytes)} bytes: raise WEBHOOK_MAX_BYTES if such events matter`;
      answerAndHangUp(response, 413, 'too_large', limit);
      return;
    }
    if (body.kind === 'truncated') {
      end('truncated', 400, 'malformed', 'the connection ended before the announced length');
      return;
    }
    const signature = format.verify(deps.secret, body.bytes, request.headersDistinct);
    if (!signature.ok) {
      if (Math.abs(deps.now() - toldAt) >= TELL_UNSIGNED_MS) {
        toldAt = deps.now();
        deps.onUnsigned?.(signature.reason);
      }
      end('unsigned', 401, 'unauthorized', signature.reason);
      return;
    }
    if (!isPlainJson(request.headers['content-type'], request.headers['content-encoding'])) {
      end('wrong_type', 415, 'unsupported_media_type', "set the webhook's content type to application/json");
      return;
    }
    const eventType = format.eventTypeOf(request.headers);
    const parsed = format.parse(eventType, body.bytes);
    if (parsed.kind !== 'hint') {
      const code = parsed.kind === 'unwanted' ? 200 : 400;
      end(parsed.kind, code, parsed.kind === 'unwanted' ? 'ignored' : 'malformed', parsed.reason);
      return;
    }
    const { owner, repo } = parsed.hint.subject;
    const place: Place = { repoId: parsed.hint.repoId, owner, repo };
    if (!deps.serves(place) && !(await mayWorkIn(parsed.hint.repoId))) {
      end('unwanted', 200, 'ignored', `${owner}/${repo} is not among the repositories of FORGE_REPOS`);
      return;
    }
    if (parsed.hint.cause.kind === 'checks' && !(await mayWorkIn(parsed.hint.repoId))) {
      end('unwanted', 200, 'ignored', `no run goes on in ${owner}/${repo}`);
      return;
    }
    const span = deps.tracing?.begin('delivery', {
      'bot_bottle.event': eventType,
      'bot_bottle.delivery': format.deliveryIdOf(request.headers),
      'bot_bottle.repository': `${owner}/${repo}`,
      'bot_bottle.number': parsed.hint.subject.number,
    });
    try {
      const verdict = await deps.inbox.accept({
        bodyHash: sha256(body.bytes),
        eventType,
        receivedAt: deps.now(),
        orderKey: orderKeyOf(parsed.hint),
        hint: storedHint(parsed.hint),
        traceparent: span?.traceparent,
      });
      if (verdict === 'duplicate') {
        end('duplicate', 200, 'duplicate', 'this very body was accepted before');
        return;
      }
    } catch (error) {
      deps.onError('a delivery could not be stored', error);
      end('unavailable', 503, 'unavailable', 'the inbox cannot be written: see the log, then redeliver');
      return;
    }
    deps.saw?.(place);
    end('accepted', 202, 'accepted');
    span?.end();
    deps.metrics.acceptSeconds.observe(Number(process.hrtime.bigint() - began) / 1e9);
    deps.onAccepted();
  };
}

function isPlainJson(type: string | undefined, encoding: string | undefined): boolean {
  const essence = (type ?? '').split(';', 1)[0] ?? '';
  return (
    essence.trim().toLowerCase() === 'application/json' && (encoding === undefined || encoding === 'identity')
  );
}
