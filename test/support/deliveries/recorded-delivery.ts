import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** One request of the forge to a webhook. */
export interface RecordedDelivery {
  /** Header `X-Gitea-Event`. */
  readonly event: string;
  /** Header `X-Gitea-Event-Type`. */
  readonly eventType: string;
  /** The `x-*` headers by lower-case name, as sent; only delivery ids are numbered within the act. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What somebody did, and every delivery that came of it, in the order of arrival: none is a fact too. */
export interface RecordedAct {
  readonly act: string;
  readonly deliveries: readonly RecordedDelivery[];
}

export const FIXTURES = fileURLToPath(new URL('../../fixtures/deliveries/', import.meta.url));

/** Every recorded act by the name of its file without number and ending, in the order of the story. */
export function recordedActs(directory: string = FIXTURES): ReadonlyMap<string, RecordedAct> {
  const files = readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .sort();
  return new Map(
    files.map((file) => [
      file.replace(/^\d+-|\.json$/g, ''),
      JSON.parse(readFileSync(path.join(directory, file), 'utf8')) as RecordedAct,
    ]),
  );
}

/** Types whose payloads Gitea indents by one space; all others by two. */
const ONE_SPACE = new Set(['wiki', 'repository']);

/**
 * The bytes that were sent. Gitea writes its payloads with Go's `json.MarshalIndent`, in
 * modules/structs/hook.go, which escapes three
 * characters for HTML and two line separators; so a parsed body gives its raw text back, and the signature of the forge
 * covers it. Recording fails on a body of which that is not true.
 */
export function rawBodyOf({ eventType, body }: Pick<RecordedDelivery, 'eventType' | 'body'>): Buffer {
  const text = JSON.stringify(body, null, ONE_SPACE.has(eventType) ? 1 : 2).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return Buffer.from(text);
}

/** `issue_label label_updated`; without an action just the type. */
export function nameOf({ eventType, body }: RecordedDelivery): string {
  const action = body['action'];
  return typeof action === 'string' ? `${eventType} ${action}` : eventType;
}
