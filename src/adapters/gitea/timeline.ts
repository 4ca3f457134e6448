import { recordIn } from '../../domain/base/is-record.js';
import type { LinkedPull, TimelineAct } from '../../domain/forge/issue.js';
import { asObject, flagOf, integerOf, textOf, textOrEmpty } from './decode.js';
import type { JsonObject } from './decode.js';
import { forgeNumber } from './forge-number.js';
import type { GiteaRepo } from './gitea-repo.js';
import { toUser } from './mapping.js';
import { allPages } from './paging.js';
import { countRemarks } from './reviews.js';

/** The acts that can complete or end a trigger, pushes and edits, oldest first. Times have whole seconds. */
export async function readTimeline(repo: GiteaRepo, number: number): Promise<TimelineAct[]> {
  return (await readEntries(repo, number)).flatMap(toAct);
}

/** Open pull requests of this repository that name the issue, each once, in the order in which they first did. */
export async function readLinkedPulls(repo: GiteaRepo, number: number): Promise<LinkedPull[]> {
  const pulls = new Map<number, LinkedPull>();
  for (const entry of await readEntries(repo, number)) {
    if (textOf(entry, 'type') !== 'pull_ref' || entry['ref_issue'] === null) continue;
    const from = asObject(entry['ref_issue'], 'ref_issue');
    const home = asObject(from['repository'], 'repository');
    const name = `${textOf(home, 'owner')}/${textOf(home, 'name')}`;
    if (textOf(from, 'state') !== 'open' || name !== repo.name) continue;
    const pull = {
      number: integerOf(from, 'number'),
      title: textOf(from, 'title'),
      author: toUser(from['user']).login,
    };
    if (!pulls.has(pull.number)) pulls.set(pull.number, pull);
  }
  return [...pulls.values()];
}

/**
 * Gitea takes inline review comments and references we may not see out of a page after cutting it. Only the former can be
 * counted. A pull request begins with a push.
 */
export function readEntries(repo: GiteaRepo, number: number): Promise<JsonObject[]> {
  return allPages(repo.client, repo.path('issues', forgeNumber(number), 'timeline'), {
    countHidden: async (entries) => (entries.some(isOnPull) ? countRemarks(repo, number) : 0),
  });
}

function isOnPull(entry: JsonObject): boolean {
  return textOrEmpty(entry, 'pull_request_url') !== '';
}

function toAct(raw: JsonObject): TimelineAct[] {
  const act = kindAndObject(raw);
  if (act === undefined) return [];
  return [{ ...act, id: integerOf(raw, 'id'), actor: toUser(raw['user']), at: textOf(raw, 'created_at') }];
}

function kindAndObject(raw: JsonObject): Pick<TimelineAct, 'kind' | 'what'> | undefined {
  switch (textOf(raw, 'type')) {
    case 'label': {
      // A label deleted since leaves an entry without it. The body is "1" when it was added, empty when removed.
      if (raw['label'] === null || raw['label'] === undefined) return undefined;
      const what = textOf(asObject(raw['label'], 'label'), 'name');
      return { kind: textOrEmpty(raw, 'body') === '1' ? 'labeled' : 'unlabeled', what };
    }
    case 'assignees': {
      if (raw['assignee'] === null || raw['assignee'] === undefined) return undefined;
      return {
        kind: flagOf(raw, 'removed_assignee') ? 'unassigned' : 'assigned',
        what: toUser(raw['assignee']).login,
      };
    }
    case 'close':
    // A merged pull request has no "close" of its own.
    case 'merge_pull':
      return { kind: 'closed', what: '' };
    case 'reopen':
      return { kind: 'reopened', what: '' };
    case 'change_title':
      return { kind: 'edited', what: 'title' };
    case 'change_issue_ref':
      return { kind: 'edited', what: 'ref' };
    case 'pull_push':
      return { kind: 'pushed', what: pushedHead(textOrEmpty(raw, 'body')) };
    default:
      return undefined;
  }
}

/** The body is JSON: `{"is_force_push":false,"commit_ids":[…]}`, the last of them the new head; empty when it is not. */
function pushedHead(body: string): string {
  const ids = recordIn(body)?.['commit_ids'];
  const head: unknown = Array.isArray(ids) ? ids.at(-1) : undefined;
  return typeof head === 'string' ? head : '';
}
