/** The world as the commands see it; src/wiring/cli/cli-deps.ts makes the real one, tests make a small one. */
import type { ApiTokens } from '../../domain/api/api-token.js';
import type { BottleEditor } from '../../domain/manifest/bottle-editor.js';
import type { Janitor } from '../../domain/upkeep/gc.js';
import type { ForgeKind } from '../../domain/forge/issue.js';
import type { Check } from '../doctor/check.js';
import type { ForgeSetupWorld } from './setup-world.js';
import type { ProvenanceDesk } from './provenance-desk.js';
import type { RunLogs } from './run-logs.js';
import type { ManifestLibrary } from '../manifests/library.js';
import type { DashboardDesk, Orchestrator } from './orchestrator.js';
import type { OpenProposals } from './proposal-desk.js';
import type { SyncDesk } from './sync-desk.js';

/** What it takes may have to be loaded first: no command waits for what another one needs. */
type Loaded<T> = T | Promise<T>;

export interface CliDeps {
  readonly version: string;
  readonly io: CliIo;
  /**
   * Connects. The command closes it.
   *
   * @param options `retries: false` for who asks again anyway, and closes it while calls are under way
   */
  orchestrator(options?: { readonly retries: boolean }): Promise<Orchestrator>;
  /** Without Temporal. The command closes it. */
  proposals(): Promise<OpenProposals>;
  /** The command closes it. Errors: `InvalidInputError` for a configuration that is wrong or names no forge. */
  sync(): Loaded<SyncDesk>;
  /** Runs until it is asked to stop; resolves with the exit status. */
  serve(role: ServiceRole): Promise<number>;
  /** Adds the search attributes that are missing; repeating it changes nothing. */
  temporalSetup(): Promise<{ readonly namespace: string; readonly added: readonly string[] }>;
  /** Sends a test message by every hook; `problem` is `null` where it was taken. */
  notifyTest(): Promise<readonly { readonly hook: string; readonly problem: string | null }[]>;
  doctorChecks(): Loaded<readonly Check[]>;
  /** Connects. The command closes it. */
  janitor(): Promise<Janitor>;
  /** Errors: `InvalidInputError` for a configuration that is wrong or names no forge. */
  forgeSetup(): Loaded<ForgeSetupWorld>;
  /** Throws `InvalidInputError` with every problem when the configuration is wrong. */
  config(): Loaded<ConfigView>;
  /** @param hosts upstreams it may be sent to; none leaves that as it is. Returns the file's path. */
  setSecret(name: string, content: Uint8Array, hosts: readonly string[]): Loaded<string>;
  apiTokens(): Loaded<ApiTokens>;
  manifests(): Loaded<ManifestLibrary>;
  bottleEditor(): Loaded<BottleEditor>;
  /**
   * Lets the operator edit a text, in a file of this name that nobody else can read. Errors: `InvalidInputError` when no editor is
   * set; `CliError` when it fails.
   */
  edit(name: string, text: string): Promise<EditedText>;
  /** Shows the dashboard on this process' terminal until it is to end. */
  dashboard(desk: DashboardDesk, colors: boolean): Promise<void>;
  /** Makes nothing but the home. The command closes it. */
  provenance(): Loaded<ProvenanceDesk>;
  forgePages(): Loaded<ForgePages>;
  /** The command closes it. */
  logs(): Loaded<RunLogs>;
  /**
   * Aborts when the command is to end: Ctrl-C, or nobody reads its output any more.
   *
   * @param options `goesOnUnread: true` for what is not done for its output
   */
  interrupted(options?: { readonly goesOnUnread: boolean }): AbortSignal;
}

export interface EditedText {
  readonly text: string;
  /** Where it is until it is removed. */
  readonly path: string;
  remove(): Promise<void>;
}

export interface ForgePages {
  readonly kind: ForgeKind;
  /** Address below which the forge's pages are, such as `https://git.example`; `null` when none is configured. */
  readonly webUrl: string | null;
}

export type ServiceRole = 'up' | 'worker' | 'webhook' | 'api' | 'codec-server';

export interface CliIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** What standard output is shown on, as it is now; `null` when it is no terminal. */
  terminal(): { readonly columns: number; readonly colors: boolean } | null;
  readonly stdin: {
    readonly isTTY: boolean;
    /** To its end. */
    read(): Promise<Uint8Array>;
    /** One line, after a question that is shown on standard error; empty at the end of the input. */
    ask(question: string): Promise<string>;
  };
}

export interface ConfigView {
  readonly effective: readonly {
    readonly name: string;
    readonly value: string | null;
    readonly source: 'environment' | 'file' | 'default';
    readonly line?: number;
    readonly secret?: 'set' | 'missing' | 'unusable';
  }[];
  readonly warnings: readonly string[];
}
