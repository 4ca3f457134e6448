import { describeCliLife } from '../support/agents/cli-life.js';
import { use } from '../support/model-api/script.js';

// The CLI's own choice of a model calls tools from scripts.
describeCliLife({
  provider: 'codex',
  secret: 'openai-api-key',
  urlSetting: 'MODEL_OPENAI_URL',
  keyOf: ({ headers }) => headers.authorization?.replace(/^Bearer /, ''),
  forge: (tool, input) =>
    use('exec', `text(JSON.stringify(await tools.mcp__bottle__${tool}(${JSON.stringify(input)})));`),
  shell: (command) =>
    use(
      'exec',
      `text(JSON.stringify(await tools.exec_command({ cmd: ${JSON.stringify(command)}, yield_time_ms: 30000 })));`,
    ),
});
