import type { AgentLaunch, AgentProvider } from '../../domain/agent/agent-provider.js';
import { JsonLinesReader } from './json-lines.js';
import { checkedSession, checkVariant } from './launch-checks.js';
import { piDialect } from './pi-stream.js';
import { isUuid, uuidV5 } from './uuid-v5.js';
import { vendorModel } from './vendor-model.js';

/** Namespace of our session ids; any fixed UUID does. */
const SESSIONS = 'c1f6a0d2-5b0e-4d47-9a37-8f2f1be0a6c4';

const THINKING = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** pi, `@earendil-works/pi-coding-agent`: command line and events as its documentation has them (docs/cli.md, docs/json.md). */
export const pi: AgentProvider = {
  name: 'pi',
  version: '0.87.1',
  image: 'bot-bottle/agent-pi:dev',
  sessionPaths: ['/home/agent/.pi/agent/sessions'],
  access: (model) => vendorModel('pi', model).access,
  // From the seed, so that a repeated activity chooses the same session.
  newSessionId: (seed) => uuidV5(SESSIONS, seed),
  isSessionId: isUuid,
  launch: ({ sessionId, resume, model, variant, modelUrl, forge = true }): AgentLaunch => {
    checkVariant('pi', variant, THINKING);
    const { id, access } = vendorModel('pi', model);
    const vendor = access.route;
    return {
      argv: [
        '/usr/local/bin/pi',
        ...['--print', '--mode', 'json', '--offline'],
        // What a repository brings is not run; its AGENTS.md is read.
        ...['--no-approve', '--no-extensions', '--no-skills', '--no-prompt-templates', '--no-themes'],
        ...['--extension', '/opt/bottle/pi-extension.mjs'],
        ...['--provider', vendor],
        ...(id === null ? [] : ['--model', id]),
        ...(variant === null ? [] : ['--thinking', variant]),
        // The other one makes a session that is not there, and so would hide that it was lost.
        resume ? '--session' : '--session-id',
        checkedSession('pi', sessionId, isUuid),
      ],
      env: {
        PI_SKIP_VERSION_CHECK: '1',
        PI_TELEMETRY: '0',
        ...(forge ? {} : { BOTTLE_PI_TOOLS: 'supervise' }),
        ...(modelUrl === null
          ? {}
          : {
              BOTTLE_PI_PROVIDER: vendor,
              // Anthropic's client adds the version to the path, OpenAI's does not.
              BOTTLE_PI_URL: vendor === 'openai' ? `${modelUrl}/v1` : modelUrl,
              BOTTLE_PI_MAX_OUTPUT: String(access.rule.maxOutputTokens),
            }),
      },
      files: {},
      home: {},
    };
  },
  reader: () => new JsonLinesReader(piDialect()),
};
