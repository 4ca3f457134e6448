import type { Socket } from 'node:net';
import { withEgress, type EgressHere } from './egress-here.js';
import { greeted, stopUpstreams, tcpUpstream } from './upstreams.js';

export const HOST = 'files.example.org';

/** For each test an egress plane, not started yet, and servers behind it. */
export function withTunnels(): {
  readonly egress: () => EgressHere;
  /** A server under the host's name, which is allowed; its authority. */
  readonly served: (onSocket: (socket: Socket) => void) => Promise<string>;
} {
  const egress = withEgress();
  afterEach(stopUpstreams);
  return {
    egress,
    served: async (onSocket) => {
      const { port } = await tcpUpstream(greeted(onSocket));
      egress().names.set(HOST, ['127.0.0.1']);
      egress().allow(`${HOST}:${String(port)}`);
      return `${HOST}:${String(port)}`;
    },
  };
}
