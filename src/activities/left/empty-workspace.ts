import { stepOfRun } from '../base/work-of-run.js';
import type { HostPorts } from '../ports/host-ports.js';
import { emptyTrees } from './empty-trees.js';
import { bundleOfMove, keepUnpublished, type EndedRun } from './keep-unpublished.js';
import { orSkip } from './or-skip.js';

/**
 * Of a run that comes back to a host without its last state: what its workspace here has is of an earlier time, and goes, but
 * for the commits nobody has. Nobody may work in it any more. Repeated, it keeps what the first time kept.
 */
export async function emptyWorkspace(ports: HostPorts, run: EndedRun, signal: AbortSignal): Promise<void> {
  const { files } = ports;
  const { slug } = run;
  const { workspace, isNew } = await files.prepare(slug);
  if (isNew) return;
  const file = await bundleOfMove(files, slug);
  // A try that died while it emptied left less than is kept.
  if ((await files.readFile(slug, file)) === undefined)
    await orSkip(ports, stepOfRun(slug, 'keep-commits'), signal, () =>
      keepUnpublished(ports, run, file, signal),
    );
  await emptyTrees(ports, { slug, trees: [workspace], volumes: [] }, signal);
}
