import assert from 'node:assert/strict';
import { agentProvider } from '../../../../src/adapters/agents/registry.js';
import { isUuid } from '../../../../src/adapters/agents/uuid-v5.js';
import type { LaunchOptions } from '../../../../src/domain/agent/agent-provider.js';

const claude = agentProvider('claude');
const codex = agentProvider('codex');
const ID = '4f2b8d0e-6a53-4c1f-9e57-2d0c6f1b7a94';
const OPTIONS: LaunchOptions = {
  sessionId: ID,
  resume: false,
  model: null,
  variant: null,
  modelUrl: 'http://127.0.0.1:3129/openai',
};
const SUPERVISE = {
  ...{ type: 'stdio', command: '/usr/local/bin/node' },
  args: ['/opt/bottle/mcp-stdio.mjs', '/supervise/mcp'],
};
/** What must never get to a command line or into a file. */
const BAD_SESSIONS = ['', '--help', `${ID} x`, `${ID}\n`, `../${ID}`, ID.toUpperCase(), 'thread name'];
const BAD_MODELS = [
  'some-model',
  '',
  '--model',
  'claude-\u0000',
  'claude-x y',
  'gpt-5\n',
  'claude-x"',
  'gpt-$(x)',
];

describe('the command line of claude', () => {
  it('starts the session that was chosen for the seed, and resumes it', () => {
    const id = claude.newSessionId('run-1/1') ?? '';
    assert.ok(isUuid(id));
    assert.equal(claude.newSessionId('run-1/1'), id);
    assert.notEqual(claude.newSessionId('run-1/2'), id);
    assert.deepEqual(claude.launch({ ...OPTIONS, sessionId: id }).argv.slice(-2), ['--session-id', id]);
    assert.deepEqual(claude.launch({ ...OPTIONS, resume: true }).argv.slice(-2), ['--resume', ID]);
  });

  it('has model and effort as the manifest says, and no others than there are', () => {
    const { argv } = claude.launch({ ...OPTIONS, model: 'claude-opus-5-5', variant: 'high' });
    assert.equal(argv[argv.indexOf('--model') + 1], 'claude-opus-5-5');
    assert.equal(argv[argv.indexOf('--effort') + 1], 'high');
    for (const model of BAD_MODELS) {
      assert.throws(() => claude.launch({ ...OPTIONS, model }), /has models claude-\*/);
      assert.throws(() => claude.access(model), /has models/);
    }
    assert.throws(() => claude.launch({ ...OPTIONS, variant: 'gigantic' }), /variants low, medium, high/);
  });

  it('takes the tools of the sidecar from a file of the turn and from nowhere else', () => {
    const { argv, env, files, home } = claude.launch(OPTIONS);
    assert.equal(argv[argv.indexOf('--mcp-config') + 1], '/run/bottle/turn/files/mcp.json');
    assert.ok(argv.includes('--strict-mcp-config'));
    assert.deepEqual(JSON.parse(files['mcp.json'] ?? ''), {
      mcpServers: {
        bottle: { type: 'stdio', command: '/usr/local/bin/node', args: ['/opt/bottle/mcp-stdio.mjs'] },
        supervise: SUPERVISE,
      },
    });
    // A person may take minutes.
    assert.equal(env['MCP_TOOL_TIMEOUT'], '600000');
    assert.deepEqual(home, {});
  });

  it('can ask for hosts and routes without a forge too', () => {
    const { argv, files } = claude.launch({ ...OPTIONS, forge: false });
    assert.ok(argv.includes('--mcp-config'));
    assert.deepEqual(JSON.parse(files['mcp.json'] ?? ''), { mcpServers: { supervise: SUPERVISE } });
  });

  it('gives up a model that does not answer after two more tries, and asks nobody else', () => {
    const { env } = claude.launch(OPTIONS);
    assert.equal(env['CLAUDE_CODE_MAX_RETRIES'], '2');
    assert.equal(env['CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC'], '1');
  });

  it('asks for no more output than its route lets through', () => {
    const { env } = claude.launch(OPTIONS);
    assert.equal(env['CLAUDE_CODE_MAX_OUTPUT_TOKENS'], String(claude.access(null)?.rule.maxOutputTokens));
  });

  it('refuses what is no session', () => {
    for (const sessionId of [null, ...BAD_SESSIONS]) {
      assert.throws(() => claude.launch({ ...OPTIONS, sessionId, resume: true }), /not a session/);
      assert.ok(sessionId === null || !claude.isSessionId(sessionId));
    }
  });
});

