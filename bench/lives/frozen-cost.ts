/**
 * What an issue costs while it is frozen: processes, open activities, timers, and bytes in Temporal's database and in
 * ours. Triggered issues of a real Gitea go through the product's webhook into a real Temporal server and through the
 * product's worker to their freeze, each with a pull request; only engine, git and the opening of pull requests are
 * played.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { openDatabase } from '../../src/adapters/sqlite/open-database.js';
import { openDatabaseReadOnly } from '../../src/adapters/sqlite/open-database-read-only.js';
import { openInbox } from '../../src/adapters/sqlite/inbox/open-inbox.js';
import { workflowIdOf, type SubjectRef } from '../../src/domain/forge/issue.js';
import { mapLimited } from '../../src/domain/base/map-limited.js';
import { Stack } from '../../test/support/stack/stack.js';
import { processesOf } from '../../test/support/stack/processes.js';
import { cleaningUp } from '../base/clean-up.js';
import { withDevServer } from '../base/dev-server.js';
import { plainFigure, short, type Figure } from '../base/figure.js';
import { breakdown, countKinds, isSet } from '../base/history-events.js';
import { databaseBytes, treeBytes } from '../base/stored-bytes.js';
import { until } from '../base/until.js';
import { withService, withWebhook } from '../base/with-service.js';

const ISSUES = 1_000;
const SLOTS = 8;
const AT_ONCE = 4;
const CREATED_AT_ONCE = 10;
/** `issue_assign`, `issues`, `issue_label` */
const DELIVERIES_AN_ISSUE = 3;
const KIB = 1024;
/** Looking reads everything there is: no time is measured here, and the work needs the machine. */
const SELDOM_MS = 500;
const MINUTE = 60_000;
const [OWNER, REPO] = ['alice', 'frozen'];
/** About what people write, and what a title is. */
const TITLE = 'The greeting says something else than what the manual promises';
const BODY = Array.from(
  { length: 10 },
  (_value, at) => `${String(at + 1)}. Run \`./greet.sh\` and compare what it says with what it ought to say.`,
).join('\n');

/** @param issues how many are frozen at once */
export async function frozenCost(issues = ISSUES) {
  const stack = await Stack.prepare({
    env: { BOTTLE_SLOTS: String(SLOTS), LOG_LEVEL: 'warn' },
  });
  return cleaningUp(
    () => stack.remove(),
    () =>
      withDevServer(
        async (client, _address, temporalFile) => {
          const temporalEmpty = await databaseBytes(temporalFile);
          // As the worker makes it: no issue costs its tables.
          await (await openDatabase(join(stack.home, 'bot-bottle.db'))).close();
          return withWebhook(stack, async () => {
            const storeEmpty = await storeBytes(stack.home);
            const subjects = await triggered(stack, issues);
            return withService(stack, [], 'bench/lives/played-worker.ts', async () => {
              await untilFrozen(stack, issues);
              const state = await stateOf(client, subjects);
              const temporal = (await databaseBytes(temporalFile)) - temporalEmpty;
              const store = await storeBytes(stack.home);
              return {
                frozen_processes: await processesFigure(stack, issues),
                frozen_open_activities: count(
                  mean(state.map(({ activities }) => activities)),
                  0,
                  'activities',
                ),
                frozen_timers: count(mean(state.map(({ timers }) => timers)), 1, 'timers'),
                frozen_temporal_kib: temporalFigure(temporal, state),
                frozen_store_kib: storeFigure(store, storeEmpty, issues, await runFiles(stack.home, issues)),
              };
            });
          });
        },
        Number(new URL(`http://${stack.temporalAddress}`).port),
      ),
  );
}

/** So many issues with the trigger, all of whose deliveries came through the webhook to Temporal. */
async function triggered(stack: Stack, count: number): Promise<readonly SubjectRef[]> {
  const { gitea } = stack;
  const repo = await gitea.addRepository(gitea.alice, REPO);
  const person = gitea.alice.on(repo);
  await gitea.addWebhook(repo, stack.webhookUrl, stack.webhookSecret);
  const create = (): Promise<number> =>
    person.createIssue({
      title: TITLE,
      body: BODY,
      labels: ['bot-bottle:demo'],
      assignees: [gitea.bot.login],
    });
  const numbers: number[] = [];
  const inbox = openInbox(join(stack.home, 'inbox.db'));
  try {
    // A few at a time: Gitea on SQLite may lock itself up when many of its deliveries wait while it writes and is read.
    while (numbers.length < count) {
      for (let at = 0; at < CREATED_AT_ONCE && numbers.length < count; at += 1) numbers.push(await create());
      await until(
        `the deliveries about ${String(numbers.length)} issues to be dispatched`,
        () => {
          const { total, open } = inbox.stats();
          return open === 0 && total === DELIVERIES_AN_ISSUE * numbers.length ? true : undefined;
        },
        2 * MINUTE,
      );
    }
    const started = inbox
      .decisions(numbers.length * DELIVERIES_AN_ISSUE)
      .filter(({ outcome }) => outcome === 'started');
    if (new Set(started.map(({ orderKey }) => orderKey)).size !== count)
      throw new Error(`${String(started.length)} of ${String(count)} runs were started`);
  } finally {
    inbox.close();
  }
  return numbers.map((number) => ({ forge: 'gitea', owner: OWNER, repo: REPO, number }));
}

