import type { SubjectRef } from '../forge/issue.js';

const MAX_SLUG = 63;
const SUFFIX_LENGTH = 5;
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** A slug that was made before the life it is for, so that what lists workflows knows it from the first event on. */
export interface NamedRun {
  readonly slug: string;
  readonly agent: string;
}

/**
 * The run's name on disk and in Docker: `<agent>-<owner>-<repo>-<issue>-<5 random base36>`, cut to 63 characters in
 * the middle parts, never built from an issue's free text.
 * @param random numbers in [0, 1), from the workflow's deterministic source
 */
export function makeSlug(agent: string, subject: SubjectRef, random: () => number): string {
  return slugOf([agent, subject.owner, subject.repo], String(subject.number), random);
}

/**
 * Of a run without an issue: `<agent>-<owner>-<repo>-local-<5 random base36>`, or with a directory's name in the place of
 * owner and repository; cut and cleaned in the same way.
 */
export function makeLocalSlug(agent: string, source: readonly string[], random: () => number): string {
  return slugOf([agent, ...source], 'local', random);
}

function slugOf(names: readonly string[], what: string, random: () => number): string {
  const tail = `-${what}-${makeSuffix(random)}`;
  const head = names.map(clean).filter(Boolean).join('-');
  return head.slice(0, MAX_SLUG - tail.length).replace(/-+$/, '') + tail;
}

const LOCAL_SLUG = /-local-[a-z0-9]{5}$/;

/** `bot-bottle/<slug>`: the branch of a run without an issue. `undefined` for another run's slug. */
export function localBranchOf(slug: string): string | undefined {
  return LOCAL_SLUG.test(slug) ? RUN_BRANCHES + slug : undefined;
}

function makeSuffix(random: () => number): string {
  return Array.from({ length: SUFFIX_LENGTH }, () => Math.floor(random() * 36).toString(36)).join('');
}

export function isSlug(value: unknown): value is string {
  return typeof value === 'string' && SLUG.test(value);
}

/** What the names of runs' branches begin with. */
export const RUN_BRANCHES = 'bot-bottle/';

/** `bot-bottle/<issue>-<slug suffix>`: the one branch the run publishes to. */
export function branchOf(slug: string, number: number): string {
  return `${RUN_BRANCHES}${String(number)}-${slug.slice(-SUFFIX_LENGTH)}`;
}

const ISSUE_IN_SLUG = /-(\d{1,16})-[a-z0-9]{5}$/;

/** The number that `makeSlug` put into the slug; `undefined` for a name that it did not make. */
export function issueOfSlug(slug: string): number | undefined {
  const match = ISSUE_IN_SLUG.exec(slug);
  return match ? Number(match[1]) : undefined;
}

const RUN_BRANCH = /^bot-bottle\/(\d{1,16})-[a-z0-9]{5}$/;

/** The issue number a run branch belongs to, or `undefined` for any other branch. */
export function issueOfBranch(branch: string): number | undefined {
  const match = RUN_BRANCH.exec(branch);
  return match ? Number(match[1]) : undefined;
}

function clean(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}
