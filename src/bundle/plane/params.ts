import { isRecord } from '../../domain/base/is-record.js';
import { isForgeNumber } from '../../domain/forge/issue.js';
import { JSON_RPC_CODE, JsonRpcError } from '../jsonrpc/protocol.js';

/*
 * Parameters of sidecar methods, of four kinds only. Not zod: under Node 22 it costs 12 to 25 ms of a start that is
 * to take less than 60, and what is described here is JSON Schema already, which is what MCP asks for.
 */

export type ParamSpec =
  | { readonly type: 'number'; readonly description: string }
  | {
      readonly type: 'text';
      readonly description: string;
      /** UTF-8 bytes. */
      readonly maxBytes: number;
      readonly required: 'non-empty' | 'may be empty';
    }
  | { readonly type: 'choice'; readonly description: string; readonly values: readonly string[] }
  /** SHA-256, 64 hexadecimal digits; read in lower case. */
  | { readonly type: 'sha256'; readonly description: string };

const SHA256 = /^[0-9a-fA-F]{64}$/;

export type ParamsSpec = Readonly<Record<string, ParamSpec>>;

type ParamValue<P extends ParamSpec> = P extends { readonly type: 'number' }
  ? number
  : P extends { readonly type: 'choice'; readonly values: readonly (infer V)[] }
    ? V
    : string;

export type ParamsOf<S extends ParamsSpec> = { readonly [K in keyof S]: ParamValue<S[K]> };

/**
 * Reads parameters given by name or, as JSON-RPC allows, by position in the order of the specification. Every one is
 * required and unknown ones are errors. Control characters other than line ends and tabs are removed from texts.
 * Errors: `JsonRpcError` -32602.
 */
export function parseParams<S extends ParamsSpec>(spec: S, params: unknown): ParamsOf<S> {
  const given = byName(spec, params);
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(spec, name)) throw invalid(`unknown parameter ${JSON.stringify(name.slice(0, 40))}`);
  }
  const parsed = Object.entries(spec).map(([name, param]) => {
    if (!Object.hasOwn(given, name)) throw invalid(`parameter "${name}" is missing`);
    return [name, parseOne(name, param, given[name])] as const;
  });
  return Object.fromEntries(parsed) as unknown as ParamsOf<S>;
}

/** The same as JSON Schema (draft 2020-12), the form MCP wants a tool's input in. */
export function jsonSchemaOf(spec: ParamsSpec): Readonly<Record<string, unknown>> {
  const properties = Object.entries(spec).map(([name, param]) => [name, schemaOfParam(param)] as const);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(spec),
    additionalProperties: false,
  };
}

function byName(spec: ParamsSpec, params: unknown): Readonly<Record<string, unknown>> {
  if (params === undefined) return {};
  if (isRecord(params)) return params;
  const positional: readonly unknown[] = Array.isArray(params) ? params : [];
  const names = Object.keys(spec);
  if (positional.length > names.length) throw invalid(`at most ${String(names.length)} parameters`);
  return Object.fromEntries(
    names.slice(0, positional.length).map((name, index) => [name, positional[index]]),
  );
}

function parseOne(name: string, param: ParamSpec, value: unknown): string | number {
  switch (param.type) {
    case 'number':
      if (!isForgeNumber(value))
        throw invalid(`"${name}" must be a whole number from 1 to 2^53 - 1, as a JSON number`);
      return value;
    case 'choice':
      if (typeof value !== 'string' || !param.values.includes(value)) {
        throw invalid(`"${name}" must be one of: ${param.values.join(', ')}`);
      }
      return value;
    case 'sha256':
      if (typeof value !== 'string' || !SHA256.test(value))
        throw invalid(`"${name}" must be a SHA-256, 64 hexadecimal digits`);
      return value.toLowerCase();
    case 'text':
      return parseText(name, param, value);
  }
}

function parseText(name: string, param: ParamSpec & { readonly type: 'text' }, value: unknown): string {
  if (typeof value !== 'string') throw invalid(`"${name}" must be a string`);
  const bytes = Buffer.byteLength(value, 'utf8');
  if (bytes > param.maxBytes) {
    throw invalid(
      `"${name}" has ${String(bytes)} bytes, at most ${String(param.maxBytes)} are taken: shorten it`,
    );
  }
  const text = value.replace(/(?![\n\r\t])\p{Cc}/gu, '').replace(/\p{Cs}/gu, '\uFFFD');
  if (param.required === 'non-empty' && text.trim() === '') throw invalid(`"${name}" must not be empty`);
  return text;
}

function schemaOfParam(param: ParamSpec): Readonly<Record<string, unknown>> {
  const { description } = param;
  switch (param.type) {
    case 'number':
      return { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description };
    case 'choice':
      return { type: 'string', enum: param.values, description };
    case 'sha256':
      return { type: 'string', pattern: SHA256.source, description };
    case 'text':
      return {
        type: 'string',
        minLength: param.required === 'non-empty' ? 1 : 0,
        // In characters, of which none is less than a byte; what counts is in the description.
        maxLength: param.maxBytes,
        description: `${description} At most ${String(param.maxBytes)} bytes.`,
      };
  }
}

function invalid(why: string): JsonRpcError {
  return new JsonRpcError(JSON_RPC_CODE.invalidParams, `invalid params: ${why}`);
}
