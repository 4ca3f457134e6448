import type {
  CheckStatus,
  Comment,
  ForgeUser,
  Issue,
  LinkedPull,
  Permission,
  Place,
  PullRequest,
  Repository,
  Review,
  TimelineAct,
} from '../../domain/forge/issue.js';
import type {
  Forge,
  ForgeFor,
  ForgeReaction,
  OpenPrInput,
  RepositoryFile,
} from '../../domain/forge/forge.js';
import * as checks from './checks.js';
import * as comments from './comments.js';
import * as files from './files.js';
import type { GiteaClient } from './gitea-client.js';
import { giteaRepo, rememberedUser } from './gitea-repo.js';
import type { GiteaRepo } from './gitea-repo.js';
import * as issues from './issues.js';
import { toRepository } from './mapping.js';
import { whereIs } from './repositories.js';
import * as members from './members.js';
import * as pulls from './pulls.js';
import * as reviews from './reviews.js';
import { readLinkedPulls, readTimeline } from './timeline.js';

/** The `Forge` port over Gitea's and Forgejo's API [S0]: one short function per operation, by theme in the files beside. */
export class GiteaForge implements Forge {
  readonly #repo: GiteaRepo;

  constructor(repo: GiteaRepo) {
    this.#repo = repo;
  }

  readIssue(number: number): Promise<Issue> {
    return issues.readIssue(this.#repo, number);
  }

  readPr(number: number): Promise<PullRequest> {
    return pulls.readPr(this.#repo, number);
  }

  readComments(number: number): Promise<Comment[]> {
    return comments.readComments(this.#repo, number);
  }

  readComment(id: number): Promise<Comment> {
    return comments.readComment(this.#repo, id);
  }

  readReviews(prNumber: number): Promise<Review[]> {
    return reviews.readReviews(this.#repo, prNumber);
  }

  readDiff(prNumber: number): Promise<string> {
    return pulls.readDiff(this.#repo, prNumber);
  }

  readChecks(prNumber: number): Promise<CheckStatus[]> {
    return checks.readChecks(this.#repo, prNumber);
  }

  readStatuses(sha: string): Promise<CheckStatus[]> {
    return checks.readStatuses(this.#repo, sha);
  }

  readCheckLog(check: CheckStatus, sha: string, maxBytes: number): Promise<string | null> {
    return checks.readCheckLog(this.#repo, check, sha, maxBytes);
  }

  findOpenPrByCommit(sha: string): Promise<PullRequest | undefined> {
    return pulls.findOpenPrByCommit(this.#repo, sha);
  }

  postComment(number: number, body: string, marker: string): Promise<Comment> {
    return comments.postComment(this.#repo, number, body, marker);
  }

  updateDescription(number: number, body: string): Promise<void> {
    return issues.updateDescription(this.#repo, number, body);
  }

  isOrgMember(org: string, login: string): Promise<boolean> {
    return members.isOrgMember(this.#repo.client, org, login);
  }

  permissionOf(login: string): Promise<Permission> {
    return members.permissionOf(this.#repo, login);
  }

  readWriters(): Promise<string[]> {
    return members.readWriters(this.#repo);
  }

  readOrgMembers(org: string): Promise<string[]> {
    return members.readOrgMembers(this.#repo.client, org);
  }

  findOpenPrByHead(branch: string): Promise<PullRequest | undefined> {
    return pulls.findOpenPrByHead(this.#repo, branch);
  }

  getPrForIssue(issue: number, knownPr: number | null): Promise<PullRequest | undefined> {
    return pulls.getPrForIssue(this.#repo, issue, knownPr);
  }

  async isPrOpen(number: number): Promise<boolean> {
    return (await this.readPr(number)).state === 'open';
  }

  openPr(input: OpenPrInput): Promise<PullRequest> {
    return pulls.openPr(this.#repo, input);
  }

  requestReview(prNumber: number, login: string): Promise<void> {
    return pulls.requestReview(this.#repo, prNumber, login);
  }

  readTimeline(number: number): Promise<TimelineAct[]> {
    return readTimeline(this.#repo, number);
  }

  readLinkedPulls(number: number): Promise<LinkedPull[]> {
    return readLinkedPulls(this.#repo, number);
  }

  whereIs(repoId: number): Promise<Place | undefined> {
    return whereIs(this.#repo.client, repoId);
  }

  async readRepository(): Promise<Repository> {
    return toRepository(await this.#repo.client.json({ method: 'GET', path: this.#repo.path() }));
  }

  readDefaultHead(): Promise<string | undefined> {
    return files.readDefaultHead(this.#repo);
  }

  readFile(path: string, commit: string, maxBytes: number): Promise<RepositoryFile> {
    return files.readFile(this.#repo, path, commit, maxBytes);
  }

  react(number: number, reaction: ForgeReaction): Promise<void> {
    return issues.react(this.#repo, number, reaction);
  }

  whoAmI(): Promise<ForgeUser> {
    return this.#repo.whoAmI();
  }
}

/** Binds the client to repositories. Errors: `InvalidInputError` for a name no forge allows. */
export function giteaForgeFor(client: GiteaClient): ForgeFor {
  const whoAmI = rememberedUser(client);
  return (ref) => new GiteaForge(giteaRepo(client, ref, whoAmI));
}
