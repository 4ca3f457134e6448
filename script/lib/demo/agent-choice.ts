/** A real CLI for the demo, and the key for its model that is in the environment. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { BUILT_IN_MANIFESTS } from '../../../src/adapters/manifests/manifest-directory.js';
import type { AgentProvider } from '../../../src/domain/agent/agent-provider.js';
import { upstreamAuthority } from '../../../src/domain/egress/upstream.js';
import type { AgentSetup } from './messages.js';
import { DemoError } from './wait.js';

export interface RealAgent {
  readonly provider: AgentProvider;
  /** The variable that its key was in. */
  readonly keyEnv: string;
  /** Where its model is. */
  readonly upstream: string;
  readonly setup: AgentSetup;
}

/**
 * Takes the key out of the environment: nothing that is started later has it.
 * Errors: `DemoError` without a key; `InvalidInputError` for a provider that there is not.
 */
export function takeRealAgent(name: string, env: Record<string, string | undefined>): RealAgent {
  const provider = agentProvider(name);
  const access = provider.access(null);
  const credential = access?.credentials.find(({ keyEnv }) => (env[keyEnv] ?? '') !== '');
  if (access === null || credential === undefined)
    throw new DemoError(`there is no key for provider ${name} in the environment`);
  const { secret, keyEnv } = credential;
  const value = env[keyEnv] ?? '';
  for (const other of access.credentials) Reflect.deleteProperty(env, other.keyEnv);
  const setting = `MODEL_${access.route.toUpperCase()}_URL`;
  const own = env[setting] ?? '';
  const upstream = own === '' ? access.upstream : own;
  return {
    provider,
    keyEnv,
    upstream,
    setup: {
      manifest: manifestOf(name),
      settings: own === '' ? {} : { [setting]: own },
      // To the vendor's own address it goes without being bound.
      key: { secret, value, host: own === '' ? null : upstreamAuthority({ upstream }) },
    },
  };
}

/** What the product has no manifest for gets one in the demo's home. */
function manifestOf(name: string): AgentSetup['manifest'] {
  if (existsSync(join(BUILT_IN_MANIFESTS, 'agents', `${name}.md`))) return null;
  const text = [
    '---',
    `provider: ${name}`,
    'bottle: default',
    '---',
    '',
    'You implement what the issue asks for, in this repository, and nothing beyond it. Make the smallest change that does',
    'what is wanted, try it, commit it, open the pull request, and say that you are done.',
    '',
  ];
  return { name, text: text.join('\n') };
}
