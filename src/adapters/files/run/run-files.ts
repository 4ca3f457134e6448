import { lstat, mkdir, readFile, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidInputError } from '../../../domain/base/errors.js';
import type { LogLine } from '../../../domain/bottle/bottle-runtime.js';
import type {
  DroppedLog,
  MissingLog,
  RunFiles,
  RunLeftover,
  RunPaths,
  TurnInput,
  TurnRecord,
} from '../../../domain/run/run-files.js';
import type { SecretNeed } from '../../../domain/secret/secret-need.js';
import { AGENT_LOG_BYTES, NOTHING_DROPPED, RUN_LOG_BYTES, appendAgentLog, noteMissing } from './agent-log.js';
import { ensureHome, ensurePrivate, ensureWithRights } from '../directories.js';
import { RunFilesError } from '../file-error.js';
import { errnoOf, unlessMissing } from '../../../domain/base/errno.js';
import { OPERATIONS_BYTES, appendOperationLines } from './operation-file.js';
import { findLeftovers } from './run-leftovers.js';
import { authoritiesOf } from './secret-authorities.js';
import { requireHostsPath, runLayout, turnDirectory, type RunLayout } from './run-layout.js';
import { replaceFiles } from './replace-files.js';
import { dropTurnInputFiles, writeTurnInputFiles } from './turn-input.js';
import { parseTurnRecord } from './turn-record.js';
import { removeWhole, syncDirectory, writeWhole } from '../../system/write-file.js';

export interface RunFilesOptions {
  /** `$BOT_BOTTLE_HOME` */
  readonly home: string;
  /** The sidecar's forge token, read anew each time it is placed. */
  readonly forgeToken: () => Promise<string>;
  /**
   * A secret of the operator. Errors: `InvalidInputError` when it is not for all of these upstreams (`host:port`).
   * @param authorities each of them must have been bound by the operator
   * @param vendors those of the route that is made to the vendor whose secret it is, which needs no binding
   */
  readonly secret: (
    name: string,
    authorities: readonly string[],
    vendors: readonly string[],
  ) => Promise<string>;
  /** The host may give files away (it is root). Default: whether it is. */
  readonly canChown?: boolean;
  /** Where the agent works and lives, in the place of the run's own directory and a volume. */
  readonly elsewhere?: { readonly workspace: string; readonly home: string };
  readonly maxLogBytes?: number;
  /** Of all turns of a run together. */
  readonly maxRunLogBytes?: number;
  readonly maxOperationBytes?: number;
}

/** User ids inside the containers (the bundle's is neither 0 nor the agent's). */
const AGENT = { uid: 1000, gid: 1000 };
const BUNDLE = { uid: 10001, gid: 10001 };

/**
 * The run's directory on the local disk. Where the host is not root it cannot give directories away, so the agent's and
 * the bundle's are open to everybody, behind a `state` directory that only the host's user can enter.
 */
export class LocalRunFiles implements RunFiles {
  readonly #options: RunFilesOptions;
  readonly #canChown: boolean;
  /** By run: the turn that is logged now, and how much the turns before it have left for it. */
  readonly #logRoom = new Map<string, { readonly turn: number; readonly bytes: number }>();

  constructor(options: RunFilesOptions) {
    this.#options = options;
    this.#canChown = options.canChown ?? process.getuid?.() === 0;
  }

