/**
 * What a workflow is handed when it begins, by version: an execution that goes on after an upgrade begins with what the
 * program before it left. See ADR 0038.
 */
import type { SubjectRef } from '../domain/forge/issue.js';
import type { RunPolicy } from '../domain/run/run-policy.js';
import type { NamedRun } from '../domain/run/slug.js';
import { fromFirst } from './migrations/from-first.js';
import type { IssueState } from './run/state.js';

/** Of input and carried state. Another shape of either is another version, and needs a migration. */
export const STATE_VERSION = 2;

/** Without Markdown. */
export interface RunAbout {
  /** The issue's name and title. */
  readonly issue: string;
  readonly url: string;
}

/** What an earlier version of the program made is brought up to this one by `migrate`. */
export interface IssueWorkflowInput {
  readonly v: typeof STATE_VERSION;
  readonly subject: SubjectRef;
  readonly policy: RunPolicy;
  /** The first life's name, when its trigger is for that agent; else the workflow makes one. */
  readonly named?: NamedRun;
  /** For whoever looks at an execution that continues another: Temporal does not carry summary and details over. */
  readonly about?: RunAbout;
  /** State of the life before a continue-as-new. */
  readonly carried?: IssueState;
}

/** By version: makes what has it into what has the next one. Each may throw nothing and knows no clock. */
export type Migrations = Readonly<Record<number, (input: object) => object>>;

const MIGRATIONS: Migrations = { 1: fromFirst };

/** @throws Error when it is of a later version: the workflow task then waits for a worker that knows it */
export function migrate(
  input: { readonly v: number },
  target = STATE_VERSION,
  migrations = MIGRATIONS,
): IssueWorkflowInput {
  if (input.v > target)
    throw new Error(
      `the run was taken over by a later version of bot-bottle: its state is of version ${String(input.v)}, and this one reads up to ${String(target)}`,
    );
  let current: object = input;
  for (let version = input.v; version < target; version += 1) {
    const next = migrations[version];
    if (next === undefined)
      throw new Error(`nothing makes state of version ${String(version)} into ${String(version + 1)}`);
    current = { ...next(current), v: version + 1 };
  }
  return current as IssueWorkflowInput;
}
