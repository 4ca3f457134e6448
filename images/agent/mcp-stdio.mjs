// MCP on standard input and output, for agent CLIs that start their MCP servers: each line is posted to the sidecar on its
// Unix socket, to the path that is the one argument or else to `/mcp`, and what that answers, JSON or a stream of events,
// comes back as lines. No session is kept, so a sidecar that is restarted goes unnoticed: the request is sent again, which
// is harmless with every tool. When the sidecar stays away, a tool call is answered with an error that says so. It ends when
// its input ends.
//
//   BOTTLE_FORGE_SOCKET      the socket, /run/bottle/sock/forge.sock
//   BOTTLE_MCP_PATIENCE_MS   how long the sidecar may be away, 10000
import { createRequire } from 'node:module';

// An import of it loads all that it has, and in Node 22 that is a WebSocket client, too: 27 of 72 ms before a CLI has its tools.
const { request } = createRequire(import.meta.url)('node:http');

const SOCKET = process.env.BOTTLE_FORGE_SOCKET ?? '/run/bottle/sock/forge.sock';
const PATH = process.argv[2] ?? '/mcp';
const PATIENCE_MS = Number(process.env.BOTTLE_MCP_PATIENCE_MS ?? 10_000);
const RETRY_MS = 50;
/** Of a line of input. The sidecar takes 1 MiB and refuses what is between, which the client then can be told. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Of one answer; the longest conversation has less. */
const MAX_ANSWER_CHARACTERS = 64 * 1024 * 1024;
/** The sidecar takes 32 connections from all that runs in the bottle, and there are two of these. */
const MAX_UNDER_WAY = 12;
/** What is under way may end so long after the input; clients kill after two seconds. */
const LINGER_MS = 1500;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const NO_ANSWER = -32000;

let protocolVersion;
/** The sidecar was waited for in vain: what comes next is tried once, until one gets through. */
let isGone = false;
let isToldGone = false;

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
for (const stream of [process.stdin, process.stdout]) stream.on('error', () => process.exit(0));

const underWay = new Set();
for await (const line of linesOf(process.stdin)) {
  while (underWay.size >= MAX_UNDER_WAY) await Promise.race(underWay);
  const relayed = relay(line).finally(() => underWay.delete(relayed));
  underWay.add(relayed);
}
await Promise.race([Promise.all(underWay), delay(LINGER_MS)]);
process.exit(0);

/** Lines of bounded size; `undefined` for one that was longer. */
async function* linesOf(stream) {
  let parts = [];
  let size = 0;
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      yield take(chunk.subarray(start, end));
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (size > 0) yield take(Buffer.alloc(0));

  function keep(part) {
    size += part.length;
    if (size > MAX_LINE_BYTES) parts = [];
    else parts.push(part);
  }
  function take(part) {
    keep(part);
    const line = size > MAX_LINE_BYTES ? undefined : Buffer.concat(parts).toString('utf8');
    parts = [];
    size = 0;
    return line;
  }
}

/** Never rejects: whatever happens is the client's answer. */
async function relay(line) {
  if (line === undefined) {
    write(errorFor(null, INVALID_REQUEST, `a message has at most ${MAX_LINE_BYTES} bytes`));
    return;
  }
  if (line.trim() === '') return;
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    write(errorFor(null, PARSE_ERROR, 'parse error: not JSON'));
    return;
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    write(errorFor(null, INVALID_REQUEST, 'a line is one message; there are no batches'));
    return;
  }
  let until;
  for (;;) {
    try {
      await post(line, message);
      isGone = false;
      isToldGone = false;
      return;
    } catch (error) {
      until ??= Date.now() + (isGone ? 0 : PATIENCE_MS);
      if (!isToldGone) complain(`${reasonOf(error)}; trying again for ${PATIENCE_MS / 1000} s`);
      isToldGone = true;
      if (Date.now() >= until) {
        isGone = true;
        fail(message, NO_ANSWER, `No answer from the helper: ${reasonOf(error)}. Try again later.`);
        return;
      }
      await delay(RETRY_MS);
    }
  }
}

/** Resolves when the message is dealt with. Rejects when the connection was lost before: it may be sent again. */
function post(line, message) {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        socketPath: SOCKET,
        path: PATH,
        method: 'POST',
        agent: false,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'content-length': Buffer.byteLength(line),
          ...(protocolVersion === undefined ? {} : { 'mcp-protocol-version': protocolVersion }),
        },
      },
      (incoming) => {
        readAnswer(incoming, message).then(resolve, reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(line);
  });
}

async function readAnswer(incoming, message) {
  const isStream = /^text\/event-stream\b/.test(incoming.headers['content-type'] ?? '');
  let text = '';
  let isAnswered = !isRequest(message);
  incoming.setEncoding('utf8');
  for await (const chunk of incoming) {
    text += chunk;
    if (text.length > MAX_ANSWER_CHARACTERS) {
      incoming.destroy();
      fail(message, NO_ANSWER, 'The answer is too long to be passed on.');
      return;
    }
    if (!isStream || !chunk.includes('\n')) continue;
    const events = text.split('\n\n');
    text = events.pop();
    for (const event of events) {
      const data = dataOf(event);
      if (data !== '') isAnswered = deliver(JSON.parse(data), message) || isAnswered;
    }
  }
  if (isStream) {
    if (!isAnswered) throw new Error('the stream ended without an answer');
  } else if (text !== '') deliverBody(incoming.statusCode, text, message);
  else if (!isAnswered) throw new Error(`an empty answer (${incoming.statusCode})`);
}

function dataOf(event) {
  return event
    .split('\n')
    .filter((each) => each.startsWith('data:'))
    .map((each) => each.slice('data:'.length).trim())
    .join('\n');
}

/** A message of the sidecar to the client. True when it answers what was asked. */
function deliver(answer, message) {
  if (message.method === 'initialize' && typeof answer.result?.protocolVersion === 'string') {
    protocolVersion = answer.result.protocolVersion;
  }
  write(answer);
  return answer.id !== undefined && answer.method === undefined;
}

/** A refusal of the door names no id; it gets that of the request, or the client waits for ever. */
function deliverBody(status, text, message) {
  const answer = JSON.parse(text);
  if (answer.jsonrpc === '2.0' && answer.id !== null) deliver(answer, message);
  else if (answer.jsonrpc === '2.0') write({ ...answer, id: isRequest(message) ? message.id : null });
  else fail(message, NO_ANSWER, `The helper refused (${status}): ${answer.error ?? 'it did not say why'}.`);
}

/** A failed tool call is a result with an error in it, which the agent gets to see. */
function fail(message, code, why) {
  complain(why);
  if (!isRequest(message)) return;
  if (message.method !== 'tools/call') write(errorFor(message.id, code, why));
  else
    write({
      jsonrpc: '2.0',
      id: message.id,
      result: { content: [{ type: 'text', text: why }], isError: true },
    });
}

function isRequest(message) {
  return message.id !== undefined && typeof message.method === 'string';
}

function errorFor(id, code, message) {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function reasonOf(error) {
  if (error.code === 'ENOENT') return `there is no socket at ${SOCKET}`;
  if (error.code === 'ECONNREFUSED') return `nobody listens at ${SOCKET}`;
  if (error.code === 'EACCES') return `${SOCKET} may not be used (EACCES)`;
  return `the connection to ${SOCKET} was lost (${error.code ?? error.message})`;
}

function complain(why) {
  process.stderr.write(`bottle mcp: ${why}\n`);
}

/** One line: JSON has no line ends but those in its white space. */
function write(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function delay(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
