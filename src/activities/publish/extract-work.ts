import {
  extractionFailure,
  extractionSpec,
  parseExtraction,
  type Extraction,
  type ExtractionTarget,
} from '../../domain/bottle/extractor.js';
import { ContainerOverrunError, InvalidInputError } from '../../domain/base/errors.js';
import type { TurnRefs } from '../../domain/workspace/git-repository.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunRef } from '../ports/inputs.js';
import { boundaryFile } from '../setup/run-boundary.js';

export const EXTRACTION_TIMEOUT_MS = 120_000;

export type ExtractedWork =
  | { readonly kind: 'extracted'; readonly extraction: Extraction }
  | { readonly kind: 'failed'; readonly reason: string };

/** Takes the branch's new commits and a report on the workspace out through a throw-away container. */
export async function extractWork(
  ports: HostPorts,
  run: Pick<RunRef, 'slug'>,
  branch: string,
  known: readonly string[],
  purpose: string,
  signal: AbortSignal,
): Promise<ExtractedWork> {
  const target = await extractionTarget(ports, run, branch, purpose, EXTRACTION_TIMEOUT_MS);
  const spec = extractionSpec(target, known, ports.settings.publishLimits.maxBytes);
  const output = await ports.runtime.runOnce(spec, signal).catch(overrun);
  if (output instanceof ContainerOverrunError) return { kind: 'failed', reason: OVERRUN };
  if (output.exitCode !== 0) {
    const reason =
      extractionFailure(output.exitCode) ?? `the extractor ended with exit code ${String(output.exitCode)}`;
    return { kind: 'failed', reason };
  }
  try {
    return { kind: 'extracted', extraction: parseExtraction(output.stdout) };
  } catch (error) {
    if (error instanceof InvalidInputError) return { kind: 'failed', reason: error.message };
    throw error;
  }
}

/** A container that reads the workspace. */
export async function extractionTarget(
  ports: HostPorts,
  { slug }: Pick<RunRef, 'slug'>,
  branch: string,
  name: string,
  timeoutMs: number,
): Promise<ExtractionTarget> {
  return {
    name,
    slug,
    branch,
    timeoutMs,
    image: ports.settings.bundleImage,
    workspaceDir: ports.files.paths(slug).workspace,
    boundaryFile: await boundaryFile(ports, slug),
  };
}

/** What the agent made is to blame, so it is an answer and no fault. */
export function overrun(error: unknown): ContainerOverrunError {
  if (error instanceof ContainerOverrunError) return error;
  throw error;
}

const OVERRUN =
  'your commits could not be taken out in time, or are too large: take large or generated files out of the commits themselves, and remove what makes git slow in the workspace';

/** Commits that the mirror has and a bundle can leave out. */
export function knownCommits(refs: TurnRefs | null | undefined): string[] {
  if (refs === null || refs === undefined) return [];
  return [...new Set([refs.baseSha, refs.startSha, ...(refs.branchSha === null ? [] : [refs.branchSha])])];
}
