import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ReconcilePorts } from '../../../src/activities/reconcile/reconcile-ports.js';
import { reconcilePass } from '../../../src/activities/reconcile/reconcile-pass.js';
import { findingDoor } from '../../../src/adapters/door/finding-door.js';
import { reconcileFile } from '../../../src/adapters/files/reconcile-file.js';
import { giteaFeed } from '../../../src/adapters/gitea/feed.js';
import { GiteaClient } from '../../../src/adapters/gitea/gitea-client.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { feedSources } from '../../../src/domain/forge/forge-feed.js';
import type { Database } from '../../../src/domain/run/stores.js';
import type { Finding, PassReport, ReconcileStore } from '../../../src/domain/upkeep/reconcile.js';
import type { ForgeStateRow } from '../../../src/domain/run/rows.js';
import { findingBody, findingHeaders, RECONCILED_PATH } from '../../../src/webhook/events/reconciled.js';
import { servedRepositories } from '../../../src/webhook/dispatch/served-repositories.js';
import { stateRow } from '../webhook/rows.js';
import { SECRET } from '../webhook/sign.js';
import { startWebhook } from '../webhook/start-webhook.js';
import type { StartedWebhook } from '../webhook/start-webhook.js';
import { shortly } from './shortly.js';

export interface WorldOptions {
  /** Must not be there yet. */
  readonly directory: string;
  readonly forgeUrl: string;
  readonly token: string;
  /** `FORGE_REPOS` */
  readonly repos?: readonly string[];
  readonly requests?: number;
}

/** The reconciler in this process, between a real forge and the real door of a webhook. */
export class ReconcileWorld {
  /** What the door took as new, in order. */
  readonly accepted: Finding[] = [];
  store: ReconcileStore;

  private constructor(
    readonly database: Database,
    readonly webhook: StartedWebhook,
    private readonly ports: ReconcilePorts,
    private readonly close: () => void,
  ) {
    this.store = ports.store;
  }

  static async start(options: WorldOptions): Promise<ReconcileWorld> {
    const { directory } = options;
    mkdirSync(directory);
    const webhook = await startWebhook({
      inboxFile: join(directory, 'inbox.db'),
      deps: { worksIn: () => Promise.resolve(true) },
    });
    const client = new GiteaClient({ baseUrl: options.forgeUrl, token: options.token, retry: { tries: 1 } });
    const door = findingDoor({
      url: new URL(`${webhook.url}${RECONCILED_PATH}`),
      bodyOf: findingBody,
      headersFor: (body) => findingHeaders(SECRET, body),
    });
    const database = await openDatabase(join(directory, 'bot-bottle.db'));
    const repos = options.repos ?? ['*'];
    const quiet = (): void => undefined;
    const ports: ReconcilePorts = {
      feed: giteaFeed(client),
      door: {
        post: async (finding) => {
          const verdict = await door.post(finding);
          if (verdict === 'accepted') world.accepted.push(finding);
          return verdict;
        },
      },
      store: reconcileFile(join(directory, 'reconcile.json'), quiet),
      database,
      clock: { now: Date.now },
      log: { info: quiet, warn: quiet, error: quiet },
      settings: {
        sources: feedSources(repos),
        serves: servedRepositories(repos),
        requests: options.requests ?? 60,
      },
    };
    const world: ReconcileWorld = new ReconcileWorld(database, webhook, ports, () => {
      door.close();
      client.close();
    });
    return world;
  }

  pass(): Promise<PassReport> {
    return reconcilePass({ ...this.ports, store: this.store }, new AbortController().signal);
  }

  /** What one pass brings that is new, in short. */
  async news(): Promise<string[]> {
    const before = this.accepted.length;
    await this.pass();
    return this.accepted.slice(before).map(shortly).sort();
  }

  /** A run that goes on, or has ended. @param triggerAt by default a moment ago */
  async addRun(changes: Partial<ForgeStateRow>, triggerAt = Date.now() - 1000): Promise<ForgeStateRow> {
    const row = stateRow(changes);
    await this.database.forgeState.upsert(row);
    const subject = `${row.owner}/${row.repo}#${String(row.issueNumber)}`;
    await this.database.runs.appendRun({
      slug: row.slug,
      workflowId: row.workflowId,
      subject,
      agentName: row.agentName,
      bottleNames: row.bottleNames,
      triggerActor: 'alice',
      triggerAt,
      triggerActId: 1,
      createdAt: triggerAt,
    });
    return row;
  }

  async stop(): Promise<void> {
    this.close();
    await this.database.close();
    await this.webhook.stop();
  }
}
