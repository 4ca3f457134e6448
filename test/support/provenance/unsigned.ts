/** For tests of something else: seals that nobody signed. */
import type { Signer } from '../../../src/domain/provenance/seal.js';

export const UNSIGNED: { readonly signer: Signer } = {
  signer: { sign: () => ({ keyId: 'none', envelope: '{}' }) },
};
