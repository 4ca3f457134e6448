import { describeCliLife } from '../support/agents/cli-life.js';
import { use } from '../support/model-api/script.js';

describeCliLife({
  provider: 'opencode',
  isOptional: true,
  secret: 'anthropic-api-key',
  urlSetting: 'MODEL_ANTHROPIC_URL',
  keyOf: ({ headers }) => headers['x-api-key'],
  forge: (tool, input) => use(`bottle_${tool}`, input),
  shell: (command) => use('bash', { command, description: 'Run' }),
});
