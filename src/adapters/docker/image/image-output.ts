import { isRecord, recordIn } from '../../../domain/base/is-record.js';
import { MIB } from '../hardening.js';

/** What is kept of a build's output: its end, where the fault stands. */
const KEPT_CHARACTERS = 256 * 1024;
/** A line of the engine's JSON longer than this is dropped. */
const MAX_LINE = 1024 * 1024;
/** More than any build needs to say, as much as is kept of an agent's output in a turn: each line costs the worker time. */
const MAX_MIB = 64;
const TOO_MUCH =
  `it printed more than ${String(MAX_MIB)} MiB, as the engine tells it: let its steps print less ` +
  `(their own quiet options, or >/dev/null)`;

export interface BuildOutput {
  readonly log: string;
  /** Id of the image, `undefined` when it was not built. */
  readonly id: string | undefined;
  /** The engine's reason, `undefined` when there is none. */
  readonly error: string | undefined;
}

/**
 * Reads the engine's answer to a build: JSON objects, one a line, however they are cut into chunks. Leaves a build that
 * prints without end, which ends it.
 */
export async function readBuildOutput(stream: AsyncIterable<Buffer | string>): Promise<BuildOutput> {
  let log = '';
  let id: string | undefined;
  let error: string | undefined;
  const take = (line: string): void => {
    const { stream: text, aux, error: reason } = recordIn(line) ?? {};
    if (typeof text === 'string') log += text;
    // Cut seldom: each time all of it is copied.
    if (log.length > 2 * KEPT_CHARACTERS) log = log.slice(-KEPT_CHARACTERS);
    if (isRecord(aux) && typeof aux['ID'] === 'string') id = aux['ID'];
    if (typeof reason === 'string') error = reason;
  };
  let rest = '';
  let bytes = 0;
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MAX_MIB * MIB) {
      error = TOO_MUCH;
      break;
    }
    const [end = '', ...lines] = (
      typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    ).split('\n');
    rest += end;
    for (const line of lines) {
      take(rest);
      rest = line;
    }
    if (rest.length > MAX_LINE) rest = '';
  }
  take(rest);
  return { log: log.slice(-KEPT_CHARACTERS), id, error };
}
