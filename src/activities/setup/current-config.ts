import type { BottleSetup } from '../../domain/bottle/bottle-setup.js';
import { upstreamAuthority } from '../../domain/egress/upstream.js';
import { imageFile, type ShownImage } from '../../domain/supervise/image-change.js';
import type { SecretNeed } from '../../domain/secret/secret-need.js';
import type { TurnSetup } from './read-setup.js';

/** The secrets that the bottle's routes add, and where those would send them. */
export function secretNeeds({
  routes,
  vendorRoute,
}: Pick<TurnSetup, 'routes' | 'vendorRoute'>): SecretNeed[] {
  return routes.flatMap((route) => {
    if (route.auth === null) return [];
    const isVendors = route.name === vendorRoute;
    return [{ name: route.auth.secret, authority: upstreamAuthority(route), isVendors }];
  });
}

/**
 * What agent and bundle are shown of the bottle's configuration [S2]. Secrets are named, never contained: their values are
 * files that only the bundle has.
 * @param image `null` before the run has one
 */
export function currentConfig(
  setup: BottleSetup,
  image: ShownImage | null,
): Readonly<Record<string, string>> {
  return {
    'routes.json': `${JSON.stringify({ routes: setup.routes }, null, 2)}\n`,
    allowlist: setup.allow.map((line) => `${line}\n`).join(''),
    ...(image === null ? {} : { Dockerfile: imageFile(image) }),
  };
}
