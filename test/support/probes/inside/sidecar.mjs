// The one thing a bottle can talk to. An attack is blocked when the sidecar refuses it and goes on answering.
import { request } from 'node:http';
import { connect } from 'node:net';
import { blocked, through } from './tools.mjs';

const SOCKET = '/run/bottle/sock/forge.sock';
const MIB = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

function ask(body, { path = '/rpc', method = 'POST', headers = JSON_TYPE, endless = false } = {}) {
  return new Promise((resolve) => {
    const outgoing = request({ socketPath: SOCKET, path, method, headers }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk) => (text += chunk));
      incoming.on('close', () => resolve({ status: incoming.statusCode, text }));
    });
    outgoing.on('error', (error) => resolve({ status: 0, text: error.code ?? error.message }));
    if (!endless) return outgoing.end(body);
    const more = () => {
      while (!outgoing.destroyed && outgoing.write(body));
    };
    outgoing.on('drain', more);
    more();
  });
}

const rpc = async (method, params) => {
  const { status, text } = await ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return status === 200 ? JSON.parse(text) : { error: { message: `HTTP ${status} ${text}` } };
};

/** Whether it answers, sooner or later: what was just done may still be cleared away. */
async function alive() {
  for (let tries = 0; tries < 100; tries += 1) {
    const { status } = await ask('', { path: '/healthz', method: 'GET', headers: {} });
    if (status === 200) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

const held = async (isRefused, evidence) => {
  if (!(await alive())) return through(`${evidence}; and the sidecar is silent`);
  return isRefused ? blocked(evidence) : through(evidence);
};

const refusedCall = (name, tries, method, params) => ({
  name: `sidecar: ${name}`,
  tries,
  run: async (targets) => {
    const { result, error } = await rpc(method, typeof params === 'function' ? params(targets) : params);
    return held(error !== undefined, error?.message ?? JSON.stringify(result));
  },
});

const refusedHttp = (name, tries, statuses, send) => ({
  name: `sidecar: ${name}`,
  tries,
  run: async () => {
    const { status, text } = await send();
    return held(statuses.includes(status), `${status} ${text.slice(0, 120)}`);
  },
});

function connections(count) {
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve) => {
          const socket = connect(SOCKET);
          const state = { socket, open: false, closed: false };
          socket.on('connect', () => (state.open = true));
          socket.on('error', () => undefined);
          socket.on('close', () => (state.closed = true));
          setTimeout(() => resolve(state), 500);
        }),
    ),
  );
}

export const sidecar = [
  refusedHttp('oversize body', 'a request of 2 MiB', [413], () => ask('x'.repeat(2 * MIB))),
  refusedHttp('endless body', 'a request that never ends', [413, 0], () =>
    ask('x'.repeat(64 * 1024), { endless: true }),
  ),
  refusedHttp('endless header', 'a header of 1 MiB', [431, 0], () =>
    ask('{}', { headers: { ...JSON_TYPE, x: 'y'.repeat(MIB) } }),
  ),
  refusedHttp('other paths', 'a path that is none', [404], () => ask('{}', { path: '/../../etc/passwd' })),
  refusedHttp('other type', 'a form', [415], () => ask('a=b', { headers: { 'content-type': 'text/plain' } })),
  refusedHttp('compressed body', 'a body that would grow', [415], () =>
    ask('x', { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } }),
  ),
  {
    name: 'sidecar: depth',
    tries: 'half a million nested arrays',
    run: async () => {
      const { status, text } = await ask('['.repeat(500_000) + ']'.repeat(500_000));
      return held(status !== 0 && !text.includes('"result"'), `${status} ${text.slice(0, 120)}`);
    },
  },
  {
    name: 'sidecar: batch',
    tries: 'fifty thousand calls in one request',
    run: async () => {
      const one = '{"jsonrpc":"2.0","id":1,"method":"x"}';
      const { status, text } = await ask(`[${Array.from({ length: 20_000 }, () => one).join(',')}]`);
      return held(!text.includes('"result"'), `${status} ${text.slice(0, 120)}`);
    },
  },
  {
    name: 'sidecar: a thousand connections',
    tries: 'to hold a thousand connections open',
    run: async () => {
      const states = await connections(1_000);
      const kept = states.filter(({ open, closed }) => open && !closed).length;
      for (const { socket } of states) socket.destroy();
      return held(kept <= 32, `${kept} were kept`);
    },
  },
  {
    name: 'sidecar: slow request',
    tries: 'to keep others out with requests that arrive byte by byte',
    run: async () => {
      const states = await connections(32);
      for (const { socket } of states) socket.write('POST /rpc HTTP/1.1\r\nhost: x\r\n');
      const others = await ask('', { path: '/healthz', method: 'GET', headers: {} });
      for (const { socket } of states) socket.destroy();
      // It keeps itself out, until 30 s are over: nobody else has this socket.
      return held(true, `others meanwhile: ${others.status || others.text}`);
    },
  },
  refusedCall('another issue', 'a comment on an issue that is not the run’s', 'post_comment', (t) => ({
    number: t.otherIssue,
    body: 'I should not be here',
  })),
  refusedCall('another description', 'the description of another issue', 'update_description', (t) => ({
    number: t.otherIssue,
    body: 'nor here',
  })),
  refusedCall('a path for a number', 'an issue “1/../2”', 'read_issue', { number: '1/../2' }),
  refusedCall('a huge number', 'issue 2^53', 'read_issue', { number: 2 ** 53 }),
  refusedCall('no such method', 'a method that every object has', 'constructor', {}),
  refusedCall('prototype', 'to set a property of all objects', '__proto__', { polluted: true }),
  refusedCall('more parameters', 'another repository by a parameter', 'read_issue', {
    number: 1,
    owner: 'mallory',
    repo: 'other',
  }),
];
