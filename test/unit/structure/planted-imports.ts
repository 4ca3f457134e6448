/** The import table as files: what it forbids, with the rule that must say so, and what it allows. */

/** Each import that the table forbids: the rule that must name it, the file it stands in, and what it imports. */
export const PLANTED: readonly (readonly [rule: string, file: string, code: string])[] = [
  ['domain-only-itself', 'domain/a.ts', "export { readFileSync } from 'node:fs';"],
  ['domain-only-itself', 'domain/b.ts', "import type { z } from 'zod'; export type Z = z.ZodType;"],
  ['domain-only-itself', 'domain/c.ts', "export { issueWorkflow } from '../workflows/ok.js';"],
  ['workflows-are-deterministic', 'workflows/a.ts', "export { randomUUID } from 'node:crypto';"],
  ['workflows-are-deterministic', 'workflows/b.ts', "export { Client } from '@temporalio/client';"],
  ['workflows-are-deterministic', 'workflows/c.ts', "export { GiteaForge } from '../adapters/gitea/ok.js';"],
  ['workflows-are-deterministic', 'workflows/e.ts', "export { trace } from '@opentelemetry/api';"],
  [
    'trace-interceptors',
    'workflows/interceptors/traces.ts',
    "export { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';",
  ],
  ['adapter-dsse', 'adapters/dsse/a.ts', "export { z } from 'zod';"],
  ['provenance-hashes', 'domain/provenance/a.ts', "export { readFileSync } from 'node:fs';"],
  ['adapter-otlp', 'adapters/otlp/a.ts', "export { z } from 'zod';"],
  [
    'workflows-see-activity-types-only',
    'workflows/d.ts',
    "export { createActivities } from '../activities/ok.js';",
  ],
  ['workflows-are-private', 'webhook/a.ts', "export { issueWorkflow } from '../workflows/ok.js';"],
  ['workflows-are-private', 'activities/a.ts', "export { issueWorkflow } from '../workflows/ok.js';"],
  ['activities-over-ports', 'activities/b.ts', "export { GiteaForge } from '../adapters/gitea/ok.js';"],
  [
    'activities-over-ports',
    'activities/c.ts',
    "import type { Issue } from '../adapters/gitea/ok.js'; export type I = Issue;",
  ],
  ['activities-over-ports', 'activities/d.ts', "export { spawn } from 'node:child_process';"],
  ['activities-over-ports', 'activities/e.ts', "export { Client } from '@temporalio/client';"],
  ['adapter-gitea', 'adapters/gitea/a.ts', "import Docker from 'dockerode'; export const d = new Docker();"],
  [
    'adapter-docker',
    'adapters/docker/a.ts',
    "import Database from 'better-sqlite3'; export const d = new Database('x');",
  ],
  ['adapter-sqlite', 'adapters/sqlite/a.ts', "export { execa } from 'execa';"],
  [
    'sql-in-its-adapter',
    'wiring/sql.ts',
    "import type { Kysely } from 'kysely'; export type Db = Kysely<unknown>;",
  ],
  [
    'sql-in-its-adapter',
    'activities/sql.ts',
    "import Database from 'better-sqlite3'; export const d = new Database('x');",
  ],
  ['adapter-git', 'adapters/git/a.ts', "export { Client } from '@temporalio/client';"],
  ['adapter-agents', 'adapters/agents/a.ts', "export { execa } from 'execa';"],
  [
    'adapter-temporal',
    'adapters/temporal/a.ts',
    "export { createActivities } from '../../activities/ok.js';",
  ],
  ['adapter-manifests', 'adapters/manifests/a.ts', "export { execa } from 'execa';"],
  ['adapter-gitleaks', 'adapters/gitleaks/a.ts', "export { parse } from 'yaml';"],
  ['adapter-files', 'adapters/files/a.ts', "export { parse } from 'yaml';"],
  ['adapter-without-vendor', 'adapters/new/a.ts', "export { execa } from 'execa';"],
  ['adapter-never-a-sibling', 'adapters/git/b.ts', "export { GiteaForge } from '../gitea/ok.js';"],
  ['adapter-never-a-sibling', 'adapters/system/b.ts', "export { GiteaForge } from '../gitea/ok.js';"],
  ['bundle-over-ports', 'bundle/a.ts', "export { GiteaForge } from '../adapters/gitea/ok.js';"],
  ['bundle-over-ports', 'bundle/b.ts', "export { execa } from 'execa';"],
  ['bundle-holds-nothing-of-the-host', 'bundle/c.ts', "export { Client } from '@temporalio/client';"],
  ['bundle-holds-nothing-of-the-host', 'bundle.ts', "export { db } from './adapters/sqlite/ok.js';"],
  ['front-webhook', 'webhook/b.ts', "export { GiteaForge } from '../adapters/gitea/ok.js';"],
  ['front-webhook', 'webhook/c.ts', "import type D from 'better-sqlite3'; export type B = D.Database;"],
  ['front-api', 'api/a.ts', "export { db } from '../adapters/sqlite/ok.js';"],
  ['front-cli', 'cli/a.ts', "export { GiteaForge } from '../adapters/gitea/ok.js';"],
  ['front-cli', 'cli/b.ts', "export { settings } from '../config.js';"],
  ['front-tui', 'tui/a.ts', "export { createActivities } from '../activities/ok.js';"],
  ['front-tui', 'tui/b.ts', "export { asks } from '../cli/runs/orchestrator-client.js';"],
  ['dashboard-loads-by-itself', 'wiring/cli/dashboard.ts', "export { shown } from '../../tui/ok.js';"],
  ['webhook-process-has-no-engine', 'webhook.ts', "export { docker } from './adapters/docker/ok.js';"],
  ['webhook-process-has-no-engine', 'webhook/d.ts', "export { Worker } from '@temporalio/worker';"],
  ['webhook-process-has-no-engine', 'webhook/e.ts', "export const late = () => import('../worker.js');"],
  ['commands-load-late', 'cli/d.ts', "export { Client } from '@temporalio/client';"],
  ['commands-load-late', 'cli/e.ts', "export { event } from '../workflows/messages.js';"],
  ['commands-load-late', 'cli/f.ts', "export { asks } from './runs/orchestrator-client.js';"],
  ['commands-load-late', 'wiring/cli/cli-deps.ts', "export { settings } from '../../config/ok.js';"],
  ['config-and-log-stand-alone', 'config/a.ts', "export { GiteaForge } from '../adapters/gitea/ok.js';"],
  ['config-and-log-stand-alone', 'config/log.ts', "export { Client } from '@temporalio/client';"],
  ['roots-are-roots', 'adapters/git/c.ts', "export { settings } from '../../config/ok.js';"],
  ['roots-are-roots', 'cli/c.ts', "import '../worker.js'; export const c = 1;"],
  ['no-circular', 'domain/d.ts', "import type { E } from './e.js'; export type D = E | 1;"],
  ['no-orphans', 'domain/f.ts', 'export const alone = 1;'],
  ['no-unresolvable', 'adapters/git/d.ts', "export { x } from './not-there.js';"],
  ['no-dev-packages', 'adapters/git/e.ts', "export { assert } from 'fast-check';"],
];

