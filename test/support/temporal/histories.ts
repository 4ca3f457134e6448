import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

const DIRECTORY = fileURLToPath(new URL('../../histories/', import.meta.url));

export async function saveHistory(name: string, history: History): Promise<void> {
  await mkdir(DIRECTORY, { recursive: true });
  await writeFile(join(DIRECTORY, `${name}.json`), `${historyToJSON(history)}\n`);
}

export async function savedHistories(): Promise<{ readonly name: string; readonly history: History }[]> {
  const files = (await readdir(DIRECTORY)).filter((file) => file.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace('.json', ''),
      history: historyFromJSON(JSON.parse(await readFile(join(DIRECTORY, file), 'utf8'))),
    })),
  );
}
