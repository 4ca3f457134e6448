// The scripted agent: does what a script in its prompt says, the same way every time. It stands in for a coding CLI in
// tests, benchmarks and the demo, also for a hostile one. README.md beside this file lists the commands.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

// Before anything else, what has to be loaded included: benchmarks measure to this line.
emit({ type: 'system', subtype: 'first_instruction', at: Date.now() });

const { spawnSync } = await import('node:child_process');

const SOCKET = process.env.BOTTLE_FORGE_SOCKET ?? '/run/bottle/sock/forge.sock';
const TURN_DIR = process.env.BOTTLE_TURN_DIR ?? '/run/bottle/turn';
const SESSIONS = join(process.env.HOME ?? homedir(), '.scripted', 'sessions');
const CONNECT_PATIENCE_MS = Number(process.env.SCRIPTED_CONNECT_MS ?? 10_000);
const RETRY_MS = 50;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const OUTPUT_CHARACTERS = 64 * 1024;

// As the first process of a container it gets no signal that it does not handle.
for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
])
  process.on(signal, () => process.exit(code));

let forgeIsAway = false;
const options = readArguments(process.argv.slice(2));
const prompt = readFileSync(0, 'utf8');
const turnInfo = readTurnInfo();
const session = openSession(options);
emit({
  type: 'system',
  subtype: 'init',
  session_id: session.id,
  model: options.model ?? 'scripted',
  cwd: process.cwd(),
});

const script = lastScript(prompt);
let failures = 0;
let said = '';
if (script === undefined) await defaultTurn();
else for (const line of script) await command(line);
finish(0);

// --- what it can do -------------------------------------------------------------------------------------------------

async function command(line) {
  const [, name, rest] = /^\s*(\S+)[ \t]*(.*?)\s*$/.exec(line) ?? [];
  if (name === undefined || name.startsWith('#')) return;
  const [first, text] = splitFirst(rest);
  switch (name) {
    case 'read_issue':
    case 'read_pr':
    case 'read_comments':
    case 'read_diff':
    case 'read_checks':
      return forge(name, { number: numberOrText(first) });
    case 'comment':
      return forge('post_comment', { number: numberOrText(first), body: unescape(text) });
    case 'describe':
      return forge('update_description', { number: numberOrText(first), body: unescape(text) });
    case 'open_pr': {
      const [title, ...body] = rest.split(' | ');
      return forge('open_pr', { title, body: unescape(body.join(' | ')) });
    }
    case 'done':
      said = unescape(text);
      return forge('signal_done', { status: first, summary: said });
    case 'rpc':
      return tool('rpc', { body: rest }, () => post(rest));
    case 'write':
      return tool('write', { path: first }, () => writeIn(first, `${unescape(text)}\n`, writeFileSync));
    case 'append':
      return tool('append', { path: first }, () => writeIn(first, `${unescape(text)}\n`, appendFileSync));
    case 'commit':
      return commit(rest);
    case 'merge':
      return tool('merge', { ref: rest }, () => merge(rest));
    case 'run':
      return tool('run', { command: rest }, () => run('sh', ['-c', rest]));
    case 'print':
      return print(unescape(rest));
    case 'sleep':
      return delay(Number(rest) * 1000);
    case 'exit':
      return finish(Number(rest));
    case 'hang':
      return new Promise(() => setInterval(() => undefined, 60_000));
    case 'spin':
      for (;;);
    case 'flood':
      for (let i = 0; i < Number(rest); i += 1) print('x'.repeat(1024));
      return;
    case 'flood_calls':
      for (let i = 0; i < Number(rest); i += 1) await rpc('read_issue', { number: 1 }).catch(() => undefined);
      return;
    default:
      return tool(name, {}, () => {
        throw new Error(`no such command: ${name}`);
      });
  }
}

