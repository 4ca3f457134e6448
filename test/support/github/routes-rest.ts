import { mayWrite, NOT_FOUND, paged, refusal, repoOf } from './exchange.js';
import type { Route } from './exchange.js';
import { renderCheckRun, renderCommit, renderContent, renderPush } from './render-activity.js';
import { nodeId, renderRepository, renderUser } from './render.js';
import type { WireCheckRuns, WireCombinedStatus, WirePermission } from './wire-types.js';

/** Users, repositories, rights, memberships and checks. */
export const OTHER_ROUTES: readonly Route[] = [
  ['GET', '/user', ({ origin, asker }) => ({ status: 200, json: renderUser(origin, asker) })],
  [
    'GET',
    '/repos/:owner/:repo',
    (exchange) => {
      const repo = repoOf(exchange);
      if (repo === undefined) return NOT_FOUND;
      return { status: 200, json: renderRepository(exchange.origin, repo, exchange.asker) };
    },
  ],
  [
    'GET',
    '/repositories/:id',
    ({ state, origin, params, asker }) => {
      const repo = state.repos.find((item) => item.id === Number(params['id']));
      if (repo === undefined || (repo.isPrivate && !repo.roles.has(asker))) return NOT_FOUND;
      return { status: 200, json: renderRepository(origin, repo, asker) };
    },
  ],
  [
    'GET',
    '/repos/:owner/:repo/activity',
    (exchange) => {
      const repo = repoOf(exchange);
      if (repo === undefined) return NOT_FOUND;
      const ref = exchange.query.get('ref');
      // Newest first, in pages by cursor: one is enough here.
      const pushes = exchange.state.pushes.filter((push) => push.repo === repo && push.ref === ref).reverse();
      return { status: 200, json: pushes.map(renderPush) };
    },
  ],
  [
    'GET',
    '/repos/:owner/:repo/collaborators/:username/permission',
    (exchange) => {
      const repo = repoOf(exchange);
      if (repo === undefined) return NOT_FOUND;
      if (!mayWrite(repo, exchange.asker))
        return refusal(403, 'Must have push access to view collaborator permission.');
      const user = exchange.state.users.find((item) => item.login === exchange.params['username']);
      if (user === undefined) return refusal(404, `${exchange.params['username'] ?? ''} is not a user`);
      const role = repo.roles.get(user) ?? (repo.isPrivate ? 'none' : 'read');
      const folded: Readonly<Record<string, string>> = { maintain: 'write', triage: 'read' };
      const json: WirePermission = {
        permission: folded[role] ?? role,
        role_name: role,
        user: { id: user.id, login: user.login },
      };
      return { status: 200, json };
    },
  ],
  [
    'GET',
    '/orgs/:org/members/:username',
    ({ state, params, asker, origin }) => {
      const org = state.orgs.find((item) => item.login === params['org']);
      if (org === undefined) return NOT_FOUND;
      const { username = '' } = params;
      if (!org.members.has(asker))
        return {
          status: 302,
          headers: { location: `${origin}/orgs/${org.login}/public_members/${username}` },
        };
      const member = [...org.members].some((user) => user.login === username);
      return member
        ? { status: 204 }
        : refusal(404, `User does not exist or is not a member of the organization`);
    },
  ],
  [
    'GET',
    '/orgs/:org/public_members/:username',
    ({ state, params }) => {
      const org = state.orgs.find((item) => item.login === params['org']);
      const shown = [...(org?.publicMembers ?? [])].some((user) => user.login === params['username']);
      return shown ? { status: 204 } : NOT_FOUND;
    },
  ],
  [
    'GET',
    '/repos/:owner/:repo/commits',
    (exchange) => {
      const repo = repoOf(exchange);
      if (repo === undefined) return NOT_FOUND;
      const head = repo.branches.get(exchange.query.get('sha') ?? 'main');
      if (head === undefined) return refusal(409, 'Git Repository is empty.');
      return { status: 200, json: [renderCommit(exchange.origin, repo, head)] };
    },
  ],
  [
    'GET',
    '/repos/:owner/:repo/contents/:file',
    (exchange) => {
      const repo = repoOf(exchange);
      const { file = '' } = exchange.params;
      const ref = exchange.query.get('ref') ?? 'main';
      if (repo === undefined) return NOT_FOUND;
      const files = exchange.state.tree(repo.branches.get(ref) ?? ref);
      if (files.size === 0) return refusal(404, `No commit found for the ref ${ref}`);
      const below = [...files.keys()].filter((path) => path.startsWith(`${file}/`));
      if (below.length > 0) return { status: 200, json: below.map((path) => ({ type: 'file', path })) };
      const content = files.get(file);
      return content === undefined ? NOT_FOUND : { status: 200, json: renderContent(file, content) };
    },
  ],
  [
    'GET',
    '/repos/:owner/:repo/commits/:ref/status',
    (exchange) => {
      const repo = repoOf(exchange);
      const sha = exchange.params['ref'] ?? '';
      if (repo === undefined || !exchange.state.commits.has(sha))
        return refusal(422, `No commit found for SHA: ${sha}`);
      // The latest of each context.
      const latest = new Map(
        exchange.state.statuses.filter((item) => item.sha === sha).map((item) => [item.context, item]),
      );
      const url = `${exchange.origin}/repos/${repo.owner.login}/${repo.name}/commits/${sha}`;
      const statuses = [...latest.values()].map((item) => ({
        id: item.id,
        node_id: nodeId('SC', item.id),
        url: `${url}/statuses`,
        state: item.state,
        context: item.context,
        description: item.description,
        target_url: null,
        created_at: item.at,
        updated_at: item.at,
      }));
      return paged(exchange, statuses, (page): WireCombinedStatus => ({
        state: 'pending',
        sha,
        total_count: statuses.length,
        statuses: [...page] as WireCombinedStatus['statuses'],
        commit_url: url,
        url: `${url}/status`,
      }));
    },
  ],
  [
    'GET',
    '/repos/:owner/:repo/commits/:ref/check-runs',
    (exchange) => {
      const repo = repoOf(exchange);
      const sha = exchange.params['ref'] ?? '';
      if (repo === undefined || !exchange.state.commits.has(sha))
        return refusal(422, `No commit found for SHA: ${sha}`);
      const runs = exchange.state.checkRuns.filter((run) => run.sha === sha);
      return paged(
        exchange,
        runs.map((run) => renderCheckRun(exchange.origin, repo, run)),
        (page): WireCheckRuns => ({
          total_count: runs.length,
          check_runs: [...page] as WireCheckRuns['check_runs'],
        }),
      );
    },
  ],
];
