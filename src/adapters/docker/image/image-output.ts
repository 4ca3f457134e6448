import { isRecord } from '../../../domain/base/is-record.js';

/** What is kept of a build's output: its end, where the fault stands. */
const KEPT_CHARACTERS = 256 * 1024;
/** A line of the engine's JSON longer than this is dropped. */
const MAX_LINE = 1024 * 1024;

export interface BuildOutput {
  readonly log: string;
  /** Id of the image, `undefined` when it was not built. */
  readonly id: string | undefined;
  /** The engine's reason, `undefined` when there is none. */
  readonly error: string | undefined;
}

/** Reads the engine's answer to a build: JSON objects, one a line, however they are cut into chunks. */
export async function readBuildOutput(stream: AsyncIterable<Buffer | string>): Promise<BuildOutput> {
  let log = '';
  let id: string | undefined;
  let error: string | undefined;
  const take = (line: string): void => {
    const { stream: text, aux, error: reason } = eventOf(line);
    if (typeof text === 'string') log = (log + text).slice(-KEPT_CHARACTERS);
    if (isRecord(aux) && typeof aux['ID'] === 'string') id = aux['ID'];
    if (typeof reason === 'string') error = reason;
  };
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) rest = '';
    lines.forEach(take);
  }
  take(rest);
  return { log, id, error };
}

function eventOf(line: string): { stream?: unknown; aux?: unknown; error?: unknown } {
  try {
    const event: unknown = JSON.parse(line);
    return isRecord(event) ? event : {};
  } catch {
    return {};
  }
}
