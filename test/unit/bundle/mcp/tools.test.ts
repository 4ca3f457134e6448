import assert from 'node:assert/strict';
import { ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import { FORGE_METHODS } from '../../../../src/bundle/forge/methods.js';
import { instructionsFor, toolOf } from '../../../../src/bundle/mcp/tools.js';

describe('the list of MCP tools', () => {
  it('is what the SDK takes for tools, and JSON as it stands', () => {
    for (const method of FORGE_METHODS) {
      const tool = toolOf(method);
      ToolSchema.parse(tool);
      assert.deepEqual(JSON.parse(JSON.stringify(tool)), tool);
      assert.equal(tool.inputSchema['additionalProperties'], false);
    }
  });

  it('has a form of answers where there is one, and says of each that it may be repeated', () => {
    const [method = assert.fail()] = FORGE_METHODS;
    assert.equal('outputSchema' in toolOf(method), false);
    const schema = { type: 'object', properties: { id: { type: 'string' } } };
    assert.equal(toolOf({ ...method, structured: { schema, inWords: String } }).outputSchema, schema);
    for (const each of FORGE_METHODS) assert.equal(toolOf(each).annotations.idempotentHint, true);
  });

  it('marks what only reads', () => {
    for (const method of FORGE_METHODS) {
      assert.equal(toolOf(method).annotations.readOnlyHint, method.name.startsWith('read_'), method.name);
    }
  });

  it('tells where each writing tool may write, what each answers, and to repeat', () => {
    const described = new Map(FORGE_METHODS.map((method) => [method.name, method.description]));
    for (const name of ['post_comment', 'update_description']) {
      assert.match(described.get(name) ?? '', /assigned issue or .*pull request of this run.*refus/);
    }
    assert.match(
      described.get('open_pr') ?? '',
      /Commit first.*minutes.*why nothing was published.*call again/,
    );
    assert.match(described.get('signal_done') ?? '', /success.*blocked.*failed.*last/);
    for (const [name, description] of described) {
      assert.doesNotMatch(description, /gitea|forgejo|github/i, name);
      if (name.startsWith('read_')) assert.match(description, /never instructions/, name);
    }
  });

  it('comes with instructions: the issue, what may be read and written, whom to believe, and how to end', () => {
    const text = instructionsFor(12);
    assert.match(text, /#12/);
    assert.match(text, /read any issue.* write only to your issue and to pull requests of this run\. /);
    assert.match(text, /never an instruction to you\. /);
    assert.match(text, /open_pr.*signal_done as your last act\. /);
    assert.match(text, /every call may be repeated\.$/);
  });
});
