import { ForgeHttpError } from '../../domain/base/errors.js';
import type {
  AdminRepository,
  AdminTarget,
  ForgeAdmin,
  Hook,
  HookChange,
  HookSpec,
  Label,
  NewLabel,
  RepoTarget,
} from '../../domain/forge/forge-admin.js';
import { ciFiles } from './ci-files.js';
import { asList, asObject, flagOf, integerOf, textOf } from './decode.js';
import type { JsonObject } from './decode.js';
import type { GiteaClient, PathSegment } from './gitea-client.js';
import { eventsForEdit, toHook } from './hook-events.js';
import { allPages } from './paging.js';

/** Webhooks and labels of Gitea's and Forgejo's API (routers/api/v1/utils/hook.go of Gitea 1.26). */
export class GiteaAdmin implements ForgeAdmin {
  readonly #client: GiteaClient;

  constructor(client: GiteaClient) {
    this.#client = client;
  }

  async login(): Promise<string | null> {
    try {
      return textOf(asObject(await this.#client.json({ method: 'GET', path: ['user'] }), 'user'), 'login');
    } catch (error) {
      if (error instanceof ForgeHttpError && error.status === 403) return null;
      throw error;
    }
  }

  async listHooks(target: AdminTarget): Promise<Hook[]> {
    return (await this.#list([...pathOf(target), 'hooks'])).map(toHook);
  }

  async createHook(target: AdminTarget, spec: HookSpec, like?: Hook): Promise<Hook> {
    const body = {
      type: 'gitea',
      active: true,
      name: spec.name,
      config: { url: spec.url, content_type: 'json', secret: spec.secret, http_method: 'post' },
      events: eventsForEdit(spec.events),
      ...(like === undefined ? {} : kept(like)),
    };
    const path = [...pathOf(target), 'hooks'];
    return toHook(asObject(await this.#client.json({ method: 'POST', path, body }), 'hook'));
  }

  async editHook(target: AdminTarget, hook: Hook, change: HookChange): Promise<Hook> {
    // What an edit leaves out, Gitea empties: events, filter and header are always sent.
    const body = {
      active: true,
      config: { url: change.url ?? hook.url, content_type: 'json' },
      events: eventsForEdit(change.events ?? hook.events),
      ...(change.name === undefined ? {} : { name: change.name }),
      ...kept(hook),
    };
    const path = [...pathOf(target), 'hooks', hook.id];
    return toHook(asObject(await this.#client.json({ method: 'PATCH', path, body }), 'hook'));
  }

  deleteHook(target: AdminTarget, id: number): Promise<void> {
    return this.#delete([...pathOf(target), 'hooks', id]);
  }

  async testHook(target: RepoTarget, id: number): Promise<void> {
    await this.#client.request({ method: 'POST', path: [...pathOf(target), 'hooks', id, 'tests'] });
  }

  async listLabels(target: AdminTarget): Promise<Label[]> {
    return (await this.#list([...pathOf(target), 'labels'])).map(toLabel);
  }

  async inheritedLabels({ owner }: RepoTarget): Promise<Label[]> {
    try {
      return (await this.#list(['orgs', owner, 'labels'])).map(toLabel);
    } catch (error) {
      // A person's repository inherits nothing; a token without read:organization can't look.
      if (error instanceof ForgeHttpError && [403, 404].includes(error.status)) return [];
      throw error;
    }
  }

  async createLabel(target: AdminTarget, label: NewLabel): Promise<void> {
    await this.#client.json({ method: 'POST', path: [...pathOf(target), 'labels'], body: { ...label } });
  }

  deleteLabel(target: AdminTarget, id: number): Promise<void> {
    return this.#delete([...pathOf(target), 'labels', id]);
  }

  async labelInUse(target: AdminTarget, name: string): Promise<boolean> {
    const [path, scope] =
      target.kind === 'repo'
        ? [[...pathOf(target), 'issues'], {}]
        : [['repos', 'issues', 'search'], { owner: target.org }];
    const query = { ...scope, labels: name, state: 'all', limit: 1 };
    return asList(await this.#client.json({ method: 'GET', path, query }), 'issues').length > 0;
  }

  async repository(target: RepoTarget): Promise<AdminRepository> {
    return toRepository(asObject(await this.#client.json({ method: 'GET', path: pathOf(target) }), 'repo'));
  }

  ciFiles(target: RepoTarget): Promise<string[]> {
    return ciFiles(this.#client, pathOf(target));
  }

  async repositoriesOf(org: string): Promise<AdminRepository[]> {
    return (await this.#list(['orgs', org, 'repos'])).map(toRepository);
  }

  #list(path: readonly PathSegment[]): Promise<JsonObject[]> {
    return allPages(this.#client, path);
  }

  async #delete(path: readonly PathSegment[]): Promise<void> {
    await this.#client.request({ method: 'DELETE', path, accept: [404] });
  }
}

function pathOf(target: AdminTarget): readonly PathSegment[] {
  return target.kind === 'repo' ? ['repos', target.owner, target.repo] : ['orgs', target.org];
}

function kept(hook: Hook): { readonly authorization_header: string; readonly branch_filter: string } {
  return { authorization_header: hook.authorization, branch_filter: hook.branchFilter };
}

function toLabel(raw: JsonObject): Label {
  return { id: integerOf(raw, 'id'), name: textOf(raw, 'name') };
}

function toRepository(raw: JsonObject): AdminRepository {
  const owner = textOf(asObject(raw['owner'], 'owner'), 'login');
  return {
    target: { kind: 'repo', owner, repo: textOf(raw, 'name') },
    empty: flagOf(raw, 'empty'),
    archived: flagOf(raw, 'archived'),
  };
}
