import assert from 'node:assert/strict';
import { ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import { toolAnswer } from '../../../../src/bundle/mcp/tool-answer.js';
import { toolOf } from '../../../../src/bundle/mcp/tools.js';
import { PROPOSAL_METHODS, SUPERVISE_INSTRUCTIONS } from '../../../../src/bundle/supervise/proposal-tools.js';
import { PROPOSAL_TOOLS } from '../../../../src/domain/supervise/proposal.js';

const answerOf = (result: unknown): ReturnType<typeof toolAnswer> =>
  toolAnswer(PROPOSAL_METHODS[0] ?? assert.fail(), { result, refused: undefined });

describe('the tools of an agent that is stuck', () => {
  it('are those of the contract, as the SDK takes them', () => {
    assert.deepEqual(
      PROPOSAL_METHODS.map(({ name }) => name),
      Object.keys(PROPOSAL_TOOLS),
    );
    for (const source of PROPOSAL_METHODS) {
      const tool = toolOf(source);
      ToolSchema.parse(tool);
      assert.equal(tool.annotations.readOnlyHint, false);
      const { properties, required } = tool.inputSchema;
      assert.deepEqual(required, ['proposed_file', 'justification', 'current_file_hash']);
      const hash = (properties as Record<string, Record<string, unknown>>)['current_file_hash'];
      assert.match('0f'.repeat(32), new RegExp(String(hash?.['pattern'])));
      assert.deepEqual(tool.outputSchema?.['required'], ['status', 'notes', 'id']);
    }
  });

  it('say when to use which, how to begin and what the answers mean', () => {
    const [routes = '', hosts = ''] = PROPOSAL_METHODS.map(({ description }) => description);
    assert.match(routes, /needs a credential.*http:\/\/127\.0\.0\.1:3129\/<route>.*use pipelock-block/);
    assert.match(hosts, /forward proxy.*refused.*no credential.*use cred-proxy-block/);
    for (const [text, file] of [
      [routes, 'routes.json'],
      [hosts, 'allowlist'],
    ] as const) {
      const path = `/etc/bot-bottle/current-config/${file}`;
      assert.ok(text.includes(`${path} (read-only)`) && text.includes(`sha256sum ${path}`), text);
      assert.match(text, /whole file/);
      assert.match(text, /pending \(.*other work or end your turn.*next turn\)/);
      assert.match(text, /rejected proposal is not to be proposed again/);
    }
    assert.match(SUPERVISE_INSTRUCTIONS, /a person decides/);
  });

  it('answer structured content, and a line that says the same and what to do', () => {
    const result = { status: 'rejected', notes: 'use the mirror', id: 'p1' };
    const { content, structuredContent, isError } = answerOf(result);
    assert.deepEqual([structuredContent, isError], [result, undefined]);
    assert.equal(content.length, 1);
    assert.match(
      content[0]?.text ?? '',
      /^rejected: do not propose it again.*The person says: use the mirror$/,
    );
    const failed = answerOf({ status: 'failed', notes: 'Step 2/3: no such file', id: 'p1' });
    assert.match(failed.content[0]?.text ?? '', / The reason: Step 2\/3: no such file$/);
    const pending = answerOf({ status: 'pending', notes: '', id: 'p1' });
    assert.match(pending.content[0]?.text ?? '', /^pending: .*next turn\.$/);
  });

  it('fail with the reason where it was none', () => {
    for (const source of PROPOSAL_METHODS) {
      const answer = toolAnswer(source, { result: {}, refused: 'line 3: no host' });
      assert.equal(answer.isError, true);
      assert.equal(answer.structuredContent, undefined);
      assert.match(answer.content[0]?.text ?? '', /refused: line 3: no host/);
    }
  });
});
