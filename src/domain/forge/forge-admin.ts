/** What setting up a forge needs: webhooks and labels, which only an administrator of the place may change. */

/** A repository, or an organization whose hook and labels serve all its repositories. */
export type AdminTarget =
  | { readonly kind: 'repo'; readonly owner: string; readonly repo: string }
  | { readonly kind: 'org'; readonly org: string };

export type RepoTarget = Extract<AdminTarget, { kind: 'repo' }>;

/** A webhook as the forge shows it. No forge shows its secret. */
export interface Hook {
  readonly id: number;
  /** The forge's word for the kind of webhook. */
  readonly type: string;
  /** `null` where the forge keeps no names of webhooks. */
  readonly name: string | null;
  readonly url: string;
  /** `json` or `form`. */
  readonly contentType: string;
  /** The kinds that the header `X-Gitea-Event-Type` tells apart, sorted; the three of reviews are one. */
  readonly events: readonly string[];
  readonly active: boolean;
  /** Kept as it is by every change; the first may be secret. */
  readonly authorization: string;
  readonly branchFilter: string;
}

export interface HookSpec {
  readonly name: string;
  readonly url: string;
  readonly secret: string;
  readonly events: readonly string[];
}

export interface HookChange {
  readonly url?: string;
  readonly events?: readonly string[];
  /** Always JSON and active afterwards, whatever it was. */
  readonly name?: string;
}

export interface Label {
  readonly id: number;
  readonly name: string;
}

export interface NewLabel {
  readonly name: string;
  /** `#rrggbb` */
  readonly color: string;
  readonly description: string;
}

/**
 * A forge as its administrator sees it. Errors: `ForgeHttpError`, 403 when the token's user may not, 404 for a place that
 * is not there or hidden.
 */
export interface ForgeAdmin {
  /** The token's user; `null` when the token may not say. */
  login(): Promise<string | null>;
  listHooks(target: AdminTarget): Promise<readonly Hook[]>;
  /** JSON, active. `like`: the webhook whose place it takes, for what it keeps of that. */
  createHook(target: AdminTarget, spec: HookSpec, like?: Hook): Promise<Hook>;
  /** Can't change the secret: Gitea ignores it in an edit. */
  editHook(target: AdminTarget, hook: Hook, change: HookChange): Promise<Hook>;
  /** Missing is done. */
  deleteHook(target: AdminTarget, id: number): Promise<void>;
  /** Asks for a delivery of a push that never was; it comes only to a webhook that wants `push`. */
  testHook(target: RepoTarget, id: number): Promise<void>;
  listLabels(target: AdminTarget): Promise<readonly Label[]>;
  /** Labels that the repository has from its organization; none for a person's. */
  inheritedLabels(target: RepoTarget): Promise<readonly Label[]>;
  createLabel(target: AdminTarget, label: NewLabel): Promise<void>;
  /** Missing is done. */
  deleteLabel(target: AdminTarget, id: number): Promise<void>;
  /** Whether an issue or pull request, open or closed, carries it. */
  labelInUse(target: AdminTarget, name: string): Promise<boolean>;
  repository(target: RepoTarget): Promise<AdminRepository>;
  /** Paths on the default branch that make CI run; a pushed branch then runs code with CI's secrets. */
  ciFiles(target: RepoTarget): Promise<readonly string[]>;
  repositoriesOf(org: string): Promise<readonly AdminRepository[]>;
}

export interface AdminRepository {
  readonly target: RepoTarget;
  /** Has no commit: nothing to deliver. */
  readonly empty: boolean;
  readonly archived: boolean;
}

export function nameOfTarget(target: AdminTarget): string {
  return target.kind === 'repo' ? `${target.owner}/${target.repo}` : target.org;
}
