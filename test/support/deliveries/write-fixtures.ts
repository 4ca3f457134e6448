import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RecordedAct } from './recorded-delivery.js';

/**
 * Writes one file an act. A file that says the same already, but for times, commits and signatures, stays as it is, so
 * that recording again shows what the forge does differently and nothing else. Resolves with the names of the files
 * that are new, changed or gone.
 */
export function writeFixtures(directory: string, acts: ReadonlyMap<string, RecordedAct>): string[] {
  mkdirSync(directory, { recursive: true });
  const files = new Map(
    [...acts].map(([name, act], index) => [`${String(index + 1).padStart(2, '0')}-${name}.json`, act]),
  );
  const gone = readdirSync(directory).filter((file) => file.endsWith('.json') && !files.has(file));
  for (const file of gone) rmSync(path.join(directory, file));
  const changed = [...files].flatMap(([file, act]) => {
    const target = path.join(directory, file);
    const text = `${JSON.stringify(act, null, 1)}\n`;
    if (essentials(readIfThere(target)) === essentials(text)) return [];
    writeFileSync(target, text);
    return [file];
  });
  return [...gone, ...changed].sort();
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The text without what differs each time: moments, commits, signatures, how much disk git happens to take. */
export function essentials(text: string): string {
  return text
    .replace(/"size": \d+/g, '"size": <size>')
    .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)/g, '<moment>')
    .replace(/\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b/g, '<hash>')
    .replace(/\b[0-9a-f]{10}\.\.\.[0-9a-f]{10}\b/g, '<range>');
}
