/** A home with the record of two runs, written and sealed as the worker does it: one of two turns that has ended, one that is frozen. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sealRun } from '../../../src/activities/rows/seal-run.js';
import { homeSigner } from '../../../src/adapters/dsse/signing-keys.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import type { Database } from '../../../src/domain/run/stores.js';
import { stateRow } from '../webhook/rows.js';

export const ENDED = 'coder-alice-demo-12-abcde';
export const FROZEN = 'writer-alice-docs-7-qwert';
export const COMMIT = 'c'.repeat(40);

export class RecordedHome {
  private constructor(
    readonly dir: string,
    readonly database: Database,
  ) {}

  static async make(): Promise<RecordedHome> {
    const dir = await mkdtemp(join(tmpdir(), 'bb-record-'));
    const home = new RecordedHome(dir, await openDatabase(join(dir, 'bot-bottle.db')));
    await home.#begin(ENDED, 12);
    await home.#turn(ENDED, 1, { publish: { kind: 'published', pr: 1, prUrl: '', head: COMMIT } });
    await home.seal(ENDED, 'frozen', 1_900);
    await home.#begin(FROZEN, 7);
    await home.#proposal(ENDED);
    await home.database.operatorLog.append(command('o1', ENDED));
    await home.database.operatorLog.append(command('o2', null));
    await home.#turn(ENDED, 2, { publish: { kind: 'nothing', reason: '' } });
    await home.seal(ENDED, 'destroyed', 2_900);
    await home.#turn(FROZEN, 1, { publish: { kind: 'refused', reason: 'a "secret" \u00e9\u2028' } });
    await home.seal(FROZEN, 'frozen', 3_900);
    return home;
  }

  get file(): string {
    return join(this.dir, 'bot-bottle.db');
  }

  async seal(slug: string, reason: 'frozen' | 'destroyed', at: number): Promise<void> {
    await this.database.transaction(async (stores) => {
      const row = await stores.forgeState.ofRun(slug);
      if (row !== undefined) await stores.forgeState.upsert({ ...row, status: reason, phase: reason });
      await sealRun(stores, homeSigner(this.dir), { slug, reason, at });
    });
  }

  async remove(): Promise<void> {
    await this.database.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  async #begin(slug: string, issueNumber: number): Promise<void> {
    const workflowId = `gitea:alice/demo#${String(issueNumber)}`;
    await this.database.forgeState.upsert(stateRow({ slug, issueNumber, workflowId }));
    await this.database.runs.appendRun({
      ...{
        slug,
        workflowId,
        subject: workflowId.replace('gitea:', ''),
        agentName: 'coder',
        bottleNames: ['default'],
      },
      ...{ triggerActor: 'alice', triggerAt: 1_000, triggerActId: 3, createdAt: 1_001 },
    });
  }

  async #turn(slug: string, turn: number, settled: Readonly<Record<string, unknown>>): Promise<void> {
    const at = 1_000 * turn;
    const { runs } = this.database;
    await runs.appendTurn({ slug, turn, event: 'begun', at: at + 100, detail: { cause: 'first' } });
    // Of an agent: a nought, and half a character, which has no UTF-8.
    const text = 'read \u0000 \ud83d';
    const operation = { slug, turn, operation: 'read_issue', target: '#12', text };
    await runs.appendOperations([
      { ...operation, id: `${String(turn)}-1`, at: at + 200, outcome: 'ok' },
      { ...operation, id: `${String(turn)}-2`, at: at + 201, outcome: 'refused' },
    ]);
    await runs.appendTurn({ slug, turn, event: 'ended', at: at + 300, detail: settled });
  }

  async #proposal(slug: string): Promise<void> {
    const { proposals } = this.database;
    await proposals.add({
      ...{ slug, id: 'a'.repeat(32), workflowId: 'gitea:alice/demo#12', tool: 'pipelock-block', turn: 1 },
      ...{ at: 1_500, ref: 'b'.repeat(64), origin: 'agent' },
    });
    await proposals.decide({
      ...{ slug, id: 'a'.repeat(32), status: 'approved', who: 'me@here', at: 1_600 },
      ...{ ref: 'b'.repeat(64), notesRef: null },
    });
  }
}

function command(id: string, slug: string | null) {
  return { id, at: 1_700, who: 'me@here', kind: 'done', detail: {}, slug, workflowId: 'w' };
}
