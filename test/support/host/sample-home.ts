import type { HomePorts } from '../../../src/activities/ports/home-ports.js';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { agentsFrom } from '../manifests/agents.js';
import { UNSIGNED } from '../provenance/unsigned.js';

type Own = Pick<HomePorts, 'forgeFor' | 'blobs' | 'database' | 'clock'> & Partial<Pick<HomePorts, 'agents'>>;
type OwnSettings = Pick<HomePorts['settings'], 'dayBudget'> & Partial<Pick<HomePorts['settings'], 'access'>>;

const unexpected = (): Promise<never> => Promise.reject(new Error('unexpected proposal'));

/** A home machine on which nobody proposes anything, nothing is signed and nothing is logged. */
export function sampleHome(own: Own, settings: OwnSettings): HomePorts {
  return {
    agents: agentsFrom(),
    provider: agentProvider,
    auditLog: { append: unexpected },
    proposalFiles: { write: unexpected, remove: unexpected },
    ...UNSIGNED,
    secret: () => ({ kind: 'missing' }),
    isPublicSuffix: () => false,
    log: { info: () => undefined, warn: () => undefined },
    soleHost: null,
    settings: {
      access: { org: 'bot-bottle', trigger: 'collaborators', wake: 'collaborators' },
      reacts: true,
      publish: 'branch',
      ...settings,
    },
    ...own,
  };
}
