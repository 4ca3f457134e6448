/** Where `egress` listens, on every address of the container, and how much it answers, bytes. */
export const UPSTREAM_PORT = 18_080;
const DOWNLOAD_BYTES = 4 * 1024 * 1024;
const AT_ONCE = 8;

/**
 * A program for `node -e` inside the sidecar's container, which has no modules: `rpc <calls> <issue>` reads an issue so
 * often as JSON-RPC, `mcp <calls> <issue>` lists the tools and reads it as a tool, `egress <calls>` downloads so often
 * from itself by the route "bench" of the credential proxy. One request a connection, as an agent's are. Prints
 * `all answered`, or fails with what was answered instead.
 */
export const BUNDLE_CALLS = `
const { createServer, request } = require('node:http');
const [way, calls, issue] = process.argv.slice(1);
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const post = (path, method, params) => new Promise((resolve, reject) => {
  const socketPath = '/run/bottle/sock/forge.sock';
  const outgoing = request({ socketPath, path, method: 'POST', headers, agent: false }, (incoming) => {
    let text = '';
    incoming.on('data', (chunk) => (text += chunk));
    incoming.on('end', () => resolve(text));
  });
  outgoing.on('error', reject);
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
});
const expect = (text, part) => {
  if (!text.includes(part)) throw new Error('not answered with ' + part + ': ' + text.slice(0, 300));
};
const download = () => new Promise((resolve, reject) => {
  const socketPath = '/run/bottle/sock/credentials.sock';
  const outgoing = request({ socketPath, path: '/bench/file', agent: false }, (incoming) => {
    let bytes = 0;
    incoming.on('data', (chunk) => (bytes += chunk.length));
    incoming.on('end', () => resolve({ status: incoming.statusCode, bytes }));
    incoming.on('error', reject);
  });
  outgoing.on('error', reject);
  outgoing.end();
});
const downloads = async () => {
  const content = Buffer.alloc(${String(DOWNLOAD_BYTES)}, 'x');
  const server = createServer((_, response) => response.end(content));
  await new Promise((resolve) => server.listen(${String(UPSTREAM_PORT)}, '0.0.0.0', resolve));
  let left = Number(calls);
  const one = async () => {
    while (left > 0) {
      left -= 1;
      const { status, bytes } = await download();
      if (status !== 200 || bytes !== content.length) throw new Error('answered with ' + status + ', ' + bytes + ' bytes');
    }
  };
  await Promise.all(Array.from({ length: ${String(AT_ONCE)} }, one));
  server.closeAllConnections();
  server.close();
};
(async () => {
  const number = Number(issue);
  if (way === 'egress') {
    await downloads();
    console.log('all answered');
    return;
  }
  if (way === 'mcp') {
    const clientInfo = { name: 'bench', version: '1' };
    expect(await post('/mcp', 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }), 'serverInfo');
    expect(await post('/mcp', 'tools/list', {}), 'read_issue');
  }
  for (let call = 0; call < Number(calls); call += 1) {
    if (way === 'mcp')
      expect(await post('/mcp', 'tools/call', { name: 'read_issue', arguments: { number } }), 'greet.sh');
    else expect(await post('/rpc', 'read_issue', { number }), 'greet.sh');
  }
  console.log('all answered');
})();
`;
