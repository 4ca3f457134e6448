/** The documented shapes (Octokit's types of GitHub's OpenAPI description), cut to the fields that are served. */
import type { RestEndpointMethodTypes as Api } from '@octokit/rest';

type Issue = Api['issues']['get']['response']['data'];
type Pull = Api['pulls']['get']['response']['data'];
type Branch = Pull['head'];
type Repository = Api['repos']['get']['response']['data'];
type Timeline = Api['issues']['listEventsForTimeline']['response']['data'][number];
type Event = Api['issues']['listEvents']['response']['data'][number];

export type WireUser = NonNullable<Issue['user']>;

export type WireRepository = Pick<
  Repository,
  | 'id'
  | 'node_id'
  | 'name'
  | 'full_name'
  | 'private'
  | 'owner'
  | 'html_url'
  | 'fork'
  | 'url'
  | 'clone_url'
  | 'default_branch'
  | 'permissions'
>;

export type WireIssue = Pick<
  Issue,
  | 'id'
  | 'node_id'
  | 'url'
  | 'html_url'
  | 'number'
  | 'title'
  | 'body'
  | 'state'
  | 'state_reason'
  | 'locked'
  | 'user'
  | 'labels'
  | 'assignee'
  | 'assignees'
  | 'comments'
  | 'created_at'
  | 'updated_at'
  | 'closed_at'
  | 'author_association'
  | 'pull_request'
>;

type WireBranch = Pick<Branch, 'label' | 'ref' | 'sha'> & {
  readonly user: WireUser | null;
  /** `null` when the fork is gone. */
  readonly repo: Pick<NonNullable<Branch['repo']>, 'id' | 'name' | 'full_name' | 'fork'> | null;
};

export type WirePullSimple = Pick<
  Pull,
  | 'id'
  | 'node_id'
  | 'url'
  | 'html_url'
  | 'diff_url'
  | 'number'
  | 'title'
  | 'body'
  | 'state'
  | 'locked'
  | 'draft'
  | 'user'
  | 'labels'
  | 'assignee'
  | 'assignees'
  | 'requested_reviewers'
  | 'created_at'
  | 'updated_at'
  | 'closed_at'
  | 'merged_at'
> & { readonly head: WireBranch; readonly base: WireBranch };

/** Only a pull request that is read by itself says `merged`. */
export type WirePull = WirePullSimple & Pick<Pull, 'merged' | 'mergeable' | 'comments' | 'changed_files'>;

export type WireComment = Pick<
  Api['issues']['getComment']['response']['data'],
  | 'id'
  | 'node_id'
  | 'url'
  | 'html_url'
  | 'body'
  | 'user'
  | 'created_at'
  | 'updated_at'
  | 'issue_url'
  | 'author_association'
>;

/** Of another issue or pull request that names this one. */
export type WireCrossReference = Pick<
  Extract<Timeline, { source: unknown }>,
  'event' | 'actor' | 'created_at' | 'updated_at'
> & {
  readonly source: { readonly type: 'issue'; readonly issue: WireIssue & Pick<Issue, 'repository_url'> };
};

type Activity = Api['repos']['listActivities']['response']['data'][number];
export type WireActivity = Omit<Activity, 'actor'> & { readonly actor: WireUser | null };

/** What every issue event has; `actor` is null for a deleted account, which the description leaves out. */
export type WireEvent = Pick<
  Event,
  'id' | 'node_id' | 'url' | 'event' | 'commit_id' | 'commit_url' | 'created_at'
> & {
  readonly actor: WireUser | null;
};
export type WireLabelEvent = WireEvent & Pick<Extract<Event, { label: unknown }>, 'label'>;
export type WireAssignEvent = WireEvent &
  Pick<Extract<Event, { assigner: unknown }>, 'assignee' | 'assigner'>;

export type WireReview = Pick<
  Api['pulls']['listReviews']['response']['data'][number],
  | 'id'
  | 'node_id'
  | 'user'
  | 'body'
  | 'state'
  | 'html_url'
  | 'submitted_at'
  | 'commit_id'
  | 'author_association'
>;

export type WireReviewComment = Pick<
  Api['pulls']['listReviewComments']['response']['data'][number],
  | 'id'
  | 'node_id'
  | 'url'
  | 'pull_request_review_id'
  | 'diff_hunk'
  | 'path'
  | 'commit_id'
  | 'original_commit_id'
  | 'user'
  | 'body'
  | 'created_at'
  | 'updated_at'
  | 'html_url'
  | 'original_line'
  | 'side'
  | 'subject_type'
> & { /** `null` once the lines are gone, which the description leaves out. */ readonly line: number | null };

type Combined = Api['repos']['getCombinedStatusForRef']['response']['data'];
export type WireCombinedStatus = Pick<Combined, 'state' | 'sha' | 'total_count' | 'commit_url' | 'url'> & {
  readonly statuses: Pick<
    Combined['statuses'][number],
    | 'id'
    | 'node_id'
    | 'url'
    | 'state'
    | 'context'
    | 'description'
    | 'target_url'
    | 'created_at'
    | 'updated_at'
  >[];
};

type CheckRuns = Api['checks']['listForRef']['response']['data'];
type CheckRun = CheckRuns['check_runs'][number];
export type WireCheckRun = Pick<
  CheckRun,
  | 'id'
  | 'node_id'
  | 'name'
  | 'head_sha'
  | 'status'
  | 'conclusion'
  | 'url'
  | 'html_url'
  | 'started_at'
  | 'completed_at'
> & { readonly output: Pick<CheckRun['output'], 'title' | 'summary' | 'text'> };
export type WireCheckRuns = Pick<CheckRuns, 'total_count'> & { readonly check_runs: WireCheckRun[] };

type Permission = Api['repos']['getCollaboratorPermissionLevel']['response']['data'];
export type WirePermission = Pick<Permission, 'permission' | 'role_name'> & {
  readonly user: Pick<NonNullable<Permission['user']>, 'id' | 'login'> | null;
};

export type WireReaction = Pick<
  Api['reactions']['createForIssue']['response']['data'],
  'id' | 'node_id' | 'user' | 'content' | 'created_at'
>;

export type WireCommit = Pick<
  Api['repos']['listCommits']['response']['data'][number],
  'sha' | 'node_id' | 'url' | 'html_url'
>;

type Content = Api['repos']['getContent']['response']['data'];
export type WireContent = Pick<
  Extract<Content, { readonly content: string }>,
  'type' | 'encoding' | 'size' | 'name' | 'path' | 'content'
>;
