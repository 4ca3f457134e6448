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
} from '../../domain/issue.js';
import { InvalidInputError } from '../../domain/errors.js';
import type { Forge, ForgeFor, ForgeReaction, OpenPrInput, RepositoryFile } from '../../domain/forge.js';
import { readChecks } from './checks.js';
import * as comments from './comments.js';
import * as files from './files.js';
import type { GithubClient } from './github-client.js';
import { githubRepo, rememberedUser } from './github-repo.js';
import type { GithubRepo } from './github-repo.js';
import * as issues from './issues.js';
import { readLinkedPulls } from './linked-pulls.js';
import { toRepository } from '../forge-http/mapping.js';
import * as members from './members.js';
import * as pulls from './pulls.js';
import { whereIs } from './repositories.js';
import * as reviews from './reviews.js';
import { readTimeline } from './timeline.js';

/** The `Forge` port over GitHub's REST API: one short function per operation, by theme in the files beside. */
export class GithubForge implements Forge {
  readonly #repo: GithubRepo;

  constructor(repo: GithubRepo) {
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
    return readChecks(this.#repo, prNumber);
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
    return Promise.reject(new InvalidInputError('forge_read: allowed is for Gitea alone'));
  }

  readOrgMembers(): Promise<string[]> {
    return this.readWriters();
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
    const { client, name } = this.#repo;
    return toRepository((await client.call((api) => api.repos.get(name))).data);
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
export function githubForgeFor(client: GithubClient): ForgeFor {
  const whoAmI = rememberedUser(client);
  return (ref) => new GithubForge(githubRepo(client, ref, whoAmI));
}
