import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { connected, WAYS } from './mcp-clients.js';
import { BundleHere } from './running-bundle.js';

/** What each test has for itself: a bundle that it starts, and clients, closed behind it. */
export interface McpPlace {
  readonly bundle: BundleHere;
  client(): Promise<Client>;
}

/** The same tests over every way that a client has to the sidecar. */
export function describeEachWay(title: string, define: (place: McpPlace) => void): void {
  for (const [way, connect] of WAYS) {
    describe(`${title}, over ${way}`, () => {
      let bundle: BundleHere;
      const clients: Client[] = [];
      const place: McpPlace = {
        get bundle() {
          return bundle;
        },
        client: async () => {
          const made = await connected(connect(bundle.run.socket));
          clients.push(made);
          return made;
        },
      };
      beforeEach(() => (bundle = new BundleHere()));
      afterEach(async () => {
        for (const client of clients.splice(0)) await client.close();
        await bundle.remove();
      });
      define(place);
    });
  }
}
