import type { AgentLaunch, AgentProvider } from '../../domain/agent/agent-provider.js';
import { checkedSession } from './launch-checks.js';
import { isOpencodeSession, opencodeReader } from './opencode-stream.js';
import { MCP_TIMEOUTS, mcpServers } from './sidecar-mcp.js';
import { vendorModel } from './vendor-model.js';

/** opencode, `opencode-ai`: command line, configuration and events as its documentation and its own output have them. */
export const opencode: AgentProvider = {
  name: 'opencode',
  version: '1.18.33',
  image: 'bot-bottle/agent-opencode:dev',
  sessionPaths: ['/home/agent/.local/share/opencode'],
  access: (model) => vendorModel('opencode', model).access,
  newSessionId: () => null,
  isSessionId: isOpencodeSession,
  launch: ({ sessionId, resume, model, variant, modelUrl, forge = true, cliAgent }): AgentLaunch => {
    const { id, access } = vendorModel('opencode', model);
    const vendor = access.route;
    const chosen = id === null ? null : `${vendor}/${id}`;
    return {
      argv: [
        '/usr/local/bin/opencode',
        ...['run', '--format', 'json', '--pure', '--thinking'],
        ...(chosen === null ? [] : ['--model', chosen]),
        ...(variant === null ? [] : ['--variant', variant]),
        ...(cliAgent === undefined ? [] : ['--agent', cliAgent]),
        ...(resume
          ? ['--session', checkedSession('opencode', sessionId, isOpencodeSession)]
          : ['--title', 'bot-bottle']),
      ],
      env: {
        // Said last of all configurations, so none of the repository's or the home's takes its place.
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          autoupdate: false,
          share: 'disabled',
          snapshot: false,
          // Without the repository's configuration it would not look for it.
          instructions: ['/workspace/AGENTS.md'],
          permission: { '*': 'allow' },
          enabled_providers: [vendor],
          ...(chosen === null ? {} : { small_model: chosen }),
          provider: {
            [vendor]: {
              ...(modelUrl === null ? {} : { options: { baseURL: `${modelUrl}/v1` } }),
              // A model that opencode's own list does not have yet is refused otherwise.
              ...(id === null ? {} : { models: { [id]: {} } }),
            },
          },
          mcp: Object.fromEntries(
            mcpServers(forge).map(({ name, command, args }) => [
              name,
              {
                type: 'local',
                command: [command, ...args],
                enabled: true,
                timeout: MCP_TIMEOUTS.toolSeconds * 1000,
              },
            ]),
          ),
        }),
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        // What a repository brings is not run; its AGENTS.md is read.
        OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      },
      files: {},
      home: {},
    };
  },
  reader: opencodeReader,
};
