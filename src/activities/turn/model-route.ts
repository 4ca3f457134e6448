import type { ModelAccess } from '../../domain/agent-provider.js';
import { isListedModel } from '../../domain/egress/model-rule.js';
import type { Route } from '../../domain/egress/route.js';
import { upstreamAuthority } from '../../domain/egress/upstream.js';
import { InvalidInputError, UnusableSecretError } from '../../domain/errors.js';
import type { HostPorts } from '../host-ports.js';

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
  const own = routes.find(({ name }) => name === access.route);
  if (own !== undefined) {
    requireListed(own, access, model);
    return { route: own, isVendors: false };
  }
  const { upstreams, maxOutputTokens } = settings.models;
  const upstream = upstreams[access.route] ?? access.upstream;
  const isVendors = upstream === access.upstream;
  const authority = upstreamAuthority({ upstream });
  const key = access.credentials.find(({ secret }) => hasSecret(secret));
  if (key === undefined && access.credentials.length > 0)
    throw new UnusableSecretError(whatToSet(access, isVendors ? null : authority));
  const route: Route = {
    name: access.route,
    upstream,
    methods: access.methods,
    paths: access.paths,
    auth: key === undefined ? null : { header: key.header, prefix: key.prefix, secret: key.secret },
    baseUrlEnv: access.baseUrlEnv,
    keyEnv: key?.keyEnv ?? null,
    rewrite: false,
    model: { ...access.rule, maxOutputTokens: Math.min(access.rule.maxOutputTokens, maxOutputTokens) },
  };
  return { route, isVendors };
}

/**
 * Some CLIs name models with their provider before it, `anthropic/claude-…`. What the provider takes and its own rule does
 * not list is a short name, of which only the CLI knows what it will ask for.
 */
function requireListed({ name, model: rule }: Route, access: ModelAccess, model: string | null): void {
  if (rule === null || model === null) return;
  const asked = isListedModel(access.rule, model) ? model : model.slice(model.indexOf('/') + 1);
  if (!isListedModel(access.rule, asked) || isListedModel(rule, asked)) return;
  throw new InvalidInputError(
    `the agent's model "${model}" is not among those of the route "${name}": ${rule.models.join(', ')}`,
  );
}

function whatToSet({ route, credentials }: ModelAccess, authority: string | null): string {
  const commands = credentials.map(
    ({ secret }) =>
      `bot-bottle secret set ${secret}${authority === null ? '' : ` --host ${authority}`} < file`,
  );
  return `there is no key for the model (route "${route}"): ${commands.join(', or ')}`;
}
