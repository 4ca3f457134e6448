import type { Client } from '@temporalio/client';
import type { SubjectRef } from '../../domain/forge/issue.js';
import type { RejectionRow } from '../../domain/run/rows.js';
import type { Database } from '../../domain/run/stores.js';
import type { LocalOptions, Refused, RunSource, StartOptions } from '../base/orchestrator.js';

/** What the commands' orchestrator stands on. */
export interface OrchestratorWorld {
  readonly client: Client;
  /** Open for reading. */
  readonly database: Database;
  /** Who gives the commands (`isOperatorName`). */
  readonly by: string;
  /** Keeps a text (a prompt, a file, notes) where the worker finds it; returns its reference. */
  storeText(text: string): Promise<string>;
  /** What is kept under a reference. */
  readText(ref: string): Promise<string>;
  /** Reads the subject fresh and sends it to its workflow as a trigger by the operator, starting that when needed. */
  trigger(subject: SubjectRef, options: StartOptions): Promise<{ readonly kind: 'sent' } | Refused>;
  /** The same for a run without an issue. */
  triggerLocal(
    source: RunSource,
    options: LocalOptions,
  ): Promise<{ readonly kind: 'sent'; readonly subject: SubjectRef } | Refused>;
  /** The command that fetches what a run without an issue has made; `null` when there is nothing. */
  fetchCommand(slug: string): string | null;
  /** Newest first. */
  rejections(limit: number): Promise<readonly RejectionRow[]>;
  close(): Promise<void>;
  /** Milliseconds a worker may take to answer. Default 15 s. */
  readonly callMs?: number;
}
