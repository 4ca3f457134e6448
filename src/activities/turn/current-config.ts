import type { BottleSetup } from '../../domain/bottle-setup.js';

/** The secrets that the bottle's routes add, each once. */
export function secretNames({ routes }: BottleSetup): string[] {
  return [...new Set(routes.flatMap(({ auth }) => (auth === null ? [] : [auth.secret])))].sort();
}

/**
 * What agent and bundle are shown of the bottle's configuration [S2]. Secrets are named, never contained: their values are
 * files that only the bundle has.
 */
export function currentConfig(setup: BottleSetup): Readonly<Record<string, string>> {
  return {
    'routes.json': `${JSON.stringify({ routes: setup.routes }, null, 2)}\n`,
    allowlist: setup.allow.map((line) => `${line}\n`).join(''),
    ...(setup.dockerfile === null ? {} : { Dockerfile: setup.dockerfile }),
  };
}
