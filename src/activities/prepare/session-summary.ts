import type { Access } from '../../domain/forge/access.js';
import type { FreshSession, PullState, TurnSummary } from '../../domain/prompt/prompt-input.js';
import { unlessNotFound } from '../../domain/base/errors.js';
import type { WakeReference } from '../../domain/run/events.js';
import type { Forge } from '../../domain/forge/forge.js';
import type { PromptEvent } from '../../domain/prompt/prompt-input.js';
import type { TurnResult } from '../../domain/run/turn.js';
import type { BlobStore } from '../../domain/run/run-files.js';
import type { Database } from '../../domain/run/stores.js';

const MAX_COMMENTS = 10;
type SaidEvent = Extract<PromptEvent, { kind: 'comment' }>;
/** Authors asked for, at most, to find those: each is a request or two. */
const MAX_LOOKED_AT = 40;

export interface SummarySources {
  readonly database: Pick<Database, 'runs'>;
  readonly blobs: BlobStore;
  readonly forge: Forge;
  readonly access: Access;
}

/** What a fresh session of a run is told of the turns before, of its pull request and of what was written last. */
export async function sessionSummary(
  sources: SummarySources,
  run: {
    readonly slug: string;
    readonly number: number;
    readonly prNumber: number | null;
    /** What the prompt tells anyway. */
    readonly references: readonly WakeReference[];
  },
): Promise<Pick<FreshSession, 'summaries' | 'pull' | 'comments'>> {
  const told = new Set(run.references.flatMap(({ kind, id }) => (kind === 'comment' ? [id] : [])));
  const numbers = [...new Set([run.number, ...(run.prNumber === null ? [] : [run.prNumber])])];
  const [summaries, pull, ...comments] = await Promise.all([
    doneSummaries(sources, run.slug),
    run.prNumber === null ? null : pullState(sources, run.prNumber),
    ...numbers.map((number) => latestComments(sources, number, told)),
  ]);
  return { summaries, pull, comments: comments.flat().sort(byTime).slice(-MAX_COMMENTS) };
}

async function doneSummaries(
  { database, blobs }: Pick<SummarySources, 'database' | 'blobs'>,
  slug: string,
): Promise<TurnSummary[]> {
  const ended = (await database.runs.turns(slug)).filter(({ event }) => event === 'ended');
  const summaries = await Promise.all(
    ended.map(async ({ turn, detail }) => {
      const { done = null } = detail as Partial<TurnResult>;
      if (done === null || done.summaryRef === '') return [];
      return [{ turn, status: done.status, text: await blobs.getText(done.summaryRef) }];
    }),
  );
  return summaries.flat();
}

async function pullState({ forge, access }: SummarySources, number: number): Promise<PullState | null> {
  const [pull, bot] = await Promise.all([unlessNotFound(forge.readPr(number)), forge.whoAmI()]);
  if (pull === undefined) return null;
  const { author, title, state, merged, draft } = pull;
  const known = author.id === bot.id || (await access.mayWake(author.login));
  const shown = merged ? 'merged' : draft && state === 'open' ? 'an open draft' : state;
  return { number, title: known ? title : null, state: shown };
}

/** Of those who may wake the agent, and the agent's own. */
async function latestComments(
  { forge, access }: SummarySources,
  number: number,
  told: ReadonlySet<number>,
): Promise<SaidEvent[]> {
  const [all = [], bot] = await Promise.all([unlessNotFound(forge.readComments(number)), forge.whoAmI()]);
  const found: SaidEvent[] = [];
  for (const { id, author, createdAt: at, body } of all.slice(-MAX_LOOKED_AT).reverse()) {
    if (told.has(id)) continue;
    if (found.length >= MAX_COMMENTS) break;
    if (author.id !== bot.id && !(await access.mayWake(author.login))) continue;
    found.push({ kind: 'comment', number, author: author.login, at, body });
  }
  return found;
}

function byTime(a: SaidEvent, b: SaidEvent): number {
  return Date.parse(a.at) - Date.parse(b.at);
}
