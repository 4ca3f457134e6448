import Docker from 'dockerode';

interface AddressPool {
  readonly Subnet?: string;
  readonly Gateway?: string;
}

/** The host's address on Docker's default network: what listens there can be reached from a sidecar. */
export async function bridgeAddress(): Promise<string> {
  const { IPAM } = (await new Docker().getNetwork('bridge').inspect()) as {
    readonly IPAM?: { readonly Config?: readonly AddressPool[] };
  };
  for (const { Gateway, Subnet } of IPAM?.Config ?? []) {
    if (Gateway !== undefined) return Gateway;
    // An engine that has just made the network names no gateway before it is started again; it takes the first address.
    const [network = '', last] = /^(\d+\.\d+\.\d+\.)(\d+)\/\d+$/.exec(Subnet ?? '')?.slice(1) ?? [];
    if (last !== undefined) return `${network}${String(Number(last) + 1)}`;
  }
  throw new Error("Docker's network bridge has no IPv4 addresses");
}
