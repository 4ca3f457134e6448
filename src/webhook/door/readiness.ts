import type { Inbox } from '../../domain/forge/delivery.js';

export interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly inbox: 'writable' | 'not_writable';
  readonly temporal: 'reachable' | 'unreachable';
  readonly reason?: string;
}

interface ReadinessDeps {
  readonly inbox: Pick<Inbox, 'probe'>;
  readonly temporalReachable: () => boolean | Promise<boolean>;
  readonly now: () => number;
}

/** Asking costs a commit, and anybody may ask. */
const KEEP_MS = 1000;

/** Ready means: a delivery would be accepted. Temporal may be away, the inbox holds what arrives meanwhile. */
export function createReadiness(deps: ReadinessDeps): () => Promise<Readiness> {
  let kept: { readonly at: number; readonly state: Promise<Readiness> } | undefined;
  return () => {
    const at = deps.now();
    if (kept === undefined || at - kept.at >= KEEP_MS || at < kept.at) kept = { at, state: examine(deps) };
    return kept.state;
  };
}

async function examine(deps: ReadinessDeps): Promise<Readiness> {
  const reachable = await Promise.resolve()
    .then(() => deps.temporalReachable())
    .catch(() => false);
  const temporal = reachable ? 'reachable' : 'unreachable';
  try {
    deps.inbox.probe();
    return { status: 'ready', inbox: 'writable', temporal };
  } catch {
    const reason = 'the inbox cannot be written: free disk space, or check its permissions';
    return { status: 'not_ready', inbox: 'not_writable', temporal, reason };
  }
}
