import type { HomePorts } from '../../../src/activities/ports/home-ports.js';

const unexpected = (): Promise<never> => Promise.reject(new Error('unexpected proposal'));

/** For a home on which nobody proposes anything. */
export const NO_PROPOSALS: Pick<HomePorts, 'auditLog' | 'proposalFiles'> = {
  auditLog: { append: unexpected },
  proposalFiles: { write: unexpected, remove: unexpected },
};
