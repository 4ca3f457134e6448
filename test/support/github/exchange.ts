import type { GithubState, Issue, Repo, User } from './state.js';

/** One request as a route sees it. */
export interface Exchange {
  readonly state: GithubState;
  /** `http://127.0.0.1:port`, with the path of an Enterprise server if it has one. */
  readonly origin: string;
  readonly asker: User;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The most items of a page. */
  readonly pageCap: number;
}

export interface Reply {
  readonly status: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Route = readonly [method: string, path: string, reply: (exchange: Exchange) => Reply];

/** GitHub's error bodies. */
export function refusal(status: number, message: string, errors?: readonly unknown[]): Reply {
  const json = {
    message,
    ...(errors === undefined ? {} : { errors }),
    documentation_url: 'https://docs.github.com/rest',
    status: String(status),
  };
  return { status, json };
}

export const NOT_FOUND = refusal(404, 'Not Found');

/** One page of a list, with the Link header when there are more; of an object, the list under `key`. */
export function paged(
  exchange: Exchange,
  items: readonly unknown[],
  around?: (page: readonly unknown[]) => unknown,
): Reply {
  const { query, origin, pageCap } = exchange;
  const size = Math.min(Number(query.get('per_page') ?? 30), 100, pageCap);
  const page = Math.max(1, Number(query.get('page') ?? 1));
  const last = Math.max(1, Math.ceil(items.length / size));
  const slice = items.slice((page - 1) * size, page * size);
  const at = (number: number): string => {
    const next = new URLSearchParams(query);
    next.set('page', String(number));
    return `<${origin}${exchange.params['path'] ?? ''}?${next.toString()}>`;
  };
  const links = [
    ...(page > 1 ? [`${at(page - 1)}; rel="prev"`] : []),
    ...(page < last ? [`${at(page + 1)}; rel="next"`, `${at(last)}; rel="last"`] : []),
    ...(page > 1 ? [`${at(1)}; rel="first"`] : []),
  ];
  return {
    status: 200,
    json: around === undefined ? slice : around(slice),
    ...(links.length === 0 ? {} : { headers: { link: links.join(', ') } }),
  };
}

/** The repository of the path, for who may see it. Names are not case sensitive. */
export function repoOf({ state, params, asker }: Exchange): Repo | undefined {
  const same = (a: string, b: string | undefined): boolean => a.toLowerCase() === b?.toLowerCase();
  return state.repos.find(
    (repo) =>
      same(repo.owner.login, params['owner']) &&
      same(repo.name, params['repo']) &&
      (!repo.isPrivate || repo.roles.has(asker)),
  );
}

/** The issue or pull request of the path, or what is answered instead. */
export function issueOf(exchange: Exchange): Issue | Reply {
  const repo = repoOf(exchange);
  const number = Number(exchange.params['number']);
  const issue = exchange.state.issues.find((item) => item.repo === repo && item.number === number);
  if (repo === undefined || issue === undefined) return NOT_FOUND;
  if (issue.away === 'deleted') return refusal(410, 'This issue was deleted');
  if (issue.away === 'moved')
    return {
      ...refusal(301, 'Moved Permanently'),
      headers: { location: `${exchange.origin}/repositories/1/issues/1` },
    };
  return issue;
}

export function isReply(value: object): value is Reply {
  return 'status' in value;
}

/** Write access, as the permissions of the repository tell it. */
export function mayWrite(repo: Repo, user: User): boolean {
  return ['admin', 'maintain', 'write'].includes(repo.roles.get(user) ?? '');
}
