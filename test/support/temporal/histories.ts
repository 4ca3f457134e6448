import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import proto from '@temporalio/proto';

const { History } = proto.temporal.api.history.v1;
export type History = proto.temporal.api.history.v1.IHistory;

const DIRECTORY = fileURLToPath(new URL('../../histories/', import.meta.url));

export async function saveHistory(name: string, history: History): Promise<void> {
  await mkdir(DIRECTORY, { recursive: true });
  const json = History.toObject(History.fromObject(history), { enums: String, longs: String, bytes: String });
  await writeFile(join(DIRECTORY, `${name}.json`), `${JSON.stringify(json, null, 1)}\n`);
}

export async function savedHistories(): Promise<{ readonly name: string; readonly history: History }[]> {
  const files = (await readdir(DIRECTORY)).filter((file) => file.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (file) => {
      const json = JSON.parse(await readFile(join(DIRECTORY, file), 'utf8')) as Record<string, unknown>;
      return { name: file.replace('.json', ''), history: History.fromObject(json) };
    }),
  );
}
