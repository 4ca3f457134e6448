import type { SecretScanReport } from '../domain/secret-scanner.js';
import type { HostPorts } from './host-ports.js';
import type { RunRef } from './inputs.js';

/** Keeps what a scan said until the turn's row is written: `open_pr` may have asked before the turn's end does. */
export async function noteScan(
  ports: Pick<HostPorts, 'files'>,
  { slug, turn }: Pick<RunRef, 'slug' | 'turn'>,
  report: SecretScanReport,
): Promise<void> {
  const all = [...(await scansOf(ports, { slug, turn })), report];
  await ports.files.saveFile(slug, fileOf(turn), JSON.stringify(all.slice(-MAX_KEPT)));
}

/** The turn's scans so far, oldest first. */
export async function scansOf(
  ports: Pick<HostPorts, 'files'>,
  { slug, turn }: Pick<RunRef, 'slug' | 'turn'>,
): Promise<SecretScanReport[]> {
  const bytes = await ports.files.readFile(slug, fileOf(turn));
  // Ours alone: no agent and no sidecar can write there.
  return bytes === undefined ? [] : (JSON.parse(new TextDecoder().decode(bytes)) as SecretScanReport[]);
}

/** It becomes part of the workflow's history, and an agent may ask as often as it likes. */
const MAX_KEPT = 20;

function fileOf(turn: number): string {
  return `turns/${String(turn)}/secret-scans.json`;
}
