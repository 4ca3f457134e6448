/**
 * A program for `node -e` inside the sidecar's container, which has no modules: `rpc <calls> <issue>` reads an issue so
 * often as JSON-RPC, `mcp <calls> <issue>` lists the tools and reads it as a tool. One request a connection, as an
 * agent's are. Prints `all answered`, or fails with what was answered instead.
 */
export const BUNDLE_CALLS = `
const { request } = require('node:http');
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
(async () => {
  const number = Number(issue);
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
