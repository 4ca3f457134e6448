import type { EditedText } from '../cli/base/deps.js';
import type { DashboardDesk } from '../cli/base/orchestrator.js';

/** What the dashboard stands on. */
export interface DashboardWorld {
  readonly desk: DashboardDesk;
  /** As `CliDeps.edit`; the terminal is the editor's meanwhile. */
  edit(name: string, text: string): Promise<EditedText>;
  readonly terminal: { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream };
  readonly colors: boolean;
  /** Aborts when the dashboard is to end. */
  readonly ended: AbortSignal;
}