/** Without a script: reads the issue, leaves a note, commits it, asks for a pull request in the first turn, is done. */
async function defaultTurn() {
  const issue = issueNumber();
  const read = issue === undefined ? undefined : await forge('read_issue', { number: issue });
  const about =
    prompt
      .split('\n')
      .map((line) => line.trim())
      .find((line) => line !== '') ?? '';
  const note = `- turn ${turnInfo.turn ?? session.turns.length}, session ${session.id}: ${about.slice(0, 120)}\n`;
  await tool('append', { path: 'NOTES.md' }, () => writeIn('NOTES.md', note, appendFileSync));
  await commit(`Turn ${turnInfo.turn ?? session.turns.length} of the scripted agent`);
  if (session.turns.length === 1) {
    const title = read?.title ?? `Work on issue ${issue ?? ''}`.trim();
    await forge('open_pr', { title, body: `Notes of the scripted agent, session ${session.id}.` });
  }
  said = `turn ${turnInfo.turn ?? session.turns.length} finished`;
  await forge('signal_done', { status: 'success', summary: said });
}

function commit(message) {
  return tool('commit', { message }, () => {
    git('add', '-A');
    return git('commit', '-q', '-m', unescape(message) || 'Work');
  });
}

function merge(ref) {
  try {
    return git('merge', '-q', '--no-edit', ref);
  } catch (error) {
    spawnSync('git', ['merge', '--abort']);
    throw error;
  }
}

function git(...args) {
  const result = run('git', args);
  if (result.exit !== 0) throw new Error(`git ${args[0]} ended with ${result.exit}: ${result.output}`);
  return result;
}

function run(program, args) {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined && status === null && signal === null) throw error;
  return { exit: status ?? signal, output: `${stdout}${stderr}`.slice(0, OUTPUT_CHARACTERS) };
}

function writeIn(path, text, write) {
  mkdirSync(dirname(resolve(path)), { recursive: true });
  write(path, text);
  return { bytes: Buffer.byteLength(text) };
}

/** One tool call in the output: what was asked, then what came of it. A failure is told and the script goes on. */
async function tool(name, input, work) {
  emit({ type: 'tool_use', session_id: session.id, name, input });
  try {
    const result = await work();
    emit({ type: 'tool_result', session_id: session.id, name, is_error: false, result });
    return result;
  } catch (error) {
    failures += 1;
    emit({
      type: 'tool_result',
      session_id: session.id,
      name,
      is_error: true,
      error: error.message,
      code: error.code,
      data: error.data,
    });
    return undefined;
  }
}

// --- the sidecar ----------------------------------------------------------------------------------------------------

function forge(method, params) {
  return tool(method, params, () => rpc(method, params));
}

async function rpc(method, params) {
  const { status, text } = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  if (status !== 200) throw new Error(`HTTP ${status}: ${text}`);
  const { error, result } = JSON.parse(text);
  if (error !== undefined)
    throw Object.assign(new Error(error.message), { code: error.code, data: error.data });
  return result;
}

/** A sidecar that is starting or restarted refuses connections: every call may be repeated. */
async function post(body) {
  const until = Date.now() + CONNECT_PATIENCE_MS;
  for (;;) {
    try {
      return await postOnce(body);
    } catch (error) {
      if (forgeIsAway || Date.now() >= until) {
        forgeIsAway = true;
        throw new Error(`no answer from the forge tools: ${error.code ?? error.message}`);
      }
      await delay(RETRY_MS);
    }
  }
}

