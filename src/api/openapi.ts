/** OpenAPI 3.1, made of the schemas that validate. */
import { z } from 'zod';
import { problemDocument } from './base/documents.js';
import { VERSION_PATH, type Operation } from './base/operation.js';

type Json = Readonly<Record<string, unknown>>;

const PROBLEM = { $ref: '#/components/schemas/Problem' };
/** What any operation may answer. */
const ALWAYS = [400, 401, 403, 429] as const;
const REFUSALS = {
  400: 'what was asked is wrong',
  401: 'no token that is good',
  403: 'the token’s scope, or the caller',
  404: 'there is none',
  409: 'it cannot be done now',
  413: 'the body is too large',
  415: 'the body is not JSON',
  429: 'too many requests',
  503: 'Temporal or its worker does not answer; a command or a decision that had been accepted by then goes on',
};

export function openApiDocument(operations: readonly Operation[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations)
    (paths[VERSION_PATH + operation.path] ??= {})[operation.method] = described(operation);
  return {
    openapi: '3.1.0',
    info: {
      title: 'bot-bottle',
      version,
      description:
        'Runs, what is recorded of them, and what operators tell them. Text of people and agents is untrusted.',
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'bot-bottle token create makes one' },
      },
      schemas: { Problem: jsonSchema(problemDocument) },
    },
  };
}

function described(operation: Operation): Json {
  const { id, scope, summary, params, query, body, refuses = [] } = operation;
  const refusals = [...ALWAYS, ...(body === undefined ? [] : ([413, 415] as const)), ...refuses];
  const good =
    operation.kind === 'answer'
      ? { 'application/json': { schema: jsonSchema(operation.answer) } }
      : { 'text/event-stream': { schema: { type: 'string' } } };
  return {
    operationId: id,
    summary,
    description: `Needs a token of scope ${scope}.`,
    parameters: [
      ...parameters('path', params),
      ...parameters('query', query),
      ...(operation.kind === 'events' ? [LAST_EVENT_ID] : []),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: jsonSchema(body, 'input') } },
          },
        }),
    responses: {
      200: { description: 'as asked', content: good },
      ...Object.fromEntries(refusals.map((status) => [status, refusal(REFUSALS[status])])),
    },
  };
}

const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'the id of the last event that was received',
  schema: { type: 'string', pattern: '^[0-9]{1,15}-[0-9]{1,15}$' },
};

function parameters(place: 'path' | 'query', fields: z.ZodObject): readonly Json[] {
  const { properties = {}, required = [] } = jsonSchema(fields) as {
    properties?: Readonly<Record<string, Json>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    // What has a default may be left out, though it is always there behind the validation.
    required: place === 'path' || (required.includes(name) && !('default' in schema)),
    schema,
  }));
}

function refusal(description: string): Json {
  return { description, content: { 'application/problem+json': { schema: PROBLEM } } };
}

/** Without the dialect, which OpenAPI 3.1 implies. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
