/** What a stack's home says about its runs, read the way an operator could: rows, logs, prompts, sessions. */
import { execFile } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabaseReadOnly } from '../../../src/adapters/sqlite/open-database-read-only.js';
import type { SubjectRef } from '../../../src/domain/forge/issue.js';
import type { ForgeStateRow, OperationRow, ProposalRow, TurnRow } from '../../../src/domain/run/rows.js';
import type { Database } from '../../../src/domain/run/stores.js';

const execute = promisify(execFile);

export interface Session {
  readonly id: string;
  readonly turns: readonly { readonly turn: number; readonly exit: number | null }[];
}

export class StackFiles {
  constructor(private readonly home: string) {}

  stateRow(subject: SubjectRef): Promise<ForgeStateRow | undefined> {
    return this.read((database) => database.forgeState.get(subject));
  }

  stateRows(): Promise<ForgeStateRow[]> {
    return this.read((database) => database.forgeState.all());
  }

  turnRows(slug: string): Promise<TurnRow[]> {
    return this.read((database) => database.runs.turns(slug));
  }

  /** What was noted at the end of each turn, in order. */
  async endedTurns(slug: string): Promise<TurnRow[]> {
    return (await this.turnRows(slug)).filter(({ event }) => event === 'ended');
  }

  /** Those that wait for the operator. */
  openProposals(): Promise<ProposalRow[]> {
    return this.read((database) => database.proposals.open());
  }

  operations(slug: string): Promise<OperationRow[]> {
    return this.read((database) => database.runs.operations(slug));
  }

  /** Every run that ever had a directory here. */
  async slugs(): Promise<string[]> {
    return readdir(join(this.home, 'state')).catch(() => []);
  }

  path(slug: string, ...parts: readonly string[]): string {
    return join(this.home, 'state', slug, ...parts);
  }

  /** Text of a file of the run; empty when it is not there. */
  async text(slug: string, ...parts: readonly string[]): Promise<string> {
    return readFile(this.path(slug, ...parts), 'utf8').catch(() => '');
  }

  async agentLog(slug: string, turn: number): Promise<string> {
    return this.text(slug, 'turns', String(turn), 'agent.log');
  }

  /** What the agent is told in the turn; empty before it is known. */
  async prompt(slug: string, turn: number): Promise<string> {
    return this.text(slug, 'turns', String(turn), 'prompt.md');
  }

  /** How often an agent process began in the turn, as its own output tells. */
  async invocations(slug: string, turn: number): Promise<number> {
    return (await this.agentLog(slug, turn)).split('"first_instruction"').length - 1;
  }

  /** The snapshots of the agent's session, newest first. */
  async snapshots(slug: string): Promise<string[]> {
    const names = await readdir(this.path(slug, 'transcript')).catch(() => []);
    const turnOf = (name: string): number => Number(/^turn-(\d+)\.tar$/.exec(name)?.[1] ?? 0);
    return names.sort((a, b) => turnOf(b) - turnOf(a));
  }

  /** The engine's tar of the session's first path, as it was snapshot at the last freeze. */
  async sessionTar(slug: string): Promise<Buffer> {
    const [newest = 'none'] = await this.snapshots(slug);
    const file = this.path(slug, 'transcript', newest);
    const { stdout } = await execute('tar', ['-xOf', file, '1.tar'], {
      encoding: 'buffer',
      maxBuffer: 256 * 1024 * 1024,
    });
    return stdout;
  }

  /** The agent's session as it was snapshot at the last freeze. */
  async session(slug: string): Promise<Session> {
    const unpacking = execute('tar', ['-xOf', '-', '--wildcards', '*.json']);
    unpacking.child.stdin?.end(await this.sessionTar(slug));
    return JSON.parse((await unpacking).stdout) as Session;
  }

  /** The prompts of all turns that began, in order. */
  async prompts(slug: string): Promise<string[]> {
    const begun = (await this.turnRows(slug)).filter((row) => row.event === 'begun');
    return Promise.all(begun.map((row) => this.blob(String(row.detail['promptHash']))));
  }

  async blob(ref: string): Promise<string> {
    const root = join(this.home, 'blobs');
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && path.replaceAll('/', '').endsWith(ref)) return readFile(path, 'utf8');
    }
    throw new Error(`no blob ${ref}`);
  }

  /** Ends a `WAIT_FOR_TEST` of the turn that runs now; the next turn waits again. */
  async letGo(slug: string): Promise<void> {
    await writeFile(this.path(slug, 'turn', 'go'), '');
  }

  private async read<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = openDatabaseReadOnly(join(this.home, 'bot-bottle.db'));
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }
}
