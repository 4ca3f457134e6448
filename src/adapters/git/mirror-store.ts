import { join } from 'node:path';
import type { RepoRef } from '../../domain/forge/issue.js';
import { safeDirectoryFile } from './local-source.js';
import { Mirror, mirrorDirectory } from './mirror.js';
import { nameOf, type Remote } from './remote.js';
import { RepositoryLocks } from './repository-lock.js';
import { removeLeftBehind, scratchDirectory, withScratchRepository } from './scratch-repository.js';

export interface MirrorStoreOptions {
  /** Absolute directory of the mirrors, on a disk of ours, mode 0700. */
  readonly mirrorsDir: string;
  /** http(s) address without user and password, or an absolute path. */
  readonly cloneUrl: (repo: RepoRef) => string;
  /** Read afresh for every command, so that a new token needs no restart; empty for none. */
  readonly readToken: () => string;
  /** Extra CA certificates, PEM (`FORGE_CA_FILE`). */
  readonly caFile?: string;
}

/** The mirrors of a host, what they are fetched from, and the repositories that borrow from them. */
export class MirrorStore {
  readonly #locks = new RepositoryLocks();

  constructor(private readonly options: MirrorStoreOptions) {}

  mirror(repo: RepoRef): Mirror {
    return new Mirror(mirrorDirectory(this.options.mirrorsDir, repo), this.#locks);
  }

  /** @param token empty for none */
  remote(repo: RepoRef, token = this.options.readToken()): Remote {
    const { cloneUrl, caFile } = this.options;
    return { url: cloneUrl(repo), token, caFile, name: nameOf(repo) };
  }

  /** To fetch from, for a turn: of the forge, or of this machine. */
  async source(repo: RepoRef): Promise<Remote> {
    const { path } = repo;
    if (path === undefined) return this.remote(repo);
    const configFile = await safeDirectoryFile(join(this.options.mirrorsDir, '.local'), path);
    return { url: path, token: '', caFile: undefined, name: path, configFile };
  }

  /** Runs `work` in a repository that borrows from the mirror and has these refs, by full name. */
  scratch<T>(
    repo: RepoRef,
    refs: ReadonlyMap<string, string>,
    work: (dir: string) => Promise<T>,
  ): Promise<T> {
    return withScratchRepository(
      scratchDirectory(this.options.mirrorsDir),
      this.mirror(repo).dir,
      refs,
      work,
    );
  }

  /** Removes what a crash left behind. Answers how many repositories that was. */
  removeLeftBehind(): Promise<number> {
    return removeLeftBehind(scratchDirectory(this.options.mirrorsDir));
  }
}
