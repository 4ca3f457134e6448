import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { builtBundle } from '../../support/bundle/built-bundle.js';
import { BundleProcess } from '../../support/bundle/bundle-process.js';
import { callTool, connected, WAYS } from '../../support/bundle/mcp-clients.js';
import { RunDirectory } from '../../support/bundle/run-directory.js';
import { rpc } from '../../support/bundle/unix-http.js';

/** The budget of the whole sidecar. */
const MAX_RSS_MIB = 80;

/** What the built bundle alone can show: files loaded when they are needed, and processes that are killed. */
describe('the built sidecar as an MCP server', () => {
  const [, shim] = WAYS[1] ?? assert.fail('there is no shim');
  let file: string;
  let run: RunDirectory;
  let bundle: BundleProcess | undefined;
  let client: Client | undefined;

  before(() => (file = builtBundle()));
  beforeEach(() => (run = new RunDirectory()));
  afterEach(async () => {
    await client?.close();
    await bundle?.kill('SIGKILL');
    client = bundle = undefined;
    run.remove();
  });

  async function start(): Promise<BundleProcess> {
    const started = new BundleProcess(file, run);
    bundle = started;
    await started.serving();
    return started;
  }

  for (const [way, connect] of WAYS)
    describe(`over ${way}`, () => {
      const rssMiB = (pid: number): number => {
        const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1];
        return Number(kib) / 1024;
      };

      it('serves the tools, and stays within its memory', async () => {
        const { pid } = await start();
        client = await connected(connect(run.socket));
        assert.equal((await client.listTools()).tools.length, 9);
        for (let i = 0; i < 100; i += 1) await callTool(client, 'post_comment', { number: 9, body: 'x' });
        assert.ok(rssMiB(pid) < MAX_RSS_MIB, `${String(rssMiB(pid))} MiB`);
      });

      it('serves the same client again after it was killed between two calls', async () => {
        const first = await start();
        client = await connected(connect(run.socket));
        const done = { status: 'success', summary: '' };
        assert.equal((await callTool(client, 'signal_done', done)).isError, false);
        await first.kill('SIGKILL');
        await start();
        assert.equal((await callTool(client, 'signal_done', done)).isError, false);
        assert.match(
          (await callTool(client, 'post_comment', { number: 9, body: 'x' })).blocks[0] ?? '',
          /#1 only/,
        );
      });
    });

  it('asks the next sidecar again for what was held when one is killed, over the shim', async () => {
    const first = await start();
    client = await connected(shim(run.socket));
    const held = callTool(client, 'open_pr', { title: 'T', body: 'B' });
    await run.request(0);
    await first.kill('SIGKILL');
    bundle = new BundleProcess(file, run);
    const again = await run.request(1);
    run.answer(again.id, { kind: 'published', pr: 31, url: 'http://x/31', head: 'a'.repeat(40) });
    assert.match((await held).blocks[0] ?? '', /"number":31/);
    assert.equal((await rpc(run.socket, 'post_comment', { number: 9, body: 'x' })).error?.code, -32001);
  });

  it('has a tool error from the shim when no sidecar comes, and with the tool when one comes later', async () => {
    const first = await start();
    client = await connected(shim(run.socket, { BOTTLE_MCP_PATIENCE_MS: '100' }));
    await first.kill('SIGTERM');
    const done = { status: 'success', summary: '' };
    const { isError, blocks } = await callTool(client, 'signal_done', done);
    assert.ok(isError);
    assert.match(blocks[0] ?? '', /No answer from the helper: there is no socket at .*forge\.sock/);
    await assert.rejects(client.listTools(), /there is no socket/);
    await start();
    assert.equal((await callTool(client, 'signal_done', done)).isError, false);
  });
});
