import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { InvalidInputError } from '../../domain/base/errors.js';
import { isSlug } from '../../domain/run/slug.js';
import {
  CRASHES_ALLOWED,
  crashesOf,
  markAt,
  SetAsideError,
  setAsideReason,
  type Mark,
  type UnderWay,
  type Work,
} from '../../domain/run/under-way.js';
import { ensurePrivate } from './directories.js';
import { readJson } from './read-json.js';
import { unlessMissing } from '../../domain/base/errno.js';
import { ownIdentity } from '../system/process-identity.js';
import { TEMPORARY_PREFIX, writeWhole } from '../system/write-file.js';

const schema = z.object({
  worker: z.string(),
  boot: z.string(),
  crashes: z.int(),
  stages: z.array(z.string()),
}) satisfies z.ZodType<Mark>;

const KEY = /^[a-z0-9_-]{1,80}$/;
/** What was set aside leaves its mark; no activity is tried for longer. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

interface Held {
  readonly slug: string;
  /** What was left of it before. */
  readonly before: Mark | undefined;
  /** Its mark is on the disk: nothing is tried before that. */
  readonly marked: Promise<void>;
  mark: Mark;
  /** Tries in this process. */
  tries: number;
  /** One of them ended well. */
  isDone: boolean;
}

/** The one request whose like has killed a worker and which is tried now, with all of its run. */
interface Suspect {
  readonly slug: string;
  readonly over: Promise<void>;
  readonly end: () => void;
  works: number;
}

/**
 * One small file for each thing under way, in `under-way/` of the home. They are not synced: what a dead process has
 * written stays, and after a machine that went down nothing is counted.
 */
export class UnderWayFiles implements UnderWay {
  readonly #held = new Map<string, Held>();
  #suspect: Suspect | null = null;

  private constructor(
    private readonly directory: string,
    private readonly here: Pick<Mark, 'worker' | 'boot'>,
  ) {}

  /** Old marks are removed, and what a killed worker had half written. No other worker may have the home. */
  static async open(home: string, worker: string = randomUUID()): Promise<UnderWayFiles> {
    const directory = join(home, 'under-way');
    await ensurePrivate(directory);
    for (const name of await readdir(directory)) {
      const found = await unlessMissing(stat(join(directory, name)));
      const isOld = found !== undefined && Date.now() - found.mtimeMs > KEPT_MS;
      if (isOld || name.startsWith(TEMPORARY_PREFIX)) await rm(join(directory, name), { force: true });
    }
    return new UnderWayFiles(directory, { worker, boot: (await ownIdentity()).bootId });
  }

  async during<T>(work: Work, run: () => Promise<T>): Promise<T> {
    const file = this.#fileOf(work);
    const held = this.#held.get(file);
    if (held !== undefined) return this.#try(file, held, run);
    const found = await readMark(file);
    const crashes = crashesOf(found, this.here);
    if (await this.#isSetAside(work, crashes)) throw new SetAsideError(work);
    const release = crashes === 0 ? (): void => undefined : await this.#alone(work.slug);
    try {
      return await this.#try(file, this.#held.get(file) ?? this.#hold(work.slug, file, found, crashes), run);
    } finally {
      release();
    }
  }

  async reached(slug: string, stage: string): Promise<void> {
    for (const [file, held] of this.#held) {
      const mark = markAt(held.mark, stage);
      if (held.slug !== slug || mark === held.mark) continue;
      held.mark = mark;
      await writeMark(file, mark);
    }
  }

  async whySetAside(work: Work): Promise<string | null> {
    const file = this.#fileOf(work);
    if (this.#held.has(file)) return null;
    const crashes = crashesOf(await readMark(file), this.here);
    return (await this.#isSetAside(work, crashes)) ? setAsideReason(work) : null;
  }

  async forget(slug: string): Promise<void> {
    for (const file of await this.#filesOf(slug)) if (!this.#held.has(file)) await rm(file, { force: true });
  }

  /** The worker stops in good order: what is cut off now did not kill it. */
  async close(): Promise<void> {
    for (const [file, held] of this.#held) {
      await held.marked;
      await this.#leave(file, held);
    }
  }

  async #isSetAside(work: Work, crashes: number): Promise<boolean> {
    if (crashes < CRASHES_ALLOWED) return false;
    if (work.isBackground !== true) return true;
    const own = this.#fileOf(work);
    for (const file of await this.#filesOf(work.slug))
      if (file !== own && crashesOf(await readMark(file), this.here) >= crashes) return false;
    return true;
  }

  async #filesOf(slug: string): Promise<string[]> {
    const names = await readdir(this.directory);
    return names.filter((name) => name.startsWith(`${slug}.`)).map((name) => join(this.directory, name));
  }

  #hold(slug: string, file: string, before: Mark | undefined, crashes: number): Held {
    const mark = { ...this.here, crashes, stages: before?.stages ?? [] };
    const held: Held = { slug, before, marked: writeMark(file, mark), mark, tries: 0, isDone: false };
    this.#held.set(file, held);
    return held;
  }

  async #try<T>(file: string, held: Held, run: () => Promise<T>): Promise<T> {
    held.tries += 1;
    try {
      await held.marked;
      const result = await run();
      held.isDone = true;
      return result;
    } finally {
      held.tries -= 1;
      if (held.tries === 0 && this.#held.get(file) === held) await this.#leave(file, held);
    }
  }

  /** What failed may kill the next worker still, so the crashes before it are remembered. */
  async #leave(file: string, { before, mark, isDone }: Held): Promise<void> {
    this.#held.delete(file);
    if (isDone || before === undefined || mark.crashes === 0) await rm(file, { force: true });
    else await writeMark(file, before);
  }

  /** Two that were under way at the same crash are tried one after the other: the next one tells which it was. */
  async #alone(slug: string): Promise<() => void> {
    while (this.#suspect !== null && this.#suspect.slug !== slug) await this.#suspect.over;
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const suspect = (this.#suspect ??= { slug, over, end, works: 0 });
    suspect.works += 1;
    return () => {
      suspect.works -= 1;
      if (suspect.works > 0) return;
      this.#suspect = null;
      suspect.end();
    };
  }

  #fileOf({ slug, key }: Work): string {
    if (isSlug(slug) && KEY.test(key)) return join(this.directory, `${slug}.${key}.json`);
    throw new InvalidInputError(`no request of a run: ${JSON.stringify([slug, key])}`);
  }
}

function readMark(file: string): Promise<Mark | undefined> {
  return readJson(file, schema);
}

function writeMark(file: string, mark: Mark): Promise<void> {
  return writeWhole(file, JSON.stringify(mark), { mode: 0o600, durable: false });
}
