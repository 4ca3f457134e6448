/** The way from a bottle to its agent's model: the bottle's own route, or one to the vendor or where the settings say. */
import type { ModelAccess } from './agent-provider.js';
import { isListedModel } from '../egress/model-rule.js';
import type { Route } from '../egress/route.js';
import { upstreamAuthority } from '../egress/upstream.js';
import { InvalidInputError } from '../base/errors.js';

export interface ModelUpstream {
  readonly upstream: string;
  /** `host:port`, as secrets are bound to it. */
  readonly authority: string;
  /** It is the vendor's own address: a key needs no binding to it. */
  readonly isVendors: boolean;
}

/** @param upstreams addresses in place of the vendors' own, by the names of the providers' routes */
export function modelUpstream(
  access: ModelAccess,
  upstreams: Readonly<Record<string, string>>,
): ModelUpstream {
  const upstream = upstreams[access.route] ?? access.upstream;
  return { upstream, authority: upstreamAuthority({ upstream }), isVendors: upstream === access.upstream };
}

/** The bottle's own route to the model. Errors: `InvalidInputError` for a model that it does not let through. */
export function ownModelRoute(
  access: ModelAccess,
  model: string | null,
  routes: readonly Route[],
): Route | undefined {
  const own = routes.find(({ name }) => name === access.route);
  if (own !== undefined) requireListed(own, access, model);
  return own;
}

/** The commands that set a key for the model, one for each that would do. */
export function keyCommands(
  { credentials }: ModelAccess,
  { authority, isVendors }: Pick<ModelUpstream, 'authority' | 'isVendors'>,
): string[] {
  const host = isVendors ? '' : ` --host ${authority}`;
  return credentials.map(({ secret }) => `bot-bottle secret set ${secret}${host} < key`);
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
