import { InvalidInputError } from '../../../domain/base/errors.js';
import { isSecretName } from '../../../domain/secret/secret-name.js';
import type { SecretNeed } from '../../../domain/secret/secret-need.js';

/** Upstreams that a secret would be sent to, `host:port`, as `RunFilesOptions.secret` takes them. */
interface Authorities {
  readonly authorities: readonly string[];
  readonly vendors: readonly string[];
}

/** By the secrets' names. Errors: `InvalidInputError`. */
export function authoritiesOf(needs: readonly SecretNeed[]): ReadonlyMap<string, Authorities> {
  const known = new Map<string, Authorities>();
  for (const { name, authority, isVendors } of needs) {
    const { authorities, vendors } = known.get(requireSecretName(name)) ?? { authorities: [], vendors: [] };
    known.set(name, {
      authorities: isVendors ? authorities : [...authorities, authority],
      vendors: isVendors ? [...vendors, authority] : vendors,
    });
  }
  return known;
}

function requireSecretName(name: string): string {
  if (!isSecretName(name)) throw new InvalidInputError(`not a secret's name: ${JSON.stringify(name)}`);
  return name;
}
