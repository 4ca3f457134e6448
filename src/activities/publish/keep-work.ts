import type { Extraction } from '../../domain/bottle/extractor.js';
import { WORK_BUNDLE } from '../../domain/run/run-files.js';
import type { PublishResult } from '../../domain/run/turn.js';
import type { HostPorts } from '../ports/host-ports.js';

/** Of a run without an issue: its commits are published nowhere, and lie ready for the operator. */
export async function keepWork(
  { files }: Pick<HostPorts, 'files'>,
  { slug }: { readonly slug: string },
  { inspection, bundle }: Extraction,
): Promise<PublishResult> {
  if (bundle === null) return { kind: 'nothing', reason: 'there are no new commits on the branch' };
  await files.saveFile(slug, WORK_BUNDLE, bundle);
  return { kind: 'kept', head: inspection.head };
}
