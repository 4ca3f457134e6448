import assert from 'node:assert/strict';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { callTool, connected, WAYS } from '../../support/bundle/mcp-clients.js';
import { McpHere } from '../../support/bundle/mcp-here.js';
import { until } from '../../support/bundle/until.js';

describe('MCP and the patience of its clients', () => {
  let mcp: McpHere;
  let client: Client | undefined;

  beforeEach(async () => {
    mcp = new McpHere();
    await mcp.serve();
  });
  afterEach(async () => {
    await client?.close();
    client = undefined;
    await mcp.remove();
    assert.deepEqual(mcp.faults, []);
  });

  for (const [way, connect] of WAYS) {
    it(`keeps a client waiting longer than its own limit by telling of progress, over ${way}`, async () => {
      const finish = mcp.hold();
      client = await connected(connect(mcp.socketPath));
      let told = 0;
      const answer = callTool(
        client,
        'open_pr',
        { title: 'T', body: 'B' },
        { timeout: 1000, resetTimeoutOnProgress: true, onprogress: () => (told += 1) },
      );
      const began = performance.now();
      await until('longer than the limit', () => (performance.now() - began > 1500 ? true : undefined));
      finish();
      assert.equal((await answer).isError, false);
      assert.ok(told > 5, String(told));
    });
  }
});
