/** A Gitea's description of its own API (Swagger 2.0): what may be asked, and what the answers look like. */
import { constantsOf, type GoSource } from './go-source.js';

export type Json = Readonly<Record<string, unknown>>;

export interface Operation {
  /** `GET /repos/{owner}/{repo}` */
  readonly name: string;
  readonly raw: Json;
}

/** A text by the definition that it is of, or by definition and property, for which any text will not do. */
export type Values = Readonly<Record<string, unknown>>;

/** How often a shape may be inside itself, such as a repository's parent; deeper it is `null`. */
const MAX_NESTED = 2;
export const TIME = '2026-01-02T03:04:05Z';
const SCALARS: Readonly<Record<string, (value: string) => boolean>> = {
  integer: (value) => /^-?\d+$/.test(value),
  boolean: (value) => value === 'true' || value === 'false',
  string: () => true,
};

export class ApiDocument {
  readonly #document: Json;

  /** @param template JSON with a template's placeholders inside its texts */
  constructor(
    template: string,
    private readonly source: GoSource,
  ) {
    this.#document = JSON.parse(template.replace(/\{\{.*?\}\}/g, '')) as Json;
  }

  /** @param path below `/api/v1`, decoded. The one with the fewest parameters, as a router picks it. */
  find(method: string, path: string): Operation | undefined {
    const matches = Object.entries(this.#part('paths')).filter(([template, methods]) => {
      const raw = part(methods, method.toLowerCase());
      return raw !== undefined && this.#pattern(template, raw).test(path);
    });
    const [best] = matches.sort(([a], [b]) => a.split('{').length - b.split('{').length);
    if (best === undefined) return undefined;
    return { name: `${method} ${best[0]}`, raw: part(best[1], method.toLowerCase()) ?? {} };
  }

  /** What is not documented in a request's query and body; empty when all is. */
  problemsOf({ raw }: Operation, query: URLSearchParams, body: unknown): string[] {
    const parameters = listOf(raw['parameters']);
    const problems = [...query].flatMap(([key, value]) => {
      const found = parameters.find((one) => one['in'] === 'query' && one['name'] === key);
      if (found === undefined) return [`the query has ${key}`];
      const fits = SCALARS[String(found['type'])]?.(value) === true && isOneOf(found, value);
      return fits ? [] : [`the query has ${key}=${value}`];
    });
    if (body === undefined) return problems;
    const schema = parameters.find((one) => one['in'] === 'body');
    if (schema === undefined) return [...problems, 'there is a body'];
    return [...problems, ...this.#misfits(part(schema, 'schema') ?? {}, body, 'the body')];
  }

  /** The answer of that status, the first of 2xx without one: an instance with everything filled, or why there is none. */
  answerOf({ name, raw }: Operation, values: Values, status?: number): { status: number; body: unknown } {
    const responses = part(raw, 'responses') ?? {};
    const code = status ?? Object.keys(responses).find((key) => key.startsWith('2'));
    const response = part(responses, String(code));
    if (response === undefined) throw new Error(`${name}: no answer ${String(code)} in the document`);
    const schema = part(this.#resolved(response), 'schema');
    return { status: Number(code), body: schema && this.#instance(schema, values, '', '', []) };
  }

  /** Errors: for a value of something that is not in the document, or no constant of its Go type. */
  checkValues(values: Values): void {
    for (const [key, value] of Object.entries(values)) {
      const [name = '', property] = key.split('.');
      const definition = part(this.#part('definitions'), name) ?? {};
      if (property === undefined && constantsOf(this.source, name).includes(String(value))) continue;
      if (property !== undefined && part(part(definition, 'properties') ?? {}, property) !== undefined)
        continue;
      throw new Error(`${key} is not in the document, or ${String(value)} none of its constants`);
    }
  }

  #pattern(template: string, raw: Json): RegExp {
    const integers = listOf(raw['parameters']).flatMap((one) =>
      one['in'] === 'path' && one['type'] === 'integer' ? [one['name']] : [],
    );
    const source = template.replace(/[.]|\{(\w+)\}/g, (whole, name: string | undefined) => {
      if (name === undefined) return `\\${whole}`;
      if (name === 'filepath') return '.+';
      return integers.includes(name) ? '\\d+' : '[^/]+';
    });
    return new RegExp(`^${source}$`);
  }

  #misfits(of: Json, value: unknown, where: string): string[] {
    const schema = this.#resolved(of);
    const type = schema['type'];
    if (Array.isArray(value)) {
      if (type !== 'array') return [`${where} is a list`];
      return value.flatMap((item) => this.#misfits(part(schema, 'items') ?? {}, item, `${where}[]`));
    }
    if (typeof value !== 'object' || value === null) {
      const fits = type === (Number.isInteger(value) ? 'integer' : typeof value) && isOneOf(schema, value);
      return fits ? [] : [`${where} is ${JSON.stringify(value)}`];
    }
    const missing = listed(schema['required']).filter((key) => !(String(key) in value));
    const properties = part(schema, 'properties') ?? {};
    return [
      ...missing.map((key) => `${where} lacks ${String(key)}`),
      ...Object.entries(value).flatMap(([key, inner]) => {
        const known = part(properties, key) ?? part(schema, 'additionalProperties');
        return known === undefined ? [`${where} has ${key}`] : this.#misfits(known, inner, `${where}.${key}`);
      }),
    ];
  }

  #instance(of: Json, values: Values, key: string, name: string, inside: readonly string[]): unknown {
    const ref = of['$ref'];
    if (typeof ref === 'string') {
      const definition = ref.slice(ref.lastIndexOf('/') + 1);
      if (inside.filter((one) => one === definition).length >= MAX_NESTED) return null;
      if (definition in values) return values[definition];
      return this.#instance(this.#resolved(of), values, key, definition, [...inside, definition]);
    }
    switch (of['type']) {
      case 'array': {
        const item = this.#instance(part(of, 'items') ?? {}, values, key, '', inside);
        return item === null ? [] : [item];
      }
      case 'integer':
        return 1;
      case 'boolean':
        return true;
      case 'string':
        return textFor(of, key);
      default:
        return Object.fromEntries(
          Object.entries(part(of, 'properties') ?? {}).map(([property, schema]) => {
            const given = `${name}.${property}`;
            if (given in values) return [property, values[given]];
            return [property, this.#instance(schema as Json, values, property, '', inside)];
          }),
        );
    }
  }

  #resolved(of: Json): Json {
    const ref = of['$ref'];
    if (typeof ref !== 'string') return of;
    const [, kind = '', name = ''] = ref.split('/');
    const found = part(this.#part(kind), name);
    if (found === undefined) throw new Error(`${ref} is not in the document`);
    return this.#resolved(found);
  }

  #part(name: string): Json {
    const found = part(this.#document, name);
    if (found === undefined) throw new Error(`no ${name} in the document`);
    return found;
  }
}

function part(of: unknown, key: string): Json | undefined {
  const value = (of as Json | undefined)?.[key];
  return typeof value === 'object' && value !== null ? (value as Json) : undefined;
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function listOf(value: unknown): readonly Json[] {
  return listed(value) as readonly Json[];
}

function isOneOf(schema: Json, value: unknown): boolean {
  return schema['enum'] === undefined || listed(schema['enum']).includes(value);
}

/** The same name everywhere, so that owners, repositories and accounts are each other's. */
function textFor(schema: Json, key: string): string {
  const [first] = listed(schema['enum']);
  if (typeof first === 'string') return first;
  if (schema['format'] === 'date-time') return TIME;
  if (key === 'full_name') return 'text/text';
  if (key.endsWith('sha')) return 'a'.repeat(40);
  return key.endsWith('url') ? 'http://forge.example/text/text/1' : 'text';
}
