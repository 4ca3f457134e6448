/** Where one can read afterwards what happened: the harness' own lines, the parts' output, and the files of bad lives. */
import { appendFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import { timelineQuery } from '../../../src/workflows/messages.js';
import type { Stack } from '../stack/stack.js';
import { StackFiles } from '../stack/stack-files.js';
import type { LifeEvidence } from './oracle.js';
import type { LifePerson } from './person.js';

const TIMELINE_MS = 10_000;

export class KeptLogs {
  private constructor(readonly dir: string) {}

  static async make(seed: number): Promise<KeptLogs> {
    return new KeptLogs(await mkdtemp(join(tmpdir(), `bot-bottle-chaos-${String(seed)}-`)));
  }

  /** A line of the harness, or output of a part. */
  add(name: 'chaos' | 'parts', text: string): void {
    appendFileSync(join(this.dir, `${name}.log`), text);
  }

  /** @returns the directory with what there is of the life */
  async keepLife(
    stack: Stack,
    client: Client,
    person: LifePerson,
    evidence: LifeEvidence,
    wrong: readonly string[],
  ): Promise<string> {
    const dir = join(this.dir, `life-${String(evidence.life)}`);
    await mkdir(dir, { recursive: true });
    const files = new StackFiles(stack.home);
    const { subject, plan, goOns } = person;
    const timeline =
      subject === undefined
        ? []
        : await client
            .withDeadline(Date.now() + TIMELINE_MS, () =>
              client.workflow.getHandle(workflowIdOf(subject)).query(timelineQuery),
            )
            .catch((error: unknown) => String(error));
    const rows = await Promise.all(
      evidence.slugs.map(async (slug) => ({ slug, turns: await files.turnRows(slug) })),
    );
    const row = subject === undefined ? undefined : await files.stateRow(subject);
    const facts = { wrong, evidence, plan, goOns, row, rows, timeline };
    await writeFile(join(dir, 'facts.json'), `${JSON.stringify(facts, null, 1)}\n`);
    for (const slug of evidence.slugs)
      for (const part of ['turns', 'archive', 'metadata.json'])
        await cp(files.path(slug, part), join(dir, slug, part), { recursive: true }).catch(() => undefined);
    return dir;
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }
}