  paths(slug: string): RunPaths {
    return { ...this.#layout(slug), ...this.#options.elsewhere };
  }

  async prepare(slug: string): Promise<RunPaths & { readonly isNew: boolean }> {
    const layout = this.#layout(slug);
    const state = join(this.#options.home, 'state');
    const { workspace, home } = this.paths(slug);
    const isNew = (await unlessMissing(lstat(workspace))) === undefined;
    await ensureHome(this.#options.home);
    await ensurePrivate(state);
    await ensurePrivate(layout.root);
    await Promise.all([layout.bundle, layout.queue, layout.transcript, layout.turns].map(ensurePrivate));
    await Promise.all([
      ensureWithRights(layout.turnInput, { mode: 0o755 }),
      ensureWithRights(layout.currentConfig, { mode: 0o755 }),
      ensureWithRights(
        layout.bundleSecrets,
        this.#canChown ? { mode: 0o500, owner: BUNDLE } : { mode: 0o755 },
      ),
      ensureWithRights(layout.queueIn, { mode: 0o755 }),
      ensureWithRights(layout.queueOut, this.#canChown ? { mode: 0o755, owner: BUNDLE } : { mode: 0o777 }),
    ]);
    const agents = this.#canChown ? { mode: 0o755, owner: AGENT } : { mode: 0o777 };
    if (home !== undefined) await ensureWithRights(home, agents);
    // Last and synced: where the workspace is, everything else is.
    await ensureWithRights(workspace, agents);
    if (isNew) await Promise.all([this.#options.home, state, layout.root, layout.queue].map(syncDirectory));
    return { ...this.paths(slug), isNew };
  }

  async writeTurnInput(slug: string, input: TurnInput): Promise<void> {
    await writeTurnInputFiles(this.#layout(slug).turnInput, input);
  }

  async dropTurnInput(slug: string): Promise<void> {
    await dropTurnInputFiles(this.#layout(slug).turnInput);
  }

  async placeSecrets(
    slug: string,
    needs: readonly SecretNeed[],
    { forgeToken }: { readonly forgeToken: boolean } = { forgeToken: true },
  ): Promise<void> {
    const { bundleToken, bundleSecrets } = this.#layout(slug);
    const rights = this.#canChown ? { mode: 0o400, owner: BUNDLE } : { mode: 0o444 };
    const place = async (file: string, value: Promise<string>): Promise<void> =>
      writeWhole(file, await value, { ...rights, durable: false });
    if (forgeToken) await place(bundleToken, this.#options.forgeToken());
    await replaceFiles(
      bundleSecrets,
      await Promise.all(
        [...authoritiesOf(needs)].map(
          async ([name, { authorities, vendors }]) =>
            [name, await this.#options.secret(name, authorities, vendors)] as const,
        ),
      ),
      { ...rights, durable: false },
    );
  }

  async dropSecrets(slug: string): Promise<void> {
    const { bundleToken, bundleSecrets } = this.#layout(slug);
    await removeWhole(bundleToken);
    await replaceFiles(bundleSecrets, [], { mode: 0o400, durable: false });
  }

  async writeCurrentConfig(slug: string, files: Readonly<Record<string, string>>): Promise<void> {
    await replaceFiles(this.#layout(slug).currentConfig, Object.entries(files), {
      mode: 0o644,
      durable: false,
    });
  }

  async readTurn(slug: string, turn: number): Promise<TurnRecord | undefined> {
    const file = join(turnDirectory(this.#layout(slug), turn), 'record.json');
    const text = await unlessMissing(readFile(file, 'utf8'));
    return text === undefined ? undefined : parseTurnRecord(text, file);
  }

  async writeTurn(slug: string, record: TurnRecord): Promise<void> {
    const directory = await this.#turnDirectory(slug, record.turn);
    await writeWhole(join(directory, 'record.json'), `${JSON.stringify(record, null, 2)}\n`, {
      mode: 0o600,
      durable: true,
    });
  }

  async appendLog(slug: string, turn: number, lines: readonly LogLine[]): Promise<DroppedLog> {
    if (lines.length === 0) return NOTHING_DROPPED;
    const file = join(await this.#turnDirectory(slug, turn), 'agent.log');
    return appendAgentLog(file, lines, await this.#logRoomOf(slug, turn));
  }

  async noteMissingLog(slug: string, turn: number, missing: MissingLog): Promise<void> {
    const file = join(await this.#turnDirectory(slug, turn), 'agent.log');
    await noteMissing(file, missing, await this.#logRoomOf(slug, turn));
  }

  async appendOperations(slug: string, turn: number, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    if (lines.some((line) => line.includes('\n'))) throw new InvalidInputError('an operation is one line');
    const file = join(await this.#turnDirectory(slug, turn), 'operations.jsonl');
    await appendOperationLines(file, turn, lines, this.#options.maxOperationBytes ?? OPERATIONS_BYTES);
  }

  async readOperations(slug: string, turn: number): Promise<string> {
    const file = join(turnDirectory(this.#layout(slug), turn), 'operations.jsonl');
    return (await unlessMissing(readFile(file, 'utf8'))) ?? '';
  }

  async saveFile(slug: string, relativePath: string, content: Uint8Array | string): Promise<string> {
    const file = this.#pathOf(slug, relativePath);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeWhole(file, content, { mode: 0o600, durable: true });
    return file;
  }

  async readFile(slug: string, relativePath: string): Promise<Uint8Array | undefined> {
    return unlessMissing(readFile(this.#pathOf(slug, relativePath)));
  }

  async listFiles(slug: string, relativePath: string): Promise<readonly string[]> {
    const path = this.#pathOf(slug, relativePath);
    const entries = (await unlessMissing(readdir(path, { withFileTypes: true }))) ?? [];
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  async removeFile(slug: string, relativePath: string): Promise<void> {
    await rm(this.#pathOf(slug, relativePath), { force: true });
  }

  async leftovers(): Promise<readonly RunLeftover[]> {
    return findLeftovers(this.#options.home);
  }

  async removeTransient(slug: string): Promise<void> {
    const layout = this.#layout(slug);
    this.#logRoom.delete(slug);
    // The token first: whatever fails below, it is gone.
    for (const path of [layout.bundle, layout.turnInput, layout.currentConfig, layout.queue])
      await removeTree(path);
    try {
      await unlessMissing(rmdir(layout.workspace));
    } catch (error) {
      if (errnoOf(error) !== 'ENOTEMPTY' && errnoOf(error) !== 'EEXIST') throw error;
      throw new RunFilesError(`${layout.workspace} is not empty: a container must empty it first`, true, {
        cause: error,
      });
    }
  }

  /** Bytes that the turn's log may have: less when those of the turns before are large. */
  async #logRoomOf(slug: string, turn: number): Promise<number> {
    const known = this.#logRoom.get(slug);
    if (known?.turn === turn) return known.bytes;
    const layout = this.#layout(slug);
    let left = this.#options.maxRunLogBytes ?? RUN_LOG_BYTES;
    for (let earlier = 1; earlier < turn; earlier += 1)
      left -= (await unlessMissing(stat(join(turnDirectory(layout, earlier), 'agent.log'))))?.size ?? 0;
    const bytes = Math.max(0, Math.min(left, this.#options.maxLogBytes ?? AGENT_LOG_BYTES));
    this.#logRoom.set(slug, { turn, bytes });
    return bytes;
  }

  /** Of a file that the host alone writes. Errors: `InvalidInputError`. */
  #pathOf(slug: string, relativePath: string): string {
    return join(this.#layout(slug).root, requireHostsPath(relativePath));
  }

  #layout(slug: string): RunLayout {
    return runLayout(this.#options.home, slug);
  }

  async #turnDirectory(slug: string, turn: number): Promise<string> {
    const layout = this.#layout(slug);
    const directory = turnDirectory(layout, turn);
    if ((await mkdir(directory, { recursive: true, mode: 0o700 })) !== undefined)
      await syncDirectory(layout.turns);
    return directory;
  }
}

/** What the bundle closed against the host (non-root) has to be removed in a container. */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (cause) {
    const problem = `${path} could not be removed; a container that runs as root must empty it first`;
    throw new RunFilesError(problem, true, { cause });
  }
}
