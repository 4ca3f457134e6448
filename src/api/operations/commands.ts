import { z } from 'zod';
import { commandAccepted, commandList } from '../base/documents.js';
import { answering } from '../base/operation.js';
import { ApiProblem } from '../base/problem.js';
import { LIMIT, ONE_RUN, SLUG } from './fields.js';
import { noRun } from './runs.js';

const AMOUNT = z.int().min(0).max(9_999_999_999);
const YEAR_MS = 366 * 24 * 3_600_000;

const order = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('done') }),
  z.strictObject({ kind: z.literal('freeze') }),
  z.strictObject({ kind: z.literal('destroy') }),
  z.strictObject({ kind: z.literal('move') }),
  z.strictObject({
    kind: z.literal('resume'),
    prompt: z
      .string()
      .regex(/\S/, 'is blank')
      .max(100_000)
      .nullable()
      .default(null)
      .describe('what the agent is told'),
  }),
  z.strictObject({
    kind: z.literal('extend'),
    ms: z.int().min(1).max(YEAR_MS).describe('how much longer the watchdog waits'),
  }),
  z.strictObject({
    kind: z.literal('budget'),
    turns: AMOUNT.default(0).describe('additional ones'),
    tokens: AMOUNT.default(0),
    microUsd: AMOUNT.default(0),
    today: z.boolean().default(false).describe('go on though the budget of all runs for the day is used up'),
  }),
]);

const giveCommand = answering({
  id: 'giveCommand',
  method: 'post',
  path: '/runs/{slug}/commands',
  scope: 'operate',
  summary: 'Tell a run what to do, as bot-bottle signal does',
  params: ONE_RUN,
  body: order,
  refuses: [404, 409, 503],
  answer: commandAccepted,
  async handle({ orchestrator, machine }, { params: { slug }, body, token }) {
    const answer = await orchestrator(`api-${token.id}@${machine}`).command({ kind: 'slug', slug }, body);
    if (answer.kind === 'not_found') throw noRun(slug);
    if (answer.kind === 'refused') throw new ApiProblem(409, answer.reason);
    return { command: body.kind, slug: answer.slug, phase: answer.phase };
  },
});

const listCommands = answering({
  id: 'listCommands',
  method: 'get',
  path: '/commands',
  scope: 'read',
  summary: 'What operators did, and who, newest first',
  query: z.strictObject({ slug: SLUG.optional(), limit: LIMIT }),
  answer: commandList,
  async handle({ database }, { query: { slug, limit } }) {
    return { commands: await database.operatorLog.latest(limit, slug) };
  },
});

export const COMMAND_OPERATIONS = [giveCommand, listCommands];