/** What the table allows, one file a row and more: none of these may be reported. */
export const ALLOWED: Readonly<Record<string, string>> = {
  'domain/ok.ts': 'export interface Issue { readonly number: number }',
  'workflows/messages.ts':
    "import { defineSignal } from '@temporalio/workflow'; export const event = defineSignal('event');",
  'workflows/ok.ts':
    "import { proxyActivities } from '@temporalio/workflow'; import type { Activities } from '../activities/ok.js'; import { event } from './messages.js'; export const issueWorkflow = { event, proxy: () => proxyActivities<Activities>({ startToCloseTimeout: '1s' }) };",
  'activities/ok.ts':
    "import { heartbeat } from '@temporalio/activity'; import { createHash } from 'node:crypto'; import type { Issue } from '../domain/ok.js'; export const createActivities = (issue: Issue) => ({ heartbeat, createHash, issue }); export type Activities = ReturnType<typeof createActivities>;",
  'adapters/gitea/http/ok.ts': "import { request } from 'node:http'; export const send = request;",
  'adapters/gitea/ok.ts':
    "import { send } from './http/ok.js'; import type { Issue as I } from '../../domain/ok.js'; export type Issue = I; export const GiteaForge = send;",
  'adapters/sqlite/ok.ts':
    "import Database from 'better-sqlite3'; import { Kysely } from 'kysely'; import type { Issue } from '../../domain/ok.js'; export const db = (_: Issue) => ({ Kysely, file: new Database('x') });",
  'adapters/system/ok.ts': "import { spawn } from 'node:child_process'; export const run = spawn;",
  'adapters/git/ok.ts': "import { run } from '../system/ok.js'; export const git = run;",
  'adapters/docker/ok.ts':
    "import Docker from 'dockerode'; import type { Issue } from '../../domain/ok.js'; export const docker = (_: Issue) => new Docker();",
  'adapters/temporal/ok.ts':
    "import { Client } from '@temporalio/client'; import { event } from '../../workflows/messages.js'; export const relay = { Client, event };",
  'bundle/ok.ts':
    "import { createServer } from 'node:http'; import type { Issue } from '../domain/ok.js'; export const serve = (_: Issue) => createServer();",
  'webhook/ok.ts':
    "import express from 'express'; import { Client } from '@temporalio/client'; import { event } from '../workflows/messages.js'; export const app = { express, Client, event };",
  'cli/ok.ts':
    "import { Command } from 'commander'; import type { asks } from './runs/orchestrator-client.js'; export const cli = { Command }; export type Asks = typeof asks;",
  'cli/runs/orchestrator-client.ts':
    "import { Client } from '@temporalio/client'; import { event } from '../../workflows/messages.js'; export const asks = { Client, event };",
  'cli/base/ok.ts': 'export interface Desk { readonly open: number }',
  'tui/ok.ts':
    "import { render } from 'ink'; import { createElement } from 'react'; import type { Desk } from '../cli/base/ok.js'; export const shown = (_: Desk) => ({ render, createElement });",
  'config/ok.ts':
    "import { parse } from 'yaml'; import type { Issue } from '../domain/ok.js'; export const settings = (_: Issue) => parse('a: 1') as unknown;",
  'worker.ts':
    "import { createActivities } from './activities/ok.js'; import { docker } from './adapters/docker/ok.js'; import { db } from './adapters/sqlite/ok.js'; import { relay } from './adapters/temporal/ok.js'; import { issueWorkflow } from './workflows/ok.js'; import { settings } from './config/ok.js'; export const worker = { createActivities, docker, db, relay, issueWorkflow, settings };",
  'cli.ts': "import { cli } from './cli/ok.js'; export const main = cli;",
};
export const ALLOWED_ROOTS: Readonly<Record<string, string>> = {
  'bundle.ts':
    "import { serve } from './bundle/ok.js'; import { GiteaForge } from './adapters/gitea/ok.js'; export const main = { serve, GiteaForge };",
  'webhook.ts':
    "import { app } from './webhook/ok.js'; import { db } from './adapters/sqlite/ok.js'; export const main = { app, db };",
  'wiring/cli/cli-deps.ts':
    "import type { settings } from '../../config/ok.js'; export type Config = typeof settings; export const deps = { asks: () => import('../../cli/runs/orchestrator-client.js'), serve: () => import('../../worker.js'), dashboard: () => import('../../tui/ok.js') };",
};

/** The other half of the planted cycle. */
export const BESIDE: Readonly<Record<string, string>> = {
  'domain/e.ts': "import type { D } from './d.js'; export type E = D | 2;",
};
