/**
 * What an agent needs to run, and whether it is there: the one answer for whoever starts, offers, checks or shows agents.
 * Nothing here reads a secret; whether there is one, and where it may be sent, is all that is asked.
 */
import type { AgentProvider } from './agent-provider.js';
import type { Route } from '../egress/route.js';
import { upstreamAuthority } from '../egress/upstream.js';
import { InvalidInputError } from '../base/errors.js';
import type { AgentManifest, BottleManifest } from '../manifest/manifests.js';
import { keyCommands, modelUpstream, ownModelRoute } from './model-way.js';
import type { SecretNeed } from '../secret/secret-need.js';

export type SecretStanding =
  | { readonly kind: 'ready' }
  | { readonly kind: 'missing' }
  /** The reason names the secret and what to do. */
  | { readonly kind: 'unusable'; readonly reason: string };

export interface NeedsWorld {
  /** Errors: `InvalidInputError` for a provider that this version does not have. */
  readonly provider: (name: string) => AgentProvider;
  /** Addresses in place of the vendors' own, by the names of the providers' routes. */
  readonly upstreams: Readonly<Record<string, string>>;
  readonly secret: (need: SecretNeed) => SecretStanding;
}

export type ProviderState =
  /** `secret` that its model's route carries; `null` for one that needs none. */
  | { readonly kind: 'ready'; readonly provider: string; readonly secret: string | null }
  /** No key is set; each of the commands would set one. */
  | { readonly kind: 'no_key'; readonly provider: string; readonly commands: readonly string[] }
  /** What there is cannot be used; the reason says what to do. */
  | { readonly kind: 'unusable'; readonly provider: string; readonly reason: string };

export interface AgentNeeds {
  /** In the manifest's order. */
  readonly providers: readonly ProviderState[];
  readonly verdict:
    /** The provider that the agent would take now. */
    | { readonly kind: 'ready'; readonly provider: string }
    /** `why` has the commands that mend it. `isUnset`: nothing is wrong but that no key was ever set. */
    | { readonly kind: 'lacks'; readonly why: string; readonly isUnset: boolean };
}

export function agentNeeds(world: NeedsWorld, agent: AgentManifest, bottle: BottleManifest): AgentNeeds {
  const providers = agent.providers.map((name) => providerState(world, name, agent.model, bottle.routes));
  const chosen = providers.find(({ kind }) => kind === 'ready');
  const problems = bottle.routes.flatMap((route) => routeProblem(world, route) ?? []);
  if (chosen !== undefined && problems.length === 0)
    return { providers, verdict: { kind: 'ready', provider: chosen.provider } };
  const reasons = [...(chosen === undefined ? [withoutProvider(providers)] : []), ...problems];
  const isUnset = problems.length === 0 && providers.every(({ kind }) => kind !== 'unusable');
  return { providers, verdict: { kind: 'lacks', why: [...new Set(reasons)].join('; '), isUnset } };
}

/** `null` for a route that has what it needs. */
export function routeProblem(
  { secret }: Pick<NeedsWorld, 'secret'>,
  { name, auth, upstream }: Route,
): string | null {
  if (auth === null) return null;
  const authority = upstreamAuthority({ upstream });
  const standing = secret({ name: auth.secret, authority, isVendors: false });
  if (standing.kind === 'ready') return null;
  const command = `bot-bottle secret set ${auth.secret} --host ${authority} < file`;
  const why =
    standing.kind === 'missing' ? `secret "${auth.secret}" is not set: ${command}` : standing.reason;
  return `route "${name}" cannot be used: ${why}`;
}

/** `anthropic-api-key is set` */
export function describeProvider(state: ProviderState): string {
  switch (state.kind) {
    case 'ready':
      return state.secret === null ? 'needs no key' : `${state.secret} is set`;
    case 'no_key':
      return noKey(state.commands);
    case 'unusable':
      return state.reason;
  }
}

function providerState(
  { provider, upstreams, secret }: NeedsWorld,
  name: string,
  model: string | null,
  routes: readonly Route[],
): ProviderState {
  try {
    const access = provider(name).access(model);
    if (access === null) return { kind: 'ready', provider: name, secret: null };
    const own = ownModelRoute(access, model, routes);
    // Whether it has what it needs is asked for each of the bottle's routes.
    if (own !== undefined) return { kind: 'ready', provider: name, secret: own.auth?.secret ?? null };
    if (access.credentials.length === 0) return { kind: 'ready', provider: name, secret: null };
    const to = modelUpstream(access, upstreams);
    for (const key of access.credentials) {
      const standing = secret({ name: key.secret, ...to });
      // As the turn does: the first that is set counts, also when it cannot be used.
      if (standing.kind === 'ready') return { kind: 'ready', provider: name, secret: key.secret };
      if (standing.kind === 'unusable') return { ...standing, provider: name };
    }
    return { kind: 'no_key', provider: name, commands: keyCommands(access, to) };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return { kind: 'unusable', provider: name, reason: error.message };
  }
}

function withoutProvider(states: readonly ProviderState[]): string {
  const reasons = states.flatMap((state) => (state.kind === 'unusable' ? [state.reason] : []));
  // Of a key that was set and cannot be used people want to hear first, and only.
  if (reasons.length > 0) return [...new Set(reasons)].join('; ');
  return noModelKey(states);
}

/** What to do where none of these providers has a key, each command once. */
export function noModelKey(states: readonly ProviderState[]): string {
  return noKey(states.flatMap((state) => (state.kind === 'no_key' ? state.commands : [])));
}

function noKey(commands: readonly string[]): string {
  return `no model key is set: ${[...new Set(commands)].join(', or ')}`;
}
