import { RUN_BRANCHES } from '../run/slug.js';

/** What the names of branches that syncs push begin with; a time follows, so the last one is the newest. */
export const SYNC_BRANCHES = `${RUN_BRANCHES}sync-`;

/** `20261124_215603`, UTC. @param at epoch milliseconds */
function stamp(at: number): string {
  const [date = '', time = ''] = new Date(at).toISOString().slice(0, 19).split('T');
  return `${date.replaceAll('-', '')}_${time.replaceAll(':', '')}`;
}

/** `bot-bottle/sync-20261124_215603` */
export function syncBranch(at: number): string {
  return SYNC_BRANCHES + stamp(at);
}

/** `demo_20261124_215603`: the run directory's name [S3]. */
export function runDirName(project: string, at: number): string {
  return `${project}_${stamp(at)}`;
}
