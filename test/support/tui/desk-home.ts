/** A home with runs and proposals in real rows and blobs; nothing of it runs. */
import { join } from 'node:path';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import type { ProposalRow } from '../../../src/domain/run/rows.js';
import type { Database } from '../../../src/domain/run/stores.js';
import type { Proposal } from '../../../src/domain/supervise/proposal.js';
import { ProductHome } from '../entries/product-home.js';
import { shownProposal } from '../supervise/shown.js';
import { stateRow } from '../webhook/rows.js';

export class DeskHome {
  private constructor(
    private readonly home: ProductHome,
    readonly database: Database,
    private readonly blobs: LocalBlobStore,
  ) {}

  static async make(): Promise<DeskHome> {
    const home = await ProductHome.make();
    const database = await openDatabase(join(home.dir, 'bot-bottle.db'));
    return new DeskHome(home, database, new LocalBlobStore(home.dir));
  }

  get env(): Readonly<Record<string, string>> {
    return this.home.env;
  }

  get dir(): string {
    return this.home.dir;
  }

  /** A run in its second turn. */
  async run(slug: string, number: number, ageMs = 4 * 60_000): Promise<void> {
    const workflowId = `gitea:alice/demo#${String(number)}`;
    const at = Date.now() - ageMs;
    const names = { agentName: 'coder', bottleNames: ['default'] };
    await this.database.forgeState.upsert(
      stateRow({ issueNumber: number, slug, workflowId, ...names, status: 'running', phase: 'running' }),
    );
    await this.database.runs.appendRun({
      ...{ slug, workflowId, subject: `alice/demo#${String(number)}`, ...names },
      ...{ triggerActor: 'alice', triggerAt: at, triggerActId: 1, createdAt: at },
    });
    const detail = { sessionId: 's', model: { use: { microUsd: 1_230_000 } } };
    await this.database.runs.appendTurn({ slug, turn: 1, event: 'ended', at, detail });
    await this.database.runs.appendTurn({ slug, turn: 2, event: 'begun', at, detail: {} });
    await this.database.sessions.update(slug, at);
  }

  async proposal(slug: string, id: string, changes: Partial<Proposal> = {}): Promise<ProposalRow> {
    const shown = shownProposal({ id, bottle_slug: slug, ...changes });
    const row: ProposalRow = {
      ...{ slug, id, workflowId: 'gitea:alice/demo#12', tool: shown.proposal.tool, turn: 2 },
      ...{
        at: Date.now() - 60_000,
        ref: await this.blobs.put(JSON.stringify(shown)),
        origin: 'agent' as const,
      },
    };
    await this.database.proposals.add(row);
    return row;
  }

  async remove(): Promise<void> {
    await this.database.close();
    await this.home.remove();
  }
}
