import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { STATE_VERSION } from '../../../src/workflows/messages.js';

const NOW = String(STATE_VERSION);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** What the next version changes: its state has another shape, and no history of this version replays on it. */
const CHANGES: readonly (readonly [file: string, from: string, to: string])[] = [
  ['version.ts', `STATE_VERSION = ${NOW}`, `STATE_VERSION = ${NOW} + 1`],
  [
    'version.ts',
    'MIGRATIONS: Migrations = {',
    `MIGRATIONS: Migrations = {
      ${NOW}: (input: any) => ({ ...input, carried: input.carried && { ...input.carried, migratedFrom: ${NOW} } }),`,
  ],
  [
    'run-view.ts',
    'subject: s.subject,',
    'subject: { ...s.subject, repo: `migrated from ${(s as any).migratedFrom}` },',
  ],
  ['issue.workflow.ts', '  condition,', '  condition,\n  sleep,'],
  [
    'issue.workflow.ts',
    'async function live()',
    'async function live(): Promise<RunOutcome | null> {\n    await sleep(1);\n    return stillLive();\n  }\n\n  async function stillLive()',
  ],
];

let code: Promise<string> | undefined;

/** The code of a next version of the workflows, which is incompatible with this one. */
export function nextVersionCode(): Promise<string> {
  return (code ??= bundleNextVersion());
}

async function bundleNextVersion(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'bb-next-version-'));
  try {
    await cp(join(ROOT, 'src'), join(copy, 'src'), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    await cp(join(ROOT, 'package.json'), join(copy, 'package.json'));
    const workflows = join(copy, 'src/workflows');
    for (const [name, from, to] of CHANGES) {
      const file = join(workflows, name);
      const text = await readFile(file, 'utf8');
      if (!text.includes(from)) throw new Error(`${name} has no ${from}`);
      await writeFile(
        file,
        text.replace(from, () => to),
      );
    }
    const bundled = await bundleWorkflowCode({
      workflowsPath: join(workflows, 'all-workflows.ts'),
      logger: new DefaultLogger('ERROR'),
    });
    return bundled.code;
  } finally {
    await rm(copy, { recursive: true });
  }
}
