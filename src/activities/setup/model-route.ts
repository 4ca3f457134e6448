import type { ModelAccess } from '../../domain/agent/agent-provider.js';
import type { Route } from '../../domain/egress/route.js';
import { UnusableSecretError } from '../../domain/base/errors.js';
import { keyCommands, modelUpstream, ownModelRoute } from '../../domain/agent/model-way.js';
import type { HostPorts } from '../ports/host-ports.js';

export interface ModelRoute {
  readonly route: Route;
  /** It leads to the vendor's own address. */
  readonly isVendors: boolean;
}

/**
 * The way to the provider's model: the bottle's own route of that name, else one that the provider asks for, with the first
 * of its keys that the operator has set. Errors: `UnusableSecretError` without a key, which says the command;
 * `InvalidInputError` for a model that the bottle's route does not let through; the provider has judged it by its own.
 */
export function modelRoute(
  { hasSecret, settings }: Pick<HostPorts, 'hasSecret' | 'settings'>,
  access: ModelAccess,
  model: string | null,
  routes: readonly Route[],
): ModelRoute {
  const own = ownModelRoute(access, model, routes);
  if (own !== undefined) return { route: own, isVendors: false };
  const { upstreams, maxOutputTokens } = settings.models;
  const to = modelUpstream(access, upstreams);
  const key = access.credentials.find(({ secret }) => hasSecret(secret));
  if (key === undefined && access.credentials.length > 0)
    throw new UnusableSecretError(
      `there is no key for the model (route "${access.route}"): ${keyCommands(access, to).join(', or ')}`,
    );
  const route: Route = {
    name: access.route,
    upstream: to.upstream,
    methods: access.methods,
    paths: access.paths,
    auth: key === undefined ? null : { header: key.header, prefix: key.prefix, secret: key.secret },
    baseUrlEnv: access.baseUrlEnv,
    keyEnv: key?.keyEnv ?? null,
    rewrite: false,
    model: { ...access.rule, maxOutputTokens: Math.min(access.rule.maxOutputTokens, maxOutputTokens) },
  };
  return { route, isVendors: to.isVendors };
}
