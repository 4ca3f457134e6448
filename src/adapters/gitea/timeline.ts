import type { TimelineAct } from '../../domain/issue.js';
import { asList, asObject, flagOf, textOf, textOrEmpty } from '../forge-http/decode.js';
import type { JsonObject } from '../forge-http/decode.js';
import { forgeNumber } from '../forge-http/forge-number.js';
import type { GiteaRepo } from './gitea-repo.js';
import { toUser } from './mapping.js';
import { allPages } from './paging.js';

/**
 * The acts that can complete or end a trigger, oldest first, the opening before all. Times have whole seconds. Gitea
 * takes inline review comments and references we may not see out of a page after cutting it, so that a page in the
 * middle can be empty: only two empty ones in a row are the end.
 */
export async function readTimeline(repo: GiteaRepo, number: number): Promise<TimelineAct[]> {
  const issue = asObject(
    await repo.client.json({ method: 'GET', path: repo.path('issues', forgeNumber(number)) }),
    'issue',
  );
  const entries = await allPages(repo.client, repo.path('issues', forgeNumber(number), 'timeline'), {
    itemsOf: (response) => asList(response.json(), 'timeline'),
    // Its header counts the one page.
    totalIsWhole: false,
    emptyPages: 2,
  });
  const opened: TimelineAct = {
    kind: 'opened',
    actor: toUser(issue['user']),
    at: textOf(issue, 'created_at'),
    what: '',
  };
  return [opened, ...entries.flatMap(toAct)];
}

function toAct(raw: JsonObject): TimelineAct[] {
  const act = kindAndObject(raw);
  return act === undefined ? [] : [{ ...act, actor: toUser(raw['user']), at: textOf(raw, 'created_at') }];
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
    default:
      return undefined;
  }
}