async function postOnce(body) {
  const { request } = await import('node:http');
  return new Promise((resolvePost, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const outgoing = request({ socketPath: SOCKET, path: '/rpc', method: 'POST', headers }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk) => (text += chunk));
      incoming.on('end', () => resolvePost({ status: incoming.statusCode, text }));
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

// --- prompt, session, output ----------------------------------------------------------------------------------------

/** The lines of the last fenced block "bottle-script", however deep it is quoted; `undefined` when there is none. */
function lastScript(text) {
  let last;
  let open;
  for (const line of text.split(/\r?\n/)) {
    const bare = line.replace(/^\s*(?:> ?)*/, '');
    if (open === undefined) {
      const fence = /^\s*(`{3,}|~{3,})\s*bottle-script\s*$/.exec(bare)?.[1];
      if (fence !== undefined) open = { fence, lines: [] };
    } else if (bare.trim().startsWith(open.fence) && /^(`+|~+)$/.test(bare.trim())) {
      last = open.lines;
      open = undefined;
    } else open.lines.push(bare);
  }
  return open?.lines ?? last;
}

function readArguments(args) {
  const found = { sessionId: undefined, resume: undefined, model: undefined };
  for (let i = 0; i < args.length; i += 1) {
    const value = () => args[(i += 1)] ?? refuse(`${args[i - 1]} needs a value`);
    switch (args[i]) {
      case '--session-id':
        found.sessionId = value();
        break;
      case '--resume':
        found.resume = value();
        break;
      case '--model':
        found.model = value();
        break;
      case '--output-format':
        if (value() !== 'stream-json') refuse('--output-format must be stream-json');
        break;
      default:
        refuse(`unknown argument: ${args[i]}`);
    }
  }
  if ((found.sessionId === undefined) === (found.resume === undefined))
    refuse('give either --session-id or --resume');
  if (!UUID.test(found.sessionId ?? found.resume)) refuse('a session id is a UUID in lower case');
  return found;
}

/** Like the real ones, a session that cannot be used is answered with plain text. */
function openSession({ sessionId, resume }) {
  const id = sessionId ?? resume;
  const file = join(SESSIONS, `${id}.json`);
  const known = existsSync(file);
  if (sessionId !== undefined && known) refuse(`Session ID ${id} is already in use.`);
  if (resume !== undefined && !known) refuse(`No conversation found with session ID: ${id}`);
  const turns = known ? JSON.parse(readFileSync(file, 'utf8')).turns : [];
  turns.push({ turn: turnInfo.turn ?? null, at: Date.now(), promptCharacters: prompt.length, exit: null });
  const opened = { id, file, turns };
  saveSession(opened);
  return opened;
}

function saveSession({ id, file, turns }) {
  mkdirSync(SESSIONS, { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify({ id, turns }));
  renameSync(`${file}.new`, file);
}

function finish(code) {
  session.turns.at(-1).exit = code;
  saveSession(session);
  emit({
    type: 'result',
    subtype: 'success',
    is_error: code !== 0,
    session_id: session.id,
    num_turns: session.turns.length,
    tool_errors: failures,
    result: said,
  });
  process.exit(code);
}

function readTurnInfo() {
  try {
    return JSON.parse(readFileSync(join(TURN_DIR, 'turn.json'), 'utf8'));
  } catch {
    return {};
  }
}

/** From the turn's own description, else from the run's branch, `bot-bottle/<issue>-<suffix>`. */
function issueNumber() {
  const told = turnInfo.issueNumber ?? turnInfo.issue;
  if (Number.isSafeInteger(told)) return told;
  const branch = spawnSync('git', ['branch', '--show-current'], { encoding: 'utf8' }).stdout ?? '';
  const digits = /^bot-bottle\/(\d+)-/.exec(branch)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function splitFirst(text) {
  const [, first = '', rest = ''] = /^(\S*)[ \t]*(.*)$/.exec(text) ?? [];
  return [first, rest];
}

/** A number for a number; anything else goes to the sidecar as it stands, for it to refuse. */
function numberOrText(text) {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function unescape(text) {
  return text.replace(/\\(n|t|\\)/g, (_, letter) => ({ n: '\n', t: '\t', '\\': '\\' })[letter]);
}

function delay(ms) {
  return new Promise((resolveDelay) => setTimeout(resolveDelay, ms));
}

function refuse(why) {
  writeSync(2, `${why}\n`);
  process.exit(1);
}

function emit(event) {
  print(JSON.stringify(event));
}

/** Written at once, so that nothing is lost at an exit; a full pipe is waited for. */
function print(line) {
  let rest = Buffer.from(`${line}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code === 'EPIPE') process.exit(141);
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
