import express from 'express';
import type { ErrorRequestHandler, Express, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import { VERSION_PATH, type Operation } from './base/operation.js';
import { mayUse } from '../domain/api/api-token.js';
import { EXIT } from '../cli/base/exit-codes.js';
import { failureOf } from '../cli/base/errors.js';
import type { ApiDeps } from './base/api-deps.js';
import { authorize, fromHere, tokenOf } from './authorize.js';
import { openApiDocument } from './openapi.js';
import { OPERATIONS } from './operations/all.js';
import { ApiProblem, problem, type ProblemStatus } from './base/problem.js';
import { EventStreams } from './event-streams.js';

const MAX_BODY = '512kb';
const DOCUMENT_PATH = `${VERSION_PATH}/openapi.json`;

/** The API's express application; its routes are `OPERATIONS`. What goes wrong is `application/problem+json` (RFC 9457). */
export function createApi(deps: ApiDeps, version: string): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use((_request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    next();
  });
  app.use(fromHere(deps.hosts));
  const document = openApiDocument(OPERATIONS, version);
  // It is the same everywhere: nothing of this machine is in it.
  app.get(DOCUMENT_PATH, (_request, response) => {
    response.json(document);
  });
  app.use(authorize(deps));
  const streams = new EventStreams(deps);
  for (const operation of OPERATIONS) {
    const handlers = [needs(operation), ...(operation.body === undefined ? [] : [readsJson()])];
    app[operation.method](routeOf(operation), ...handlers, serves(operation, deps, streams));
  }
  for (const [path, methods] of methodsByPath()) app.all(path, onlyBy(methods));
  app.use((_request, response) => {
    problem(response, 404, `there is nothing here: GET ${VERSION_PATH}/openapi.json says what there is`);
  });
  app.use(onFault(deps));
  return app;
}

function needs({ scope }: Operation): RequestHandler {
  return (_request, response, next) => {
    if (mayUse(tokenOf(response), scope)) next();
    else problem(response, 403, `this needs a token of scope ${scope}`);
  };
}

function readsJson(): RequestHandler {
  const read = express.json({ limit: MAX_BODY, strict: true, type: 'application/json' });
  return (request, response, next) => {
    if (request.is('application/json') === false || request.headers['content-type'] === undefined)
      problem(response, 415, 'send a body of type application/json');
    else read(request, response, next);
  };
}

function serves(operation: Operation, deps: ApiDeps, streams: EventStreams): RequestHandler {
  return async (request, response) => {
    const asked = {
      params: checked('path', operation.params, request.params),
      query: checked('query', operation.query, request.query),
      body: operation.body === undefined ? undefined : checked('body', operation.body, request.body),
      token: tokenOf(response),
    };
    if (operation.kind === 'answer') response.json(await operation.handle(deps, asked));
    else await streams.send(request, response, (options) => operation.open(deps, asked, options));
  };
}

/** Errors: `ApiProblem` 400, which names every field that is wrong. */
function checked<S extends z.ZodType>(place: string, schema: S, given: unknown): z.output<S> {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const where = read.error.issues.map(({ path, message }) => `${[place, ...path].join('.')}: ${message}`);
  throw new ApiProblem(400, where.join('; ').slice(0, 2_000));
}

function methodsByPath(): ReadonlyMap<string, readonly string[]> {
  const found = new Map([[DOCUMENT_PATH, ['GET']]]);
  for (const operation of OPERATIONS) {
    const route = routeOf(operation);
    found.set(route, [...(found.get(route) ?? []), operation.method.toUpperCase()]);
  }
  return found;
}

/** Parameters as express writes them. */
function routeOf({ path }: Operation): string {
  return VERSION_PATH + path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function onlyBy(methods: readonly string[]): RequestHandler {
  return (_request, response) => {
    response.setHeader('Allow', methods.join(', '));
    problem(response, 405, `ask by ${methods.join(' or ')}`);
  };
}

function onFault(deps: ApiDeps): ErrorRequestHandler {
  return (error: unknown, _request, response: Response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { status, detail } = answerTo(error);
    if (status === 500) deps.onError('a request failed', error);
    if (status === 503) response.setHeader('Retry-After', '5');
    problem(response, status, detail);
  };
}

function answerTo(error: unknown): { readonly status: ProblemStatus; readonly detail: string } {
  if (error instanceof ApiProblem) return { status: error.status, detail: error.message };
  // Express and its parser of bodies say so of what they refuse.
  const refused = error instanceof Error && 'status' in error ? error.status : undefined;
  if (refused === 413) return { status: 413, detail: `a body has at most ${MAX_BODY}` };
  if (refused === 415)
    return { status: 415, detail: 'send the body in UTF-8, and not compressed otherwise than by gzip' };
  if (typeof refused === 'number' && refused >= 400 && refused < 500)
    return { status: 400, detail: 'the request cannot be read: mend its path or its body' };
  const { exitCode, message } = failureOf(error);
  if (exitCode === EXIT.unreachable) return { status: 503, detail: message };
  if (exitCode === EXIT.usage) return { status: 400, detail: message };
  if (exitCode === EXIT.notFound) return { status: 404, detail: message };
  if (exitCode === EXIT.refused) return { status: 409, detail: message };
  return { status: 500, detail: 'ask again; the log says what went wrong' };
}
