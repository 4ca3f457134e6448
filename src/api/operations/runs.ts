import { z } from 'zod';
import { oneRun, operationPage, runPage, timeline, turnList } from '../base/documents.js';
import { answering } from '../base/operation.js';
import { ApiProblem } from '../base/problem.js';
import { LIMIT, number, ONE_RUN } from './fields.js';

const NAME = z.string().min(1).max(200);
const TIME = number(0, 999_999_999_999_999);

const listRuns = answering({
  id: 'listRuns',
  method: 'get',
  path: '/runs',
  scope: 'read',
  summary: 'Runs that have begun, newest first',
  query: z.strictObject({
    repo: z
      .string()
      .regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'expected owner/name')
      .optional(),
    agent: NAME.optional(),
    phase: NAME.optional(),
    reason: NAME.optional(),
    since: TIME.optional(),
    until: TIME.optional(),
    limit: LIMIT,
    cursor: z
      .string()
      .regex(/^\d{1,15}\.[a-z0-9-]{1,63}$/, 'expected the next of an earlier page')
      .optional(),
  }),
  answer: runPage,
  async handle({ database }, { query: { repo, limit, cursor, ...filter } }) {
    const [owner = '', name = ''] = repo?.split('/') ?? [];
    const [createdAt = '', slug = ''] = cursor?.split('.') ?? [];
    const runs = await database.runList.page(
      { ...present(filter), ...(repo === undefined ? {} : { repo: { owner, repo: name } }) },
      limit + 1,
      cursor === undefined ? undefined : { createdAt: Number(createdAt), slug },
    );
    const page = runs.slice(0, limit);
    const last = page.at(-1);
    return {
      runs: page,
      next: runs.length > limit && last ? `${String(last.createdAt)}.${last.slug}` : null,
    };
  },
});

const getRun = answering({
  id: 'getRun',
  method: 'get',
  path: '/runs/{slug}',
  scope: 'read',
  summary: 'One run: what is recorded of it, and how it is now',
  params: ONE_RUN,
  refuses: [404],
  answer: oneRun,
  async handle({ database, orchestrator, machine }, { params: { slug } }) {
    const [[run = null], now = null] = await Promise.all([
      database.runList.page({ slug }, 1),
      orchestrator(`api@${machine}`).run(slug),
    ]);
    if (run === null && now === null) throw noRun(slug);
    return { run, now };
  },
});

const listTurns = answering({
  id: 'listTurns',
  method: 'get',
  path: '/runs/{slug}/turns',
  scope: 'read',
  summary: 'Its turns: one row when each began, one when it ended',
  params: ONE_RUN,
  refuses: [404],
  answer: turnList,
  async handle({ database }, { params: { slug } }) {
    const turns = await database.runs.turns(slug);
    if (turns.length === 0) throw noRun(slug);
    return { turns };
  },
});

const listOperations = answering({
  id: 'listOperations',
  method: 'get',
  path: '/runs/{slug}/operations',
  scope: 'read',
  summary: 'What its agent did on the forge and beside it, oldest first, with what was refused',
  params: ONE_RUN,
  query: z.strictObject({ limit: LIMIT, cursor: number(0, 1_000_000_000).default(0) }),
  refuses: [404],
  answer: operationPage,
  // Rows are only added at the end: a count of those before is a place.
  async handle({ database }, { params: { slug }, query: { limit, cursor } }) {
    if ((await database.runs.run(slug)) === undefined) throw noRun(slug);
    const operations = await database.runs.operations(slug);
    const end = cursor + limit;
    return {
      operations: operations.slice(cursor, end),
      next: operations.length > end ? String(end) : null,
    };
  },
});

const getTimeline = answering({
  id: 'getTimeline',
  method: 'get',
  path: '/runs/{slug}/timeline',
  scope: 'read',
  summary: 'What its workflow noted, oldest first',
  params: ONE_RUN,
  refuses: [404, 503],
  answer: timeline,
  async handle({ orchestrator, machine }, { params: { slug } }) {
    const noted = await orchestrator(`api@${machine}`).timeline(slug);
    if (noted === undefined)
      throw new ApiProblem(
        404,
        `no workflow knows ${slug} now: its turns and its provenance may still be there`,
      );
    return { timeline: noted };
  },
});

export const RUN_OPERATIONS = [listRuns, getRun, listTurns, listOperations, getTimeline];

export function noRun(slug: string): ApiProblem {
  return new ApiProblem(404, `there is no run ${slug}: GET /api/v1/runs lists them`);
}

function present<T extends object>(given: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
