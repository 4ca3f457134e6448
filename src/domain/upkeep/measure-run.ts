import type { OneShotSpec } from '../bottle/bottle-runtime.js';

const TIMEOUT_MS = 60_000;

export interface MeasuredRun {
  /** The container's, different each time: two that measure at once must not end each other's. */
  readonly name: string;
  readonly slug: string;
  readonly image: string;
  readonly workspace: string;
}

/**
 * Measures the trees that the host never walks, in a throw-away container that has them read-only. Bytes on the disk.
 * @param hasHome the run's home volume is there; a missing one must not be made up
 */
export function measureSpec({ name, slug, image, workspace }: MeasuredRun, hasHome: boolean): OneShotSpec {
  return {
    name,
    slug,
    image,
    argv: ['/usr/bin/du', '-skx', '/measured/workspace', ...(hasHome ? ['/measured/home'] : [])],
    user: 'remover',
    mounts: [{ source: workspace, target: '/measured/workspace', readOnly: true }],
    ...(hasHome ? { volumes: [{ kind: 'home', target: '/measured/home', readOnly: true }] } : {}),
    env: {},
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: 64 * 1024,
  };
}

const LINE = /^(\d{1,15})\t\/measured\/(workspace|home)$/;

/** What `du` printed; a part that it did not get to is missing. Its complaints about files that went are no matter. */
export function parseMeasured(stdout: Uint8Array): { readonly workspace?: number; readonly home?: number } {
  const sizes: { workspace?: number; home?: number } = {};
  for (const line of new TextDecoder().decode(stdout).split('\n')) {
    const match = LINE.exec(line);
    if (match !== null) sizes[match[2] === 'home' ? 'home' : 'workspace'] = Number(match[1]) * 1024;
  }
  return sizes;
}
