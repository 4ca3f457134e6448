import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../domain/base/message-of.js';
import { parseAllowlist, type AllowEntry } from '../../domain/egress/allowlist.js';
import type { Route } from '../../domain/egress/route.js';
import { parseRoutes } from '../../domain/egress/routes.js';
import type { BundleLog } from '../base/bundle-log.js';

export interface EgressConfig {
  readonly allow: readonly AllowEntry[];
  readonly routes: readonly Route[];
}

const ALLOWLIST = 'allowlist';
const ROUTES = 'routes.json';
const POLL_MS = 500;
/** Both files are the worker's own; one that is larger is not. */
const MAX_BYTES = 1024 * 1024;

/**
 * The bottle's allowlist and routes, read again when they change. Each file by itself: one that makes no sense changes
 * nothing, is logged, and the last good one stays. One that is not there allows nothing.
 */
export class LiveConfig {
  readonly #directory: string;
  readonly #log: BundleLog;
  readonly #seen = new Map<string, string>();
  #config: EgressConfig = { allow: [], routes: [] };
  #onChange: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(directory: string, log: BundleLog) {
    this.#directory = directory;
    this.#log = log;
    this.#look();
  }

  /** As the files are now: an agent tries again as soon as it hears that its proposal is approved. */
  get current(): EgressConfig {
    this.#look();
    return this.#config;
  }

  /** To be called once. Looks every half second, for what is under way. */
  watch(onChange: () => void): void {
    this.#onChange = onChange;
    this.#timer = setInterval(() => {
      this.#look();
    }, POLL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const allow = this.#changed(ALLOWLIST, (text) => {
      const { entries, problems } = parseAllowlist(text);
      const [first] = problems;
      if (first !== undefined) throw new Error(`line ${String(first.line)}: ${first.problem}`);
      return entries;
    });
    const routes = this.#changed(ROUTES, (text) => {
      const read = parseRoutes(text);
      if (read.kind === 'problems') throw new Error(read.problems[0] ?? 'bad');
      return read.routes;
    });
    if (allow === undefined && routes === undefined) return;
    this.#config = { allow: allow ?? this.#config.allow, routes: routes ?? this.#config.routes };
    this.#onChange?.();
  }

  /** What the file says now; `undefined` when it is as it was, or makes no sense. */
  #changed<T>(name: string, parse: (text: string) => readonly T[]): readonly T[] | undefined {
    const file = join(this.#directory, name);
    const stat = statSync(file, { throwIfNoEntry: false, bigint: true });
    const mark = stat === undefined ? 'absent' : [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
    if (this.#seen.get(name) === mark) return undefined;
    const isFirst = !this.#seen.has(name);
    this.#seen.set(name, mark);
    if (stat === undefined) return [];
    try {
      if (stat.size > BigInt(MAX_BYTES)) throw new Error('too large');
      const parsed = parse(readFileSync(file, 'utf8'));
      if (!isFirst) this.#log('info', 'egress configuration read again', { file: name });
      return parsed;
    } catch (error) {
      const why = messageOf(error);
      this.#log('error', 'egress configuration is bad, the last good one stays', { file: name, why });
      return undefined;
    }
  }
}
