/**
 * How long a person waits for a thousand proposals: for the end of `bot-bottle proposals list`, and for the dashboard to show
 * them, in a terminal. Both from the start of the process.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LocalBlobStore } from '../../src/adapters/files/blob-store.js';
import { openDatabase } from '../../src/adapters/sqlite/open-database.js';
import { readChange } from '../../src/domain/supervise/config-change.js';
import type { Proposal } from '../../src/domain/supervise/proposal.js';
import { Tmux } from '../../test/support/tui/tmux.js';
import { stateRow } from '../../test/support/webhook/rows.js';
import { inDirectory } from '../base/clean-up.js';
import { median, plainFigure, type Figure } from '../base/figure.js';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const RUNS = 100;
const EACH = 10;
const GOAL_MS = 1_000;
/** Of an allowlist as a bottle with some tools has it. */
const HOSTS = 40;

const run = promisify(execFile);

/** The slower one's median of the rounds; the first one, which warms the file system up, is not counted. */
export async function proposalsList(rounds: number): Promise<Figure> {
  if (!existsSync(CLI)) throw new Error('there is no dist/cli.js: npm run build');
  return inDirectory(async (home) => {
    await fill(home);
    const env = { PATH: process.env['PATH'], BOT_BOTTLE_HOME: home, LOG_LEVEL: 'silent' };
    const list: number[] = [];
    const dashboard: number[] = [];
    const version: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const [listMs, text] = await timed(['proposals', 'list'], env);
      const lines = text.trimEnd().split('\n').length - 1;
      if (lines !== RUNS * EACH) throw new Error(`${String(lines)} proposals were listed`);
      const dashboardMs = await timedDashboard(home);
      const [versionMs] = await timed(['version'], env);
      if (round > 0) {
        list.push(listMs);
        dashboard.push(dashboardMs);
        version.push(versionMs);
      }
    }
    const ms = (rounds: readonly number[]): string => `${median(rounds).toFixed(0)} ms`;
    return plainFigure(median(list) > median(dashboard) ? list : dashboard, {
      goal: GOAL_MS,
      unit: 'ms',
      better: 'less',
      notes: [
        `proposals list: ${ms(list)}, dashboard: ${ms(dashboard)}`,
        `of which the process by itself, as bot-bottle version: ${ms(version)}`,
      ],
    });
  });
}

async function timed(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly [number, string]> {
  const begun = performance.now();
  const { stdout } = await run(process.execPath, [CLI, ...args], { env, maxBuffer: 64 * 1024 * 1024 });
  return [performance.now() - begun, stdout];
}

/** Up to what is seen: with the time that tmux takes to draw it and to be looked at. */
async function timedDashboard(home: string): Promise<number> {
  const terminal = await Tmux.start({ BOT_BOTTLE_HOME: home, LOG_LEVEL: 'silent', NODE: process.execPath });
  try {
    const begun = performance.now();
    await terminal.paste(`"$NODE" '${CLI}' dashboard\n`);
    await terminal.sees(new RegExp(`${String(RUNS * EACH)} proposals wait`), 30_000);
    return performance.now() - begun;
  } finally {
    await terminal.stop();
  }
}

/** A home as a worker leaves it, with proposals that differ from each other. */
async function fill(home: string): Promise<void> {
  const blobs = new LocalBlobStore(home);
  const database = await openDatabase(join(home, 'bot-bottle.db'));
  const currentFile = Array.from({ length: HOSTS }, (_, n) => `h${String(n)}.example`).join('\n');
  const refs = new Map<string, { readonly proposal: Proposal; readonly ref: string }>();
  for (let number = 1; number <= RUNS * EACH; number += 1) {
    const proposed = `${currentFile}\nasked-${String(number)}.example # the build needs it\n`;
    const read = readChange('pipelock-block', currentFile, proposed);
    if (read.kind === 'problems') throw new Error(read.problems.join());
    const proposal: Proposal = {
      id: number.toString(16).padStart(8, '0').padEnd(32, '0'),
      tool: 'pipelock-block',
      proposed_file: proposed,
      justification: 'The build cannot get on without it. '.repeat(10),
      arrival_timestamp: new Date(number).toISOString(),
      current_file_hash: 'c'.repeat(64),
      bottle_slug: slugOf(number),
    };
    const ref = await blobs.put(JSON.stringify({ proposal, currentFile, change: read.change }));
    refs.set(proposal.id, { proposal, ref });
  }
  await database.transaction(async ({ forgeState, proposals }) => {
    for (let number = 1; number <= RUNS; number += 1)
      await forgeState.upsert(stateRow({ issueNumber: number, slug: slugOf(number) }));
    let at = 0;
    for (const { proposal, ref } of refs.values()) {
      const { id, tool, bottle_slug: slug } = proposal;
      await proposals.add({
        slug,
        id,
        tool,
        ref,
        origin: 'agent',
        turn: 1,
        at: (at += 1),
        workflowId: `gitea:alice/demo#1`,
      });
    }
  });
  await database.close();
}

function slugOf(number: number): string {
  return `coder-alice-demo-${String(((number - 1) % RUNS) + 1)}-abc12`;
}
