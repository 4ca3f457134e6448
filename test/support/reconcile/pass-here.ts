/** The reconciler over a feed in memory: what its passes find, ask for and leave to the next. */
import type { ReconcilePorts } from '../../../src/activities/reconcile/reconcile-ports.js';
import { reconcilePass } from '../../../src/activities/reconcile/reconcile-pass.js';
import { feedSources } from '../../../src/domain/forge/forge-feed.js';
import type { ForgeStateRow } from '../../../src/domain/run/rows.js';
import type { Finding, PassReport, ReconcileState } from '../../../src/domain/upkeep/reconcile.js';
import { EMPTY_RECONCILE_STATE } from '../../../src/domain/upkeep/reconcile.js';
import { servedRepositories } from '../../../src/webhook/dispatch/served-repositories.js';
import { stateRow } from '../webhook/rows.js';
import { FeedHere, NOW } from './feed-here.js';
import { shortly } from './shortly.js';

export class PassHere {
  readonly feed = new FeedHere();
  /** Rows of runs, whether they go on or not. */
  rows: readonly ForgeStateRow[] = [];
  /** When they were triggered; one that has no row of its own counts from its last change. */
  triggerAt: number | null = NOW - 3_600_000;
  /** `FORGE_REPOS` */
  repos: readonly string[] = ['alice/demo'];
  serves = (owner: string, repo: string): boolean => servedRepositories(this.repos)(owner, repo);
  requests = 60;
  now = NOW;
  state: ReconcileState = EMPTY_RECONCILE_STATE;
  readonly accepted: Finding[] = [];
  readonly levels: string[] = [];
  post: (finding: Finding) => Promise<'accepted' | 'known'> = () => Promise.resolve('accepted');

  /** A run that goes on unless it is said otherwise. */
  addRun(changes: Partial<ForgeStateRow> = {}): ForgeStateRow {
    const row = stateRow({ updatedAt: NOW - 1_800_000, ...changes });
    this.rows = [...this.rows, row];
    return row;
  }

  pass(signal = new AbortController().signal): Promise<PassReport> {
    return reconcilePass(this.ports(), signal);
  }

  /** What one pass brings that is new, in short and in order. */
  async news(): Promise<readonly string[]> {
    const before = this.accepted.length;
    await this.pass();
    return this.accepted.slice(before).map(shortly);
  }

  ports(): ReconcilePorts {
    const isOf = (row: ForgeStateRow, number: number): boolean =>
      row.issueNumber === number || row.prNumber === number;
    const note = (level: string) => () => void this.levels.push(level);
    const database = {
      forgeState: {
        living: () => Promise.resolve(this.rows.filter(({ status }) => status !== 'destroyed')),
        ofNumber: ({ number }: { readonly number: number }, repoId: number | null) =>
          Promise.resolve(this.rows.filter((row) => isOf(row, number) && row.repoId === repoId)),
      },
      runs: {
        run: () => Promise.resolve(this.triggerAt === null ? undefined : { triggerAt: this.triggerAt }),
      },
    };
    return {
      feed: this.feed,
      door: {
        post: async (finding) => {
          const verdict = await this.post(finding);
          this.accepted.push(finding);
          return verdict;
        },
      },
      store: {
        load: () => Promise.resolve(this.state),
        save: (state) => {
          this.state = state;
          return Promise.resolve();
        },
      },
      database: database as unknown as ReconcilePorts['database'],
      clock: { now: () => this.now },
      log: { info: note('info'), warn: note('warn'), error: note('error') },
      settings: {
        sources: feedSources(this.repos),
        serves: this.serves,
        requests: this.requests,
      },
    };
  }
}
