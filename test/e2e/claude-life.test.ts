import { describeCliLife } from '../support/agents/cli-life.js';
import { use } from '../support/model-api/script.js';

describeCliLife({
  provider: 'claude',
  secret: 'anthropic-api-key',
  urlSetting: 'MODEL_ANTHROPIC_URL',
  keyOf: ({ headers }) => headers['x-api-key'],
  forge: (tool, input) => use(`mcp__bottle__${tool}`, input),
  shell: (command) => use('Bash', { command, description: 'Run' }),
});
