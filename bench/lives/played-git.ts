/** Git and pull requests without git: every run has one commit, whose id is made of its name. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { Forge, OpenPrInput } from '../../src/domain/forge/forge.js';
import type { GitPublishVerdict, GitRepository } from '../../src/domain/workspace/git-repository.js';
import { NO_SUBMODULES } from '../../src/domain/workspace/submodules.js';
import type { PullRequest } from '../../src/domain/forge/issue.js';
import { extractionReport } from '../../test/support/publish/extraction-report.js';

const BASE = 'b'.repeat(40);
/** Bytes of a bundle with one small commit. */
const BUNDLE_BYTES = 600;
/** Above all numbers that the forge gives. */
const FIRST_NUMBER = 100_000;

/** What the extractor's container answers for a workspace with one new commit and nothing left over. */
export function playedExtraction(branch: string): Uint8Array {
  return extractionReport({ head: headOf(branch), bundle: Buffer.alloc(BUNDLE_BYTES) });
}

function headOf(branch: string): string {
  return createHash('sha1').update(branch).digest('hex');
}

const NOT_SCANNED = { scanner: 'off', outcome: 'clean', findings: 0, rules: [] } as const;

/** Mirrors and pushes that need no process. */
export class PlayedGit implements GitRepository {
  readonly #pushed = new Set<string>();

  refresh(): ReturnType<GitRepository['refresh']> {
    return Promise.resolve({ startSha: BASE, baseBranch: 'main', baseSha: BASE, branchSha: null });
  }

  writeRefsBundle(...[, , , file]: Parameters<GitRepository['writeRefsBundle']>): Promise<void> {
    return writeFile(file, Buffer.alloc(BUNDLE_BYTES));
  }

  writeSubmodules(): ReturnType<GitRepository['writeSubmodules']> {
    return Promise.resolve(NO_SUBMODULES);
  }

  boundary(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  branches(): ReturnType<GitRepository['branches']> {
    return Promise.resolve({ defaultBranch: 'main', branches: new Map([['main', BASE]]) });
  }

  removeLeftBehind(): Promise<number> {
    return Promise.resolve(0);
  }

  publish({ branch }: { readonly branch: string }): Promise<GitPublishVerdict> {
    const head = headOf(branch);
    if (this.#pushed.has(branch)) return Promise.resolve({ kind: 'unchanged', head, onForge: true });
    this.#pushed.add(branch);
    return Promise.resolve({ kind: 'pushed', head, secretScan: NOT_SCANNED });
  }

  blobsOf(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  isAncestor(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

/** A forge whose pull requests are kept here, since their branches are nowhere. */
export function withPlayedPulls(forge: Forge, opened: Map<string, PullRequest>): Forge {
  const pulls: Pick<Forge, 'findOpenPrByHead' | 'openPr' | 'isPrOpen' | 'requestReview'> = {
    findOpenPrByHead: (head) => Promise.resolve(opened.get(head)),
    isPrOpen: () => Promise.resolve(true),
    requestReview: () => Promise.resolve(),
    openPr: (input) => {
      const pull = opened.get(input.head) ?? pullRequest(FIRST_NUMBER + opened.size, input);
      opened.set(input.head, pull);
      return Promise.resolve(pull);
    },
  };
  return new Proxy(forge, {
    get(target, key) {
      const from: object = key in pulls ? pulls : target;
      const member: unknown = Reflect.get(from, key);
      return typeof member === 'function' ? (member.bind(from) as unknown) : member;
    },
  });
}

function pullRequest(number: number, { title, body, head, base }: OpenPrInput): PullRequest {
  return {
    number,
    title,
    body,
    state: 'open',
    merged: false,
    draft: false,
    labels: [],
    assignees: [],
    author: { id: 1, login: 'bottle-bot' },
    url: `http://127.0.0.1:3000/alice/frozen/pulls/${String(number)}`,
    head: { ref: head, sha: headOf(head), fromFork: false },
    base: { ref: base, sha: BASE },
    updatedAt: '2026-01-01T00:00:00Z',
    closedAt: null,
  };
}
