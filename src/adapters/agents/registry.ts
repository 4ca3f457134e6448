import { InvalidInputError } from '../../domain/base/errors.js';
import type { AgentProvider } from '../../domain/agent/agent-provider.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { opencode } from './opencode.js';
import { pi } from './pi.js';
import { scripted } from './scripted.js';

/** Every provider of this version; adding one is a file and a line. */
const PROVIDERS: ReadonlyMap<string, AgentProvider> = new Map(
  [claude, codex, opencode, pi, scripted].map((provider) => [provider.name, provider]),
);

export function providerNames(): readonly string[] {
  return [...PROVIDERS.keys()].sort();
}

/** Errors: `InvalidInputError` for a provider that this version does not have. */
export function agentProvider(name: string): AgentProvider {
  const provider = PROVIDERS.get(name);
  if (provider !== undefined) return provider;
  throw new InvalidInputError(
    `provider ${name} is not built into this version; available: ${providerNames().join(', ')}`,
  );
}
