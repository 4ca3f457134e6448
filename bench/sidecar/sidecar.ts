/**
 * `read_issue` through the sidecar, as its own process with a real forge behind it, against the same call of the
 * project's own client straight to the forge: one call at a time, the ways taking turns. The client keeps its connection
 * to the forge on both ways; the way through the sidecar has a new connection to its socket for every call on top, as an
 * agent's calls have (one request a connection).
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GiteaClient } from '../../src/adapters/gitea/gitea-client.js';
import { giteaForgeFor } from '../../src/adapters/gitea/gitea-forge.js';
import { BundleProcess } from '../../test/support/bundle/bundle-process.js';
import { RunDirectory } from '../../test/support/bundle/run-directory.js';
import { overUnix } from '../../test/support/bundle/unix-http.js';
import { startGitea, type Gitea } from '../../test/support/gitea/start-gitea.js';
import { cleaningUp } from '../base/clean-up.js';
import { median, ratioFigure, short, type Figure } from '../base/figure.js';
import { interleaved, spread } from '../base/interleave.js';
import { until, within } from '../base/until.js';

/** Compiled, as the image has it; `script/bootstrap --only build` makes it. */
const BUNDLE = fileURLToPath(new URL('../../dist/bundle/bundle.mjs', import.meta.url));
const [OWNER, REPO] = ['alice', 'demo'];
const WARM_UP_CALLS = 200;
const CALLS_A_ROUND = 100;
const CALL_MS = 10_000;
const TITLE = 'The greeting is wrong';
const BODY = Array.from(
  { length: 20 },
  (_value, at) =>
    `${String(at + 1)}. **Step**: run \`./greet.sh\` and compare what it says with what it ought to say.`,
).join('\n');

const WAYS = ['direct', 'sidecar', 'fetch'] as const;
type Way = (typeof WAYS)[number];

export async function sidecarRatio(rounds: number): Promise<Figure> {
  return withSidecar(async (calls, run) => {
    const began = performance.now();
    await interleaved(WAYS, calls, WARM_UP_CALLS);
    const measured: Record<Way, number>[] = [];
    const all: Record<Way, number[]> = { direct: [], sidecar: [], fetch: [] };
    for (let round = 0; round < rounds; round += 1) {
      const times = await interleaved(WAYS, calls, CALLS_A_ROUND);
      for (const way of WAYS) all[way].push(...times[way]);
      measured.push({
        direct: median(times.direct),
        sidecar: median(times.sidecar),
        fetch: median(times.fetch),
      });
    }
    await isLogged(run, WARM_UP_CALLS + rounds * CALLS_A_ROUND);
    const seconds = (performance.now() - began) / 1000;
    return ratioFigure(
      // Calls a second, so that more is better; their ratio is that of the medians the other way round.
      measured.map(({ direct, sidecar }) => ({ measured: 1000 / sidecar, floor: 1000 / direct })),
      {
        goal: 0.8,
        better: 'more',
        unit: '/s',
        notes: [
          ...WAYS.map((way) => `${way}: ${spread(all[way])}`),
          `the sidecar adds ${short(median(all.sidecar) - median(all.direct))} ms to a call (medians)`,
          `${String(CALLS_A_ROUND)} calls each way a round, one at a time, ${short(seconds)} s; every one is in the operation log`,
        ],
      },
    );
  });
}

type Calls = Readonly<Record<Way, () => Promise<void>>>;

async function withSidecar<T>(work: (calls: Calls, run: RunDirectory) => Promise<T>): Promise<T> {
  const gitea = await startGitea();
  return cleaningUp(
    () => gitea.stop(),
    async () => {
      const number = await gitea.alice.createIssue({ title: TITLE, body: BODY, labels: ['bug'] });
      const run = new RunDirectory(undefined, gitea.bot.sidecarToken);
      const bundle = new BundleProcess(BUNDLE, run, {
        FORGE_GITEA_API: `${gitea.url}/api/v1`,
        FORGE_OWNER: OWNER,
        FORGE_REPO: REPO,
        FORGE_ISSUE_NUMBER: String(number),
        // The limiter counts every call, and refuses none of these.
        BUNDLE_CALLS_PER_MINUTE: '100000',
      });
      const client = new GiteaClient({ baseUrl: `${gitea.url}/api/v1`, token: gitea.bot.sidecarToken });
      const cleanUp = async (): Promise<void> => {
        client.close();
        await bundle.kill('SIGTERM');
        run.remove();
      };
      return cleaningUp(cleanUp, async () => {
        await bundle.serving();
        return work(callsOf(gitea, client, run, number), run);
      });
    },
  );
}

/** Every way checks what it got: a wrong answer is no measurement. */
function callsOf(gitea: Gitea, client: GiteaClient, run: RunDirectory, number: number): Calls {
  const forge = giteaForgeFor(client)({ forge: 'gitea', owner: OWNER, repo: REPO });
  const url = `${gitea.url}/api/v1/repos/${OWNER}/${REPO}/issues/${String(number)}`;
  const headers = { authorization: `token ${gitea.bot.sidecarToken}` };
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'read_issue', params: { number } });
  const check = (title: unknown): void => {
    if (title !== TITLE) throw new Error(`not the issue: ${JSON.stringify(title)}`);
  };
  return {
    direct: async () => {
      check((await within('a call to the forge', CALL_MS, forge.readIssue(number))).title);
    },
    sidecar: async () => {
      const { status, text } = await within(
        'a call to the sidecar',
        CALL_MS,
        overUnix(run.socket, { body: call }),
      );
      const answer = JSON.parse(text) as { readonly result?: { readonly title?: unknown } };
      if (status !== 200 || answer.result === undefined) throw new Error(`no answer: ${text.slice(0, 300)}`);
      check(answer.result.title);
    },
    fetch: async () => {
      const answer = await fetch(url, { headers, signal: AbortSignal.timeout(CALL_MS) });
      check(((await answer.json()) as { readonly title?: unknown }).title);
    },
  };
}

/** What makes the sidecar a sidecar is not left out: each call has its line. Takes the messages, as a worker does. */
async function isLogged(run: RunDirectory, calls: number): Promise<void> {
  let logged = 0;
  await until(`${String(calls)} lines of the operation log`, () => {
    for (const { name, body } of run.messages()) {
      const lines = body.kind === 'operations' ? body.lines : [];
      logged += lines.filter(
        ({ operation, outcome }) => operation === 'read_issue' && outcome === 'ok',
      ).length;
      rmSync(join(run.out, name));
    }
    return logged === calls ? true : undefined;
  });
}
