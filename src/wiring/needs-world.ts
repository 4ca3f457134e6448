/** What agents need, as it is on this machine. Looks at files of secrets, never at what they hold. */
import { agentProvider } from '../adapters/agents/registry.js';
import { ownSecretFiles, type Config } from '../config/load-config.js';
import { standingOf } from '../config/secret-binding.js';
import type { NeedsWorld } from '../domain/agent/agent-needs.js';

export function needsWorld(config: Config): NeedsWorld {
  return {
    provider: agentProvider,
    upstreams: modelUpstreams(config),
    secret: ({ name, authority, isVendors }) =>
      standingOf({
        home: config.BOT_BOTTLE_HOME,
        name,
        authorities: isVendors ? [] : [authority],
        vendors: isVendors ? [authority] : [],
        ownFiles: ownSecretFiles(config),
      }),
  };
}

/** Addresses in place of the vendors' own, by the names of the providers' routes. */
export function modelUpstreams(
  config: Pick<Config, 'MODEL_ANTHROPIC_URL' | 'MODEL_OPENAI_URL'>,
): Readonly<Record<string, string>> {
  return {
    ...(config.MODEL_ANTHROPIC_URL === null ? {} : { anthropic: config.MODEL_ANTHROPIC_URL }),
    ...(config.MODEL_OPENAI_URL === null ? {} : { openai: config.MODEL_OPENAI_URL }),
  };
}
