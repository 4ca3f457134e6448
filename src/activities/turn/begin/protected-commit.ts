import { lastPushed } from '../../base/last-pushed.js';
import { recordBefore } from '../../base/record-before.js';
import type { HostPorts } from '../../ports/host-ports.js';
import type { RunTurnInput } from '../../ports/inputs.js';
import type { FetchedRefs } from './fetch-refs.js';

/**
 * The commit that must stay in the branch's history: what the last turn left, if that is on the forge. What was never
 * published may be rewritten, else a secret that the gate found could never be taken out; then the previous turn's
 * protected commit counts. So it does after a turn that was never collected: the workspace is as that turn found it,
 * wherever the base is by now.
 * @param startsAnew the workspace is made in this turn
 */
export async function protectedCommit(
  ports: Pick<HostPorts, 'files'>,
  { slug, turn, head }: Pick<RunTurnInput, 'slug' | 'turn' | 'head'>,
  refs: Pick<FetchedRefs, 'resetTo' | 'startSha' | 'branchSha'>,
  startsAnew: boolean,
): Promise<string> {
  if (refs.resetTo !== null) return refs.resetTo;
  if (startsAnew) return refs.startSha;
  if (head !== null && (head === refs.branchSha || head === (await lastPushed(ports, slug)))) return head;
  const before = await recordBefore(ports.files, { slug, turn }, ({ baseSha }) => baseSha !== null);
  return before?.baseSha ?? head ?? refs.startSha;
}
