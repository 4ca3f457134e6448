import Docker from 'dockerode';

/** The host's address on Docker's default network: what listens there can be reached from a sidecar. */
export async function bridgeAddress(): Promise<string> {
  const { IPAM } = (await new Docker().getNetwork('bridge').inspect()) as {
    readonly IPAM?: { readonly Config?: readonly { readonly Gateway?: string }[] };
  };
  const gateway = IPAM?.Config?.find((one) => one.Gateway !== undefined)?.Gateway;
  if (gateway === undefined) throw new Error("Docker's network bridge has no gateway");
  return gateway;
}