async function untilFrozen(stack: Stack, count: number): Promise<void> {
  await until(
    `${String(count)} rows that say frozen, done, with a pull request`,
    async () => {
      await delay(SELDOM_MS);
      const database = openDatabaseReadOnly(join(stack.home, 'bot-bottle.db'));
      try {
        const rows = await database.forgeState.all();
        const frozen = rows.filter(({ status }) => status === 'frozen');
        const other = frozen.find(({ reason, prNumber }) => reason !== 'done' || prNumber === null);
        if (other !== undefined)
          throw new Error(
            `#${String(other.issueNumber)} froze as ${String(other.reason)}, ${other.prNumber === null ? 'without' : 'with'} a pull request`,
          );
        return frozen.length === count ? true : undefined;
      } finally {
        await database.close();
      }
    },
    15 * MINUTE,
  );
}

interface Frozen {
  readonly activities: number;
  readonly timers: number;
  readonly historyBytes: number;
  readonly events: number;
  readonly kinds: string;
}

/** Asks the server about every workflow. */
async function stateOf(client: Client, subjects: readonly SubjectRef[]): Promise<readonly Frozen[]> {
  return mapLimited(subjects, AT_ONCE, async (subject) => {
    const handle = client.workflow.getHandle(workflowIdOf(subject));
    const { raw, historySize, status } = await handle.describe();
    if (status.name !== 'RUNNING') throw new Error(`${handle.workflowId} is ${status.name}`);
    const events = (await handle.fetchHistory()).events ?? [];
    const over = events.filter(
      ({ timerFiredEventAttributes: fired, timerCanceledEventAttributes: canceled }) =>
        isSet(fired) || isSet(canceled),
    ).length;
    return {
      activities: raw.pendingActivities?.length ?? 0,
      timers: countKinds(events).timers - over,
      historyBytes: historySize ?? 0,
      events: events.length,
      kinds: breakdown(events),
    };
  });
}

/** What runs beside the services that are there without any issue: webhook and worker, and what loads them. */
async function processesFigure(stack: Stack, issues: number): Promise<Figure> {
  const processes = await processesOf(stack.home);
  const services = ['webhook', 'played-worker.ts', 'esbuild'];
  const own = processes.filter(
    ({ argv }) => !services.some((name) => argv.some((one) => one.endsWith(name))),
  );
  return count(own.length / issues, 0, 'processes', [
    `of ${String(issues)} issues; engine and agents are played here: that a frozen run has no container running, test/e2e/whole-life.test.ts sees`,
  ]);
}

function temporalFigure(bytes: number, states: readonly Frozen[]): Figure {
  const [first] = states;
  return count(bytes / states.length / KIB, 64, 'KiB', [
    `${String(states.length)} issues, ${short(bytes / KIB / KIB)} MiB; a history has ${short(mean(states.map(({ events }) => events)))} events and ${short(mean(states.map(({ historyBytes }) => historyBytes)) / KIB)} KiB of them (means)`,
    `one of them: ${first?.kinds ?? ''}`,
  ]);
}

type StoreBytes = Readonly<Record<keyof typeof STORE, number>>;

/** Where the product keeps what belongs to a run. */
const STORE = {
  'bot-bottle.db': databaseBytes,
  'inbox.db': databaseBytes,
  'rejections.db': databaseBytes,
  blobs: treeBytes,
  state: treeBytes,
} as const;

async function storeBytes(home: string): Promise<StoreBytes> {
  const entries = Object.entries(STORE).map(
    async ([name, bytes]) => [name, await bytes(join(home, name))] as const,
  );
  return Object.fromEntries(await Promise.all(entries)) as StoreBytes;
}

function storeFigure(store: StoreBytes, empty: StoreBytes, issues: number, files: string): Figure {
  const kib = (part: keyof StoreBytes): number => (store[part] - empty[part]) / issues / KIB;
  const listed = (parts: readonly (keyof StoreBytes)[]): string =>
    parts.map((part) => `${part} ${kib(part).toFixed(2)}`).join(', ');
  const databases = ['bot-bottle.db', 'inbox.db', 'rejections.db'] as const;
  const total = databases.map(kib).reduce((sum, part) => sum + part, 0);
  return count(total, 4, 'KiB', [
    listed(databases),
    `in files beside, KiB: ${listed(['blobs', 'state'])}; ${files}`,
  ]);
}

/** What a run's directory has, file by file: mean bytes over the runs. */
async function runFiles(home: string, issues: number): Promise<string> {
  const sizes = new Map<string, number>();
  await treeBytes(join(home, 'state'), (path, bytes) => {
    // Below the run's own directory, and an answer's file whatever its request.
    const name = path
      .split('/')
      .slice(1)
      .join('/')
      .replace(/[0-9a-f]{32}/, '<request>');
    sizes.set(name, (sizes.get(name) ?? 0) + bytes);
  });
  return [...sizes]
    .sort(([, a], [, b]) => b - a)
    .map(([name, bytes]) => `${name} ${String(Math.round(bytes / issues))} bytes`)
    .join(', ');
}

function count(value: number, goal: number, unit: Figure['unit'], notes: readonly string[] = []): Figure {
  return plainFigure([value], { goal, unit, better: 'less', notes });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
