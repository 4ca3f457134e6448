import type { ModelAccess } from '../../domain/agent/agent-provider.js';
import { VENDOR_UPSTREAMS } from '../../domain/egress/vendors.js';

/** Anthropic's Messages API with an API key. A CLI that can do with another credential adds it. */
export const ANTHROPIC: ModelAccess = {
  route: 'anthropic',
  upstream: VENDOR_UPSTREAMS.anthropic,
  methods: ['POST'],
  paths: ['/v1/messages', '/v1/messages/count_tokens'],
  rule: { api: 'anthropic-messages', models: ['claude-*'], maxOutputTokens: 64_000, allow: [] },
  credentials: [
    { secret: 'anthropic-api-key', header: 'x-api-key', prefix: '', keyEnv: 'ANTHROPIC_API_KEY' },
  ],
  baseUrlEnv: null,
};

/** OpenAI's Responses API with an API key. */
export const OPENAI: ModelAccess = {
  route: 'openai',
  upstream: VENDOR_UPSTREAMS.openai,
  methods: ['POST'],
  paths: ['/v1/responses'],
  rule: {
    api: 'openai-responses',
    models: ['gpt-*', 'o1*', 'o3*', 'o4*', 'codex-*'],
    maxOutputTokens: 64_000,
    allow: [],
  },
  credentials: [
    { secret: 'openai-api-key', header: 'authorization', prefix: 'Bearer ', keyEnv: 'OPENAI_API_KEY' },
  ],
  baseUrlEnv: null,
};
