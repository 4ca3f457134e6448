import { errorFields } from '../base/bundle-log.js';
import { SocketDoor } from '../base/socket-door.js';
import type { EgressPlaneOptions } from './egress-options.js';
import { DEFAULT_LIMITS } from './limits.js';
import type { Proxies } from './proxies.js';

export interface EgressPlane {
  /** Loads what is behind the sockets, before anybody asks. */
  load(): void;
  /** Cuts what is open and tells the worker what was counted. */
  close(): Promise<void>;
}

/**
 * The two sockets of the egress plane, accepting when this resolves. What is behind them is loaded later, so that they stand
 * sooner. Errors: the file system's own for the sockets.
 */
export async function openEgressPlane(options: EgressPlaneOptions): Promise<EgressPlane> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  let loading: Promise<Proxies> | undefined;
  const load = (): Promise<Proxies> =>
    (loading ??= import('./proxies.js').then(({ startProxies }) => startProxies(options, limits)));
  const doorTo = (to: 'forward' | 'credential', socketPath: string): SocketDoor => {
    const { maxConnections } = limits;
    return new SocketDoor({ socketPath, maxConnections, allowHalfOpen: true }, (socket) => {
      load().then(
        (proxies) => {
          proxies[to](socket);
        },
        (error: unknown) => {
          options.log('error', 'the egress plane cannot start', errorFields(error));
          socket.destroy();
        },
      );
    });
  };
  const doors = [
    doorTo('forward', options.paths.egressSocket),
    doorTo('credential', options.paths.credentialSocket),
  ];
  await Promise.all(doors.map((door) => door.open()));
  return {
    load: () => {
      // Whoever connects hears of a failure.
      load().catch(() => undefined);
    },
    close: async () => {
      await Promise.all(doors.map((door) => door.close(0)));
      const proxies = await loading?.catch(() => undefined);
      await proxies?.stop();
    },
  };
}
