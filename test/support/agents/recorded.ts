import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CliLine } from './cli-bottle.js';

const FIXTURES = new URL('../../fixtures/agents/', import.meta.url);

/** What a CLI printed in a case: standard output in `<case>.jsonl`, standard error, where there was any, in `<case>.stderr`. */
export function recorded(provider: string, name: string): CliLine[] {
  return (['stdout', 'stderr'] as const).flatMap((stream) =>
    linesOf(provider, name, stream).map((text) => ({ stream, text })),
  );
}

export async function record(provider: string, name: string, lines: readonly CliLine[]): Promise<void> {
  for (const stream of ['stdout', 'stderr'] as const) {
    const of = lines.filter((line) => line.stream === stream).map(({ text }) => `${text}\n`);
    if (of.length === 0) continue;
    const path = pathOf(provider, name, stream);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, of.join(''));
  }
}

/** Version of the CLI that all of it was recorded with. */
export function recordedVersion(provider: string): string {
  return readFileSync(versionPath(provider), 'utf8').trim();
}

export async function recordVersion(provider: string, version: string): Promise<void> {
  await writeFile(versionPath(provider), `${version}\n`);
}

function linesOf(provider: string, name: string, stream: CliLine['stream']): string[] {
  try {
    return readFileSync(pathOf(provider, name, stream), 'utf8')
      .split('\n')
      .slice(0, -1);
  } catch {
    return [];
  }
}

function versionPath(provider: string): string {
  return fileURLToPath(new URL(`${provider}/version`, FIXTURES));
}

function pathOf(provider: string, name: string, stream: CliLine['stream']): string {
  return fileURLToPath(new URL(`${provider}/${name}.${stream === 'stdout' ? 'jsonl' : 'stderr'}`, FIXTURES));
}
