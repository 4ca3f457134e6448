import { describeCliLife, useRealAgents } from '../support/agents/cli-life.js';
import { use } from '../support/model-api/script.js';

describe('real agents, each in the place of the scripted one', function () {
  this.timeout(120_000);
  const agents = useRealAgents();

  describeCliLife(
    {
      provider: 'claude',
      losesHome: true,
      secret: 'anthropic-api-key',
      keyOf: ({ headers }) => headers['x-api-key'],
      forge: (tool, input) => use(`mcp__bottle__${tool}`, input),
      shell: (command) => use('Bash', { command, description: 'Run' }),
    },
    agents,
  );

  // The CLI's own choice of a model calls tools from scripts.
  describeCliLife(
    {
      provider: 'codex',
      secret: 'openai-api-key',
      keyOf: ({ headers }) => headers.authorization?.replace(/^Bearer /, ''),
      forge: (tool, input) =>
        use('exec', `text(JSON.stringify(await tools.mcp__bottle__${tool}(${JSON.stringify(input)})));`),
      shell: (command) =>
        use(
          'exec',
          `text(JSON.stringify(await tools.exec_command({ cmd: ${JSON.stringify(command)}, yield_time_ms: 30000 })));`,
        ),
    },
    agents,
  );

  describeCliLife(
    {
      provider: 'pi',
      isOptional: true,
      secret: 'anthropic-api-key',
      keyOf: ({ headers }) => headers['x-api-key'],
      forge: (tool, input) => use(tool, input),
      shell: (command) => use('bash', { command, description: 'Run' }),
    },
    agents,
  );

  describeCliLife(
    {
      provider: 'opencode',
      isOptional: true,
      secret: 'anthropic-api-key',
      keyOf: ({ headers }) => headers['x-api-key'],
      forge: (tool, input) => use(`bottle_${tool}`, input),
      shell: (command) => use('bash', { command, description: 'Run' }),
    },
    agents,
  );
});
