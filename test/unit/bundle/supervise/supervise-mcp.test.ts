import assert from 'node:assert/strict';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { connected, SHIM, unixFetch } from '../../../support/bundle/mcp-clients.js';
import { BundleHere, TOKEN } from '../../../support/bundle/running-bundle.js';
import { overUnix } from '../../../support/bundle/unix-http.js';

const PATH = '/supervise/mcp';
const LIMITS = { callsPerMinute: 1000, writesPerMinute: 2 };
const ARGUMENTS = {
  proposed_file: 'example.org\n',
  justification: 'downloads of the build',
  current_file_hash: 'a'.repeat(64),
};

describe('proposals by MCP, on the socket of the sidecar', () => {
  let bundle: BundleHere;
  const clients: Client[] = [];

  beforeEach(() => (bundle = new BundleHere()));
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    await bundle.remove();
  });

  async function client(): Promise<Client> {
    const fetch = unixFetch(bundle.run.socket);
    const made = await connected(
      new StreamableHTTPClientTransport(new URL(`http://sidecar${PATH}`), { fetch }),
    );
    clients.push(made);
    return made;
  }

  /** Looks up the tools first: then the SDK holds the answers against their schema. */
  async function call(of: Client, name: string, args: object = ARGUMENTS) {
    await of.listTools();
    return CallToolResultSchema.parse(await of.callTool({ name, arguments: { ...args } }));
  }

  it('are all that is served in a run without a forge', async () => {
    await bundle.start(LIMITS, false);
    const { tools } = await (await client()).listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['cred-proxy-block', 'pipelock-block', 'capability-block'],
    );
    for (const path of ['/rpc', '/mcp']) {
      const { status, text } = await overUnix(bundle.run.socket, { path, body: '{}' });
      assert.equal(status, 404);
      assert.deepEqual(JSON.parse(text), { error: `there is POST ${PATH}, GET /healthz` });
    }
  });

  it('are served beside the forge, and neither has the tools of the other', async () => {
    await bundle.start(LIMITS);
    assert.match((await client()).getInstructions() ?? '', /a person decides/);
    const { text } = await overUnix(bundle.run.socket, {
      path: '/mcp',
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    assert.match(text, /read_issue/);
    assert.doesNotMatch(text, /pipelock/);
    await assert.rejects(call(await client(), 'read_issue', { number: 1 }), /unknown tool/);
  });

  it('go to the worker behind what was logged before, and its answer to the agent', async () => {
    await bundle.start();
    const agent = await client();
    await call(agent, 'pipelock-block', {});
    const answer = call(agent, 'pipelock-block');
    const { id, body } = await bundle.run.proposal(0);
    assert.deepEqual(
      { ...body, at: 0 },
      {
        ...{ kind: 'proposal', slug: 'dev-alice-demo-12-abcde', turn: 1, tool: 'pipelock-block', at: 0 },
        ...{ file: 'example.org\n', justification: 'downloads of the build', currentHash: 'a'.repeat(64) },
      },
    );
    assert.deepEqual(
      bundle.run.messages().map(({ body: { kind } }) => kind),
      ['operations', 'proposal'],
    );
    bundle.run.answer(id, { kind: 'decision', id: 'p1', status: 'approved', notes: 'fine' });
    const { structuredContent, content, isError } = await answer;
    assert.deepEqual(structuredContent, { status: 'approved', notes: 'fine', id: 'p1' });
    assert.equal(isError, undefined);
    assert.match(JSON.stringify(content), /approved: .*The person says: fine/);
    // The answer to the first still lies there.
    const again = call(agent, 'pipelock-block');
    const second = await bundle.run.proposal(1);
    bundle.run.answer(second.id, { kind: 'decision', id: 'p1', status: 'pending', notes: '' });
    assert.deepEqual((await again).structuredContent, { status: 'pending', notes: '', id: 'p1' });
  });

  it('carry no secret of the sidecar, and count against the limit of the run’s writes', async () => {
    await bundle.start(LIMITS);
    const agent = await client();
    const leaking = { ...ARGUMENTS, justification: `the token is ${TOKEN}` };
    assert.match(JSON.stringify(await call(agent, 'pipelock-block', leaking)), /holds a secret/);
    await call(agent, 'pipelock-block', {});
    assert.match(JSON.stringify(await call(agent, 'pipelock-block')), /more than 2 writes in a minute/);
    assert.deepEqual(
      bundle.run.messages().filter(({ body }) => body.kind === 'proposal'),
      [],
    );
  });

  it('are passed on when the sidecar stops, and the agent is told that its next turn tells more', async () => {
    await bundle.start(LIMITS);
    const answer = call(await client(), 'pipelock-block');
    await bundle.run.proposal(0);
    await bundle.stop();
    const { isError, content } = await answer;
    assert.equal(isError, true);
    assert.match(JSON.stringify(content), /was passed on.*next turn/);
    const [line] = bundle.run.lines();
    assert.deepEqual([line?.operation, line?.target, line?.outcome], ['pipelock-block', 'allowlist', 'ok']);
  });

  it('are reached through the bridge that CLIs start, by its argument', async () => {
    await bundle.start(LIMITS, false);
    const transport = new StdioClientTransport({
      ...{ command: process.execPath, args: [SHIM, PATH], stderr: 'ignore' },
      env: { ...getDefaultEnvironment(), BOTTLE_FORGE_SOCKET: bundle.run.socket },
    });
    const agent = await connected(transport);
    clients.push(agent);
    const answer = call(agent, 'pipelock-block');
    bundle.run.answer((await bundle.run.proposal(0)).id, {
      ...{ kind: 'decision', id: 'p1', status: 'pending', notes: '' },
    });
    assert.deepEqual((await answer).structuredContent, { status: 'pending', notes: '', id: 'p1' });
  });
});
