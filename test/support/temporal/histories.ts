import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import proto from '@temporalio/proto';

const { History } = proto.temporal.api.history.v1;
export type History = proto.temporal.api.history.v1.IHistory;

const DIRECTORY = fileURLToPath(new URL('../../histories/', import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** Of this version: what other versions have recorded stays as it is. */
export async function saveHistory(name: string, history: History): Promise<void> {
  const directory = join(DIRECTORY, version);
  await mkdir(directory, { recursive: true });
  const json = History.toObject(History.fromObject(history), { enums: String, longs: String, bytes: String });
  await writeFile(join(directory, `${name}.json`), `${JSON.stringify(json, null, 1)}\n`);
}

/** Of every version; a name is `<version>/<life>-<execution>`. */
export async function savedHistories(): Promise<{ readonly name: string; readonly history: History }[]> {
  const all = await readdir(DIRECTORY, { recursive: true });
  const files = all.filter((file) => file.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (file) => {
      const json = JSON.parse(await readFile(join(DIRECTORY, file), 'utf8')) as Record<string, unknown>;
      return { name: file.replace('.json', ''), history: History.fromObject(json) };
    }),
  );
}
