import express from 'express';
import type { ErrorRequestHandler, Express } from 'express';
import { InvalidInputError } from '../../domain/base/errors.js';
import { answer, answerAndHangUp } from './answer.js';
import { DELIVERY_FORMATS } from './formats.js';
import { createReadiness } from './readiness.js';
import { receiveDelivery } from './receive-delivery.js';
import type { ReceiveDeps } from './receive-delivery.js';

export interface WebhookDeps extends ReceiveDeps {
  /** What the dispatcher last saw of Temporal; told, but deliveries are accepted without it. */
  readonly temporalReachable: () => boolean | Promise<boolean>;
}

/**
 * The webhook's express application: a path for each sender of deliveries, `GET /healthz`, `GET /readyz`, `GET /metrics`. Answers are
 * `{ "status": "...", "reason": "..." }`.
 * Errors: `InvalidInputError` for an empty secret.
 */
export function createWebhookApp(deps: WebhookDeps): Express {
  if (deps.secret === '') {
    throw new InvalidInputError(
      'the webhook secret is empty: set one with `bot-bottle secret set webhook-secret`',
    );
  }
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  for (const [path, format] of Object.entries(DELIVERY_FORMATS)) {
    app.post(path, receiveDelivery(deps, format));
    app.all(path, (_request, response) => {
      response.setHeader('Allow', 'POST');
      answerAndHangUp(response, 405, 'method_not_allowed', 'deliveries are sent with POST');
    });
  }
  app.get('/healthz', (_request, response) => {
    answer(response, 200, 'ok');
  });
  const readiness = createReadiness(deps);
  app.get('/readyz', async (_request, response) => {
    const state = await readiness();
    response.status(state.status === 'ready' ? 200 : 503).json(state);
  });
  app.get('/metrics', async (_request, response) => {
    const { registry } = deps.metrics;
    response.type(registry.contentType).send(await registry.metrics());
  });
  app.use((_request, response) => {
    answerAndHangUp(response, 404, 'not_found', 'deliveries go to POST /webhooks/gitea');
  });
  const onFault: ErrorRequestHandler = (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    // A client's mistake (such as a malformed path) carries its status; anything else is ours.
    const code = clientStatus(error);
    if (code === undefined) deps.onError('a request failed', error);
    if (code === undefined) answerAndHangUp(response, 500, 'error', 'internal error: see the log');
    else answerAndHangUp(response, code, 'bad_request', 'the request is malformed');
  };
  app.use(onFault);
  return app;
}

function clientStatus(error: unknown): number | undefined {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}
