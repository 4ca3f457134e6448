/** How long a page of the API's list of runs takes at 10,000 runs, over HTTP on loopback. */
import { join } from 'node:path';
import { openDatabase } from '../../src/adapters/sqlite/open-database.js';
import { ServedHome } from '../../test/support/api/served-home.js';
import { stateRow } from '../../test/support/webhook/rows.js';
import { cleaningUp, inDirectory } from '../base/clean-up.js';
import { plainFigure, type Figure } from '../base/figure.js';
import { percentile } from '../base/interleave.js';

const RUNS = 10_000;
const REPOSITORIES = 20;
const PAGES_A_ROUND = 100;
const GOAL_MS = 50;

/** The median of the rounds' 99th percentiles; a round goes through pages of all runs and of one repository in turn. */
export async function apiList(rounds: number): Promise<Figure> {
  return inDirectory(async (home) => {
    await fill(home);
    const api = await ServedHome.start(home);
    return cleaningUp(
      () => api.stop(),
      async () => {
        const { secret } = await api.token('read');
        const p99: number[] = [];
        for (let round = 0; round <= rounds; round += 1) {
          const times = await roundOf(api.url, secret);
          // The first one warms the file system up.
          if (round > 0) p99.push(percentile(times, 0.99));
        }
        return plainFigure(p99, { goal: GOAL_MS, unit: 'ms', better: 'less' });
      },
    );
  });
}

/** Milliseconds. */
async function roundOf(url: string, secret: string): Promise<number[]> {
  const times: number[] = [];
  const next = new Map<string, string>();
  for (let page = 0; page < PAGES_A_ROUND; page += 1) {
    const filter = page % 2 === 0 ? '' : `&repo=alice/demo-${String(page % REPOSITORIES)}`;
    const cursor = next.get(filter);
    const begun = performance.now();
    const response = await fetch(
      `${url}/runs?limit=50${filter}${cursor === undefined ? '' : `&cursor=${cursor}`}`,
      { headers: { authorization: `Bearer ${secret}` } },
    );
    const answer = (await response.json()) as { runs: object[]; next: string | null };
    times.push(performance.now() - begun);
    if (answer.runs.length !== 50) throw new Error(`${String(answer.runs.length)} runs were listed`);
    if (answer.next === null) next.delete(filter);
    else next.set(filter, answer.next);
  }
  return times;
}

async function fill(home: string): Promise<void> {
  const database = await openDatabase(join(home, 'bot-bottle.db'));
  try {
    await database.transaction(async ({ runs, forgeState }) => {
      for (let n = 0; n < RUNS; n += 1) {
        const repo = `demo-${String(n % REPOSITORIES)}`;
        const slug = `coder-alice-${repo}-${String(n)}-abcde`;
        const workflowId = `gitea:alice/${repo}#${String(n)}`;
        await forgeState.upsert(stateRow({ slug, repo, issueNumber: n, workflowId, status: 'destroyed' }));
        await runs.appendRun({
          ...{ slug, workflowId, subject: `alice/${repo}#${String(n)}`, agentName: 'coder' },
          ...{ bottleNames: ['default'], triggerActor: 'alice', triggerAt: n, triggerActId: n, createdAt: n },
        });
      }
    });
  } finally {
    await database.close();
  }
}
