import { isRecord } from '../../domain/base/is-record.js';
import { ForgeHttpError, InvalidInputError } from '../../domain/base/errors.js';
import { forkName, type ForkState, type Forks } from '../../domain/forge/forks.js';
import type { ForgeUser, RepoRef } from '../../domain/forge/issue.js';
import { asObject, flagOf, textOf } from './decode.js';
import type { JsonObject } from './decode.js';
import { toUser } from './mapping.js';
import type { GiteaClient } from './gitea-client.js';
import { giteaRepo, rememberedUser, type GiteaRepo } from './gitea-repo.js';
import { allPages } from './paging.js';

/** Gitea answers when the fork is whole, and gives up copying when nobody waits. */
const COPY_TIMEOUT_MS = 10 * 60_000;

/**
 * Forks in the account of the token's user. Gitea and Forgejo allow one of a repository, under any name. One that is
 * being made is waited for by everybody in this process who asks for it.
 */
export class GiteaForks implements Forks {
  readonly #whoAmI: () => Promise<ForgeUser>;
  readonly #underWay = new Map<string, Promise<RepoRef>>();

  constructor(private readonly client: GiteaClient) {
    this.#whoAmI = rememberedUser(client);
  }

  ensure(repo: RepoRef): Promise<RepoRef> {
    const key = `${repo.owner}/${repo.repo}`.toLowerCase();
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    const work = this.#ensure(repo).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, work);
    return work;
  }

  async look(repo: RepoRef): Promise<ForkState> {
    const found = await this.#find(repo);
    return found.kind === 'there' ? { kind: 'there', fork: refOf(found.raw) } : found;
  }

  async #ensure(repo: RepoRef): Promise<RepoRef> {
    const found = await this.#find(repo);
    if (found.kind === 'impossible') throw new InvalidInputError(found.reason);
    const raw = found.kind === 'none' ? await this.#make(repo) : found.raw;
    const fork = refOf(raw);
    if (flagOf(raw, 'has_actions')) await this.#turnCiOff(fork);
    return fork;
  }

  async #find(repo: RepoRef): Promise<Found> {
    const base = this.#repo(repo);
    const bot = await this.#whoAmI();
    if (bot.login.toLowerCase() === repo.owner.toLowerCase()) {
      return impossible(
        `${base.name} belongs to the bot itself, which cannot fork it: move it to another account, or set FORGE_PUBLISH to branch`,
      );
    }
    const name = forkName(repo);
    const named = await this.#read(['repos', bot.login, name]);
    if (named !== undefined && isForkOf(named, repo)) return { kind: 'there', raw: named };
    const forks = await allPages(this.client, base.path('forks'));
    const own = forks.find((fork) => toUser(fork['owner']).id === bot.id);
    if (own !== undefined) return { kind: 'there', raw: own };
    if (named === undefined) return { kind: 'none' };
    return impossible(
      `${bot.login}/${name} is no fork of ${base.name}, and FORGE_PUBLISH=fork needs that name for one: rename or delete it`,
    );
  }

  async #make(repo: RepoRef): Promise<JsonObject> {
    const base = this.#repo(repo);
    try {
      const path = base.path('forks');
      const body = { name: forkName(repo) };
      const made = await this.client.json({ method: 'POST', path, body, timeoutMs: COPY_TIMEOUT_MS });
      return asObject(made, 'fork');
    } catch (error) {
      if (!(error instanceof ForgeHttpError) || ![403, 409].includes(error.status)) throw error;
      // Another host was faster, perhaps.
      const found = error.status === 409 ? await this.#find(repo) : undefined;
      if (found?.kind === 'there') return found.raw;
      throw new InvalidInputError(
        `${base.name} cannot be forked, as FORGE_PUBLISH=fork asks for: ${error.message}. Let the bot’s account and its publisher’s token make repositories, or set FORGE_PUBLISH to branch`,
        { cause: error },
      );
    }
  }

  async #turnCiOff(fork: RepoRef): Promise<void> {
    const path = this.#repo(fork).path();
    await this.client.request({ method: 'PATCH', path, body: { has_actions: false } });
  }

  async #read(path: readonly string[]): Promise<JsonObject | undefined> {
    const response = await this.client.request({ method: 'GET', path, accept: [301, 302, 307, 404] });
    return response.status === 200 ? asObject(response.json(), 'repository') : undefined;
  }

  #repo(repo: RepoRef): GiteaRepo {
    return giteaRepo(this.client, repo, this.#whoAmI);
  }
}

type Found =
  { readonly kind: 'there'; readonly raw: JsonObject } | Exclude<ForkState, { readonly kind: 'there' }>;

function impossible(reason: string): Found {
  return { kind: 'impossible', reason };
}

/** By the name of what it was forked from, which Gitea keeps up to date. */
function isForkOf(raw: JsonObject, { owner, repo }: RepoRef): boolean {
  const { parent } = raw;
  if (!flagOf(raw, 'fork') || !isRecord(parent)) return false;
  const name = textOf(parent, 'full_name');
  return name.toLowerCase() === `${owner}/${repo}`.toLowerCase();
}

function refOf(raw: JsonObject): RepoRef {
  return {
    forge: 'gitea',
    owner: textOf(asObject(raw['owner'], 'owner'), 'login'),
    repo: textOf(raw, 'name'),
  };
}
