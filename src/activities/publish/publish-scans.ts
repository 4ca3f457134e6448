import type { SecretScanReport } from '../../domain/secret/secret-scanner.js';
import { readOwnJson } from '../base/run-text.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunRef } from '../ports/inputs.js';

type Ports = Pick<HostPorts, 'files'>;
type Turn = Pick<RunRef, 'slug' | 'turn'>;

/** Of commits, and of texts: each kind has one writer at a time, and both work at once. */
const FILES = ['secret-scans.json', 'text-scans.json'] as const;

/** Keeps what a scan said until the turn's row is written: `open_pr` may have asked before the turn's end does. */
export async function noteScan(ports: Ports, turn: Turn, report: SecretScanReport): Promise<void> {
  await note(ports, turn, FILES[0], report);
}

/** The same for a text that the agent wanted to post. */
export async function noteTextScan(ports: Ports, turn: Turn, report: SecretScanReport): Promise<void> {
  await note(ports, turn, FILES[1], report);
}

/** The turn's scans so far: those of publications, then those of texts, each oldest first. */
export async function scansOf(ports: Ports, turn: Turn): Promise<SecretScanReport[]> {
  return (await Promise.all(FILES.map((file) => read(ports, turn, file)))).flat();
}

/** It becomes part of the workflow's history, and an agent may ask as often as it likes. */
const MAX_KEPT = 20;

async function note(
  ports: Ports,
  turn: Turn,
  file: (typeof FILES)[number],
  report: SecretScanReport,
): Promise<void> {
  const all = [...(await read(ports, turn, file)), report];
  // What was found is not pushed out by clean ones that come after it.
  const clean = all.findIndex(({ outcome }) => outcome === 'clean');
  if (all.length > MAX_KEPT) all.splice(Math.max(clean, 0), 1);
  await ports.files.saveFile(turn.slug, pathOf(turn, file), JSON.stringify(all));
}

async function read(ports: Ports, turn: Turn, file: (typeof FILES)[number]): Promise<SecretScanReport[]> {
  return (await readOwnJson<SecretScanReport[]>(ports.files, turn.slug, pathOf(turn, file))) ?? [];
}

function pathOf({ turn }: Turn, file: (typeof FILES)[number]): string {
  return `turns/${String(turn)}/${file}`;
}