describe('the way of claude to its model', () => {
  it('is a key or, without one, the token of a subscription', () => {
    const access = claude.access('claude-opus-5-5');
    assert.ok(access !== null);
    assert.deepEqual(
      access.credentials.map(({ secret, header, prefix, keyEnv }) => [secret, header, prefix, keyEnv]),
      [
        ['anthropic-api-key', 'x-api-key', '', 'ANTHROPIC_API_KEY'],
        ['claude-code-oauth-token', 'authorization', 'Bearer ', 'CLAUDE_CODE_OAUTH_TOKEN'],
      ],
    );
    assert.equal(access.baseUrlEnv, 'ANTHROPIC_BASE_URL');
  });
});

describe('the command line of codex', () => {
  it('lets it choose the session of the first turn, and resumes it with the prompt from standard input', () => {
    assert.equal(codex.newSessionId('run-1/1'), null);
    const first = codex.launch({ ...OPTIONS, sessionId: null }).argv;
    assert.deepEqual([first.slice(1, 3), first.at(-1)], [['exec', '--json'], '-']);
    const later = codex.launch({ ...OPTIONS, resume: true }).argv;
    assert.deepEqual(
      [later.slice(1, 3), later.slice(-2)],
      [
        ['exec', 'resume'],
        [ID, '-'],
      ],
    );
  });

  it('has model and effort as the manifest says, and no others than there are', () => {
    const { argv } = codex.launch({ ...OPTIONS, model: 'gpt-5.5', variant: 'xhigh' });
    assert.equal(argv[argv.indexOf('--model') + 1], 'gpt-5.5');
    assert.equal(argv[argv.indexOf('-c') + 1], 'model_reasoning_effort="xhigh"');
    for (const model of BAD_MODELS) {
      assert.throws(() => codex.launch({ ...OPTIONS, model }), /has models gpt-\*/);
      assert.throws(() => codex.access(model), /has models/);
    }
    assert.throws(() => codex.launch({ ...OPTIONS, variant: 'x"\ny=1' }), /variants low, medium, high/);
  });

  it('has its route and the forge in its configuration, marked as ours', () => {
    const text = codex.launch(OPTIONS).home['.codex/config.toml'] ?? '';
    assert.match(text.split('\n')[0] ?? '', /Generated by bot-bottle/);
    assert.match(text, /^base_url = "http:\/\/127\.0\.0\.1:3129\/openai\/v1"$/m);
    assert.match(text, /^env_key = "OPENAI_API_KEY"$/m);
    assert.match(text, /^\[mcp_servers\.bottle\]\ncommand = "\/usr\/local\/bin\/node"$/m);
    assert.match(text, /^developer_instructions = .*read_issue.*\\"supervise\\"/m);
  });

  it('gives up a model that does not answer after two more tries, also one that cannot be reached', () => {
    const text = codex.launch(OPTIONS).home['.codex/config.toml'] ?? '';
    const [, provider = ''] = /^\[model_providers\.bottle\]\n((?:.+\n)+)/m.exec(text) ?? [];
    assert.match(provider, /^request_max_retries = 2$/m);
    assert.match(provider, /^stream_max_retries = 2$/m);
    const [, features = ''] = /^\[features\]\n((?:.+\n)+)/m.exec(text) ?? [];
    assert.match(features, /^unbounded_connection_retries = false$/m);
  });

  it('has the tools to ask for hosts and routes, in a run without a forge too, and begins no turn without them', () => {
    for (const forge of [true, false]) {
      const text = codex.launch({ ...OPTIONS, forge }).home['.codex/config.toml'] ?? '';
      const [, server = ''] = /^\[mcp_servers\.supervise\]\n((?:.+\n)+)/m.exec(text) ?? [];
      assert.match(server, /^args = \["\/opt\/bottle\/mcp-stdio\.mjs","\/supervise\/mcp"\]$/m);
      assert.match(server, /^required = true$/m);
      assert.match(server, /^tool_timeout_sec = 600$/m);
      assert.equal(text.includes('[mcp_servers.bottle]'), forge);
      assert.equal(text.includes('read_issue'), forge);
    }
  });

  it('refuses what is no session and no address, and a bottle without a route', () => {
    for (const sessionId of [null, ...BAD_SESSIONS]) {
      assert.throws(() => codex.launch({ ...OPTIONS, sessionId, resume: true }), /not a session/);
    }
    assert.throws(() => codex.launch({ ...OPTIONS, modelUrl: null }), /needs a route/);
    assert.throws(() => codex.launch({ ...OPTIONS, modelUrl: 'http://x"\ny = 1' }), /not an address/);
  });
});
