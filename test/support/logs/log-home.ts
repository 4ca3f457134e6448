import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import type { TurnRow } from '../../../src/domain/run/rows.js';
import type { Database } from '../../../src/domain/run/stores.js';
import { stateRow } from '../webhook/rows.js';

export const SLUG = 'coder-alice-demo-12-abc12';

/** A home as a worker leaves it while a run lives: rows, and a log that grows. */
export class LogHome {
  #second = 0;

  private constructor(
    readonly home: string,
    readonly database: Database,
  ) {}

  static async make(home: string): Promise<LogHome> {
    mkdirSync(join(home, 'state', SLUG, 'workspace'), { recursive: true });
    const database = await openDatabase(join(home, 'bot-bottle.db'));
    await database.runs.appendRun({
      slug: SLUG,
      workflowId: 'gitea:alice/demo#12',
      subject: 'alice/demo#12',
      agentName: 'coder',
      bottleNames: ['default'],
      triggerActor: 'alice',
      triggerAt: 1,
      triggerActId: 3,
      createdAt: 2,
    });
    const made = new LogHome(home, database);
    await made.status('running');
    return made;
  }

  status(status: 'running' | 'frozen' | 'destroyed'): Promise<void> {
    return this.database.forgeState.upsert(stateRow({ slug: SLUG, issueNumber: 12, status }));
  }

  begin(
    turn: number,
    detail: TurnRow['detail'] = { provider: 'scripted', providerVersion: null },
  ): Promise<void> {
    const row = { slug: SLUG, turn, event: 'begun', at: turn * 1_000 } as const;
    return this.database.runs.appendTurn({
      ...row,
      detail: { cause: turn === 1 ? 'first' : 'wake', ...detail },
    });
  }

  end(turn: number): Promise<void> {
    const detail = {
      exitCode: 0,
      reason: 'done',
      done: { status: 'success' },
      agent: { outcome: 'finished' },
    };
    return this.database.runs.appendTurn({
      slug: SLUG,
      turn,
      event: 'ended',
      at: turn * 1_000 + 500,
      detail,
    });
  }

  /** Appends as it is. */
  write(turn: number, text: string | Uint8Array): void {
    const directory = join(this.home, 'state', SLUG, 'turns', String(turn));
    mkdirSync(directory, { recursive: true });
    appendFileSync(join(directory, 'agent.log'), text);
  }

  /** A line of the agent's. */
  line(text: string): string {
    this.#second += 1;
    return `2026-11-21T11:00:00.${String(this.#second).padStart(9, '0')}Z stdout ${text}\n`;
  }

  /** Lines of the agent's, one for each text. */
  say(turn: number, ...texts: readonly string[]): void {
    for (const text of texts) this.write(turn, this.line(text));
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

/** What the scripted agent prints of a tool's use. */
export function toolUse(tool: string): string {
  return JSON.stringify({ type: 'tool_use', name: tool, input: {} });
}
