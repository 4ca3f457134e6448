import { LAUNCH_FILES, type AgentProvider, type ModelAccess } from '../../domain/agent/agent-provider.js';
import { claudeReader } from './claude-events.js';
import { checkedSession, checkModel, checkVariant } from './launch-checks.js';
import { ANTHROPIC } from './model-vendors.js';
import { MCP_TIMEOUTS, mcpServers } from './sidecar-mcp.js';
import { isUuid, uuidV5 } from './uuid-v5.js';

/** Namespace of our session ids; any fixed UUID does. */
const SESSIONS = '0c1d7d3b-52a4-4d0e-8b66-93f4e1c7a2f5';
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];
const MCP_FILE = 'mcp.json';

/**
 * Tools that make no sense here: a search is done by the provider, which the route refuses; after the turn there is nothing
 * that could wake up; and the session belongs to the directory that it began in.
 */
const WITHOUT = [
  'WebSearch',
  'CronCreate',
  'CronDelete',
  'CronList',
  'ScheduleWakeup',
  'EnterWorktree',
  'ExitWorktree',
];

const ACCESS: ModelAccess = {
  ...ANTHROPIC,
  credentials: [
    ...ANTHROPIC.credentials,
    // With this variable the CLI sends the beta header that such a token needs, also to another address.
    {
      secret: 'claude-code-oauth-token',
      header: 'authorization',
      prefix: 'Bearer ',
      keyEnv: 'CLAUDE_CODE_OAUTH_TOKEN',
    },
  ],
  baseUrlEnv: 'ANTHROPIC_BASE_URL',
};

const ENV = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_MAX_RETRIES: '2',
  // Some models would be asked for more than the route lets through.
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(ACCESS.rule.maxOutputTokens),
  // Else the sidecar's tools would have to be searched for.
  ENABLE_TOOL_SEARCH: 'false',
  MCP_TIMEOUT: String(MCP_TIMEOUTS.startSeconds * 1000),
  MCP_TOOL_TIMEOUT: String(MCP_TIMEOUTS.toolSeconds * 1000),
};

/** Claude Code. Of its command line and output only what its version is known to do is used. */
export const claude: AgentProvider = {
  name: 'claude',
  version: '2.1.329',
  image: 'bot-bottle/agent-claude:dev',
  sessionPaths: ['/home/agent/.claude/projects'],
  access: (model) => {
    checkModel('claude', model, ACCESS.rule);
    return ACCESS;
  },
  // From the seed, so that a repeated activity chooses the same session.
  newSessionId: (seed) => uuidV5(SESSIONS, seed),
  isSessionId: isUuid,
  launch: ({ sessionId, resume, model, variant, forge = true }) => {
    checkModel('claude', model, ACCESS.rule);
    checkVariant('claude', variant, EFFORTS);
    return {
      argv: [
        '/usr/local/bin/claude',
        '-p',
        '--output-format',
        'stream-json',
        '--verbose',
        '--dangerously-skip-permissions',
        '--disallowedTools',
        WITHOUT.join(','),
        '--mcp-config',
        `${LAUNCH_FILES}/${MCP_FILE}`,
        '--strict-mcp-config',
        ...(model === null ? [] : ['--model', model]),
        ...(variant === null ? [] : ['--effort', variant]),
        resume ? '--resume' : '--session-id',
        checkedSession('claude', sessionId, isUuid),
      ],
      env: ENV,
      files: { [MCP_FILE]: mcpConfig(forge) },
      home: {},
    };
  },
  reader: claudeReader,
};

function mcpConfig(forge: boolean): string {
  const servers = mcpServers(forge).map(
    ({ name, command, args }) => [name, { type: 'stdio', command, args }] as const,
  );
  return JSON.stringify({ mcpServers: Object.fromEntries(servers) });
}
