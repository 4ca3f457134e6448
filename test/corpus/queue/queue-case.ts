import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a sidecar that was taken over writes. */
export interface Ground {
  /** The directory of its messages. */
  readonly out: string;
  /** A file of the host's, with a message of this run in it. */
  readonly outside: string;
  readonly slug: string;
}

/** Goes on until it is called off. */
export type Going = () => Promise<void>;

/** What such a sidecar leaves for the worker, and what becomes of it. */
export interface QueueCase {
  readonly name: string;
  /** `delivered`: it is a message all the same; `flood`: the turn is stopped; else why all of it is taken away. */
  readonly end: 'delivered' | 'flood' | RegExp;
  /** Only root can bring it about. */
  readonly asRoot?: true;
  /** It is refused, but lies there until the run ends. */
  readonly stays?: true;
  readonly put: (ground: Ground) => Promise<Going | undefined>;
}

export function nameOf(sequence: number, id = `abcdefgh${String(sequence)}`): string {
  return `${String(sequence).padStart(12, '0')}-${id}.json`;
}

export const FIRST = nameOf(1);

export type Body = Readonly<Record<string, unknown>>;

export function lines(slug: string, ...texts: readonly string[]): Body {
  const all = texts.map((text, at) => ({
    id: `l-${String(at)}`,
    at: 1,
    operation: 'read_issue',
    target: '#1',
    outcome: 'ok',
    text,
  }));
  return { kind: 'operations', slug, turn: 1, at: 1, lines: all };
}

/** Whole at once, as a sidecar does it. */
export async function putWhole(out: string, name: string, content: string | Uint8Array): Promise<void> {
  const unfinished = join(out, `.writing-${name.slice(13, -5)}`);
  await writeFile(unfinished, content);
  await rename(unfinished, join(out, name));
}

/** One file, under a good name. */
export function content(
  name: string,
  end: QueueCase['end'],
  make: (slug: string) => string | Uint8Array,
): QueueCase {
  return {
    name,
    end,
    put: async ({ out, slug }) => {
      await putWhole(out, FIRST, make(slug));
      return undefined;
    },
  };
}

/** Something else than a file may lie there. */
export function lying(
  name: string,
  end: QueueCase['end'],
  put: (ground: Ground) => Promise<unknown>,
  more: Pick<QueueCase, 'asRoot' | 'stays'> = {},
): QueueCase {
  return {
    name,
    end,
    ...more,
    put: async (ground) => {
      await put(ground);
      return undefined;
    },
  };
}
