/** The import table as files: what it forbids, with the rule that must say so, and what it allows. */

/** One import that the table forbids: the file it stands in, what it imports, and the rule that must name it. */
export interface Planted {
  readonly file: string;
  readonly code: string;
  readonly rule: string;
}

export const PLANTED: readonly Planted[] = [
  { rule: 'domain-only-itself', file: 'domain/a.ts', code: "export { readFileSync } from 'node:fs';" },
  {
    rule: 'domain-only-itself',
    file: 'domain/b.ts',
    code: "import type { z } from 'zod'; export type Z = z.ZodType;",
  },
  {
    rule: 'domain-only-itself',
    file: 'domain/c.ts',
    code: "export { issueWorkflow } from '../workflows/ok.js';",
  },
  {
    rule: 'workflows-are-deterministic',
    file: 'workflows/a.ts',
    code: "export { randomUUID } from 'node:crypto';",
  },
  {
    rule: 'workflows-are-deterministic',
    file: 'workflows/b.ts',
    code: "export { Client } from '@temporalio/client';",
  },
  {
    rule: 'workflows-are-deterministic',
    file: 'workflows/c.ts',
    code: "export { GiteaForge } from '../adapters/gitea/ok.js';",
  },
  {
    rule: 'workflows-are-deterministic',
    file: 'workflows/e.ts',
    code: "export { trace } from '@opentelemetry/api';",
  },
  {
    rule: 'trace-interceptors',
    file: 'workflows/interceptors/traces.ts',
    code: "export { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';",
  },
  { rule: 'adapter-dsse', file: 'adapters/dsse/a.ts', code: "export { z } from 'zod';" },
  {
    rule: 'provenance-hashes',
    file: 'domain/provenance/a.ts',
    code: "export { readFileSync } from 'node:fs';",
  },
  { rule: 'adapter-otlp', file: 'adapters/otlp/a.ts', code: "export { z } from 'zod';" },
  {
    rule: 'workflows-see-activity-types-only',
    file: 'workflows/d.ts',
    code: "export { createActivities } from '../activities/ok.js';",
  },
  {
    rule: 'workflows-are-private',
    file: 'webhook/a.ts',
    code: "export { issueWorkflow } from '../workflows/ok.js';",
  },
  {
    rule: 'workflows-are-private',
    file: 'activities/a.ts',
    code: "export { issueWorkflow } from '../workflows/ok.js';",
  },
  {
    rule: 'activities-over-ports',
    file: 'activities/b.ts',
    code: "export { GiteaForge } from '../adapters/gitea/ok.js';",
  },
  {
    rule: 'activities-over-ports',
    file: 'activities/c.ts',
    code: "import type { Issue } from '../adapters/gitea/ok.js'; export type I = Issue;",
  },
  {
    rule: 'activities-over-ports',
    file: 'activities/d.ts',
    code: "export { spawn } from 'node:child_process';",
  },
  {
    rule: 'activities-over-ports',
    file: 'activities/e.ts',
    code: "export { Client } from '@temporalio/client';",
  },
  {
    rule: 'adapter-gitea',
    file: 'adapters/gitea/a.ts',
    code: "import Docker from 'dockerode'; export const d = new Docker();",
  },
  {
    rule: 'adapter-docker',
    file: 'adapters/docker/a.ts',
    code: "import Database from 'better-sqlite3'; export const d = new Database('x');",
  },
  { rule: 'adapter-sqlite', file: 'adapters/sqlite/a.ts', code: "export { execa } from 'execa';" },
  {
    rule: 'sql-in-its-adapter',
    file: 'wiring/sql.ts',
    code: "import type { Kysely } from 'kysely'; export type Db = Kysely<unknown>;",
  },
  {
    rule: 'sql-in-its-adapter',
    file: 'activities/sql.ts',
    code: "import Database from 'better-sqlite3'; export const d = new Database('x');",
  },
  { rule: 'adapter-git', file: 'adapters/git/a.ts', code: "export { Client } from '@temporalio/client';" },
  { rule: 'adapter-agents', file: 'adapters/agents/a.ts', code: "export { execa } from 'execa';" },
  {
    rule: 'adapter-temporal',
    file: 'adapters/temporal/a.ts',
    code: "export { createActivities } from '../../activities/ok.js';",
  },
  { rule: 'adapter-manifests', file: 'adapters/manifests/a.ts', code: "export { execa } from 'execa';" },
  { rule: 'adapter-gitleaks', file: 'adapters/gitleaks/a.ts', code: "export { parse } from 'yaml';" },
  { rule: 'adapter-files', file: 'adapters/files/a.ts', code: "export { parse } from 'yaml';" },
  { rule: 'adapter-without-vendor', file: 'adapters/new/a.ts', code: "export { execa } from 'execa';" },
  {
    rule: 'adapter-never-a-sibling',
    file: 'adapters/git/b.ts',
    code: "export { GiteaForge } from '../gitea/ok.js';",
  },
  {
    rule: 'adapter-never-a-sibling',
    file: 'adapters/system/b.ts',
    code: "export { GiteaForge } from '../gitea/ok.js';",
  },
  {
    rule: 'bundle-over-ports',
    file: 'bundle/a.ts',
    code: "export { GiteaForge } from '../adapters/gitea/ok.js';",
  },
  { rule: 'bundle-over-ports', file: 'bundle/b.ts', code: "export { execa } from 'execa';" },
  {
    rule: 'bundle-holds-nothing-of-the-host',
    file: 'bundle/c.ts',
    code: "export { Client } from '@temporalio/client';",
  },
  {
    rule: 'bundle-holds-nothing-of-the-host',
    file: 'bundle.ts',
    code: "export { db } from './adapters/sqlite/ok.js';",
  },
  {
    rule: 'front-webhook',
    file: 'webhook/b.ts',
    code: "export { GiteaForge } from '../adapters/gitea/ok.js';",
  },
  {
    rule: 'front-webhook',
    file: 'webhook/c.ts',
    code: "import type D from 'better-sqlite3'; export type B = D.Database;",
  },
  { rule: 'front-api', file: 'api/a.ts', code: "export { db } from '../adapters/sqlite/ok.js';" },
  { rule: 'front-dashboard', file: 'dashboard/a.ts', code: "export { db } from '../adapters/sqlite/ok.js';" },
  { rule: 'front-cli', file: 'cli/a.ts', code: "export { GiteaForge } from '../adapters/gitea/ok.js';" },
  { rule: 'front-cli', file: 'cli/b.ts', code: "export { settings } from '../config.js';" },
  { rule: 'front-tui', file: 'tui/a.ts', code: "export { createActivities } from '../activities/ok.js';" },
  { rule: 'front-tui', file: 'tui/b.ts', code: "export { asks } from '../cli/runs/orchestrator-client.js';" },
  {
    rule: 'dashboard-loads-by-itself',
    file: 'wiring/cli/dashboard.ts',
    code: "export { shown } from '../../tui/ok.js';",
  },
  {
    rule: 'webhook-process-has-no-engine',
    file: 'webhook.ts',
    code: "export { docker } from './adapters/docker/ok.js';",
  },
  {
    rule: 'webhook-process-has-no-engine',
    file: 'webhook/d.ts',
    code: "export { Worker } from '@temporalio/worker';",
  },
  {
    rule: 'webhook-process-has-no-engine',
    file: 'webhook/e.ts',
    code: "export const late = () => import('../worker.js');",
  },
  { rule: 'commands-load-late', file: 'cli/d.ts', code: "export { Client } from '@temporalio/client';" },
  { rule: 'commands-load-late', file: 'cli/e.ts', code: "export { event } from '../workflows/messages.js';" },
  {
    rule: 'commands-load-late',
    file: 'cli/f.ts',
    code: "export { asks } from './runs/orchestrator-client.js';",
  },
  {
    rule: 'commands-load-late',
    file: 'wiring/cli/cli-deps.ts',
    code: "export { settings } from '../../config/ok.js';",
  },
  {
    rule: 'config-and-log-stand-alone',
    file: 'config/a.ts',
    code: "export { GiteaForge } from '../adapters/gitea/ok.js';",
  },
  {
    rule: 'config-and-log-stand-alone',
    file: 'config/log.ts',
    code: "export { Client } from '@temporalio/client';",
  },
  {
    rule: 'roots-are-roots',
    file: 'adapters/git/c.ts',
    code: "export { settings } from '../../config/ok.js';",
  },
  { rule: 'roots-are-roots', file: 'cli/c.ts', code: "import '../worker.js'; export const c = 1;" },
  {
    rule: 'no-circular',
    file: 'domain/d.ts',
    code: "import type { E } from './e.js'; export type D = E | 1;",
  },
  { rule: 'no-orphans', file: 'domain/f.ts', code: 'export const alone = 1;' },
  { rule: 'no-unresolvable', file: 'adapters/git/d.ts', code: "export { x } from './not-there.js';" },
  { rule: 'no-dev-packages', file: 'adapters/git/e.ts', code: "export { assert } from 'fast-check';" },
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
    "import { z } from 'zod'; import { createServer } from 'node:http'; import type { Issue } from '../domain/ok.js'; export const serve = (_: Issue) => ({ z, createServer });",
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
