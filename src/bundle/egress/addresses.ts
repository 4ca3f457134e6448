import { addressRange, type AddressRange } from './address-range.js';

/** Every address of a name, as text. Errors: the resolver's own; none is one too. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Decides for an address whether it may be connected to. */
export type AddressPolicy = (address: string) => boolean;

/** What an agent names must be on the internet. */
export const globalOnly: AddressPolicy = (address) => addressRange(address) === 'global';

const NEVER: readonly AddressRange[] = [
  'loopback',
  'unspecified',
  'link-local',
  'metadata',
  'multicast',
  'broadcast',
  'no address',
];

/** What the operator names may be in their own network, but neither this container nor a cloud's metadata service. */
export const operatorsOwn: AddressPolicy = (address) => !NEVER.includes(addressRange(address));

/** One of a name's addresses is not to be connected to, so the name is not either. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';

  constructor(
    readonly host: string,
    readonly address: string,
  ) {
    super(`${host} has the address ${address}, which is ${addressRange(address)}`);
  }
}

/**
 * The addresses of a host, all of them good. A caller connects to these and never asks again: a second answer could be
 * another one. Errors: `RefusedAddressError`; the resolver's.
 */
export async function checkedAddresses(
  host: string,
  resolve: Resolve,
  policy: AddressPolicy,
): Promise<readonly string[]> {
  const addresses = await resolve(host);
  const refused = addresses.find((address) => !policy(address));
  if (refused !== undefined) throw new RefusedAddressError(host, refused);
  if (addresses.length === 0) throw new Error(`${host} has no address`);
  return addresses;
}
