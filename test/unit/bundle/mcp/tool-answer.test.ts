import assert from 'node:assert/strict';
import { FORGE_METHODS } from '../../../../src/bundle/forge/methods.js';
import { JSON_RPC_CODE, JsonRpcError } from '../../../../src/bundle/jsonrpc/protocol.js';
import { failedAnswer, toolAnswer, type ToolAnswer } from '../../../../src/bundle/mcp/tool-answer.js';

const method = FORGE_METHODS.find(({ name }) => name === 'post_comment') ?? assert.fail();

function blocksOf(answer: ToolAnswer, isError = false): string[] {
  assert.equal(answer.isError ?? false, isError);
  return answer.content.map(({ text }) => text);
}

const answered = (result: unknown): ToolAnswer => toolAnswer(method, { result, refused: undefined });
const failed = (error: unknown): string => blocksOf(failedAnswer(method, error), true)[0] ?? '';

describe("a tool's answer", () => {
  it('is the result as JSON', () => {
    assert.deepEqual(blocksOf(answered({ ok: true, number: 3 })), ['{"ok":true,"number":3}']);
    assert.deepEqual(blocksOf(answered([1, 'a'])), ['[1,"a"]']);
    assert.deepEqual(blocksOf(answered(undefined)), ['null']);
  });

  it('is content of the type that MCP has for texts', () => {
    assert.deepEqual(answered(5).content, [{ type: 'text', text: '5' }]);
  });

  it('has texts of several lines as blocks behind it, numbered from the first block', () => {
    const result = {
      number: 3,
      title: { text: 'one line' },
      body: { text: 'a\nb', truncated: true },
      diff: { text: '+"\n' },
      comments: [{ body: { text: 'x\ny' } }],
      closedAt: null,
      base: {},
      odd: { text: 5 },
    };
    const [head = '', ...texts] = blocksOf(answered(result));
    assert.deepEqual(JSON.parse(head), {
      number: 3,
      title: { text: 'one line' },
      body: { truncated: true, textInBlock: 2 },
      diff: { textInBlock: 3 },
      comments: [{ body: { text: 'x\ny' } }],
      closedAt: null,
      base: {},
      odd: { text: 5 },
    });
    assert.deepEqual(texts, ['a\nb', '+"\n']);
  });

  it('is an error when nothing was done, with the reason', () => {
    const [text = ''] = blocksOf(toolAnswer(method, { result: {}, refused: 'a secret in a.ts' }), true);
    assert.match(text, /a secret in a\.ts/);
  });

  it('says of every known error what to do', () => {
    const advice: Record<keyof typeof JSON_RPC_CODE, RegExp> = {
      parseError: /nothing more is known/i,
      invalidRequest: /nothing more is known/i,
      methodNotFound: /nothing more is known/i,
      internalError: /nothing more is known/i,
      invalidParams: /post_comment takes \{"number":\{"type":"integer".*"body":\{"type":"string"/,
      outOfScope: /You may write to #12 and #20 only, and read any/,
      rateLimited: /Call again after that time/,
      forgeError: /will not help/,
      pending: /next turn/,
      alreadyDone: /End your turn/,
      secretFound: /Nothing was posted\. Mend the text and call post_comment again/,
      usedUp: /Nothing was done\. Calling again in this turn will not help/,
      unchecked: /Nothing was posted\. Calling again in a while may help/,
    };
    for (const [name, expected] of Object.entries(advice)) {
      const code = JSON_RPC_CODE[name as keyof typeof JSON_RPC_CODE];
      const data = { writable: [12, 20], retryable: false };
      const text = failed(new JsonRpcError(code, 'what happened', data));
      assert.ok(text.startsWith('what happened. '), text);
      assert.match(text, expected, name);
    }
    const again = new JsonRpcError(JSON_RPC_CODE.forgeError, 'm', { retryable: true });
    assert.match(failed(again), /may help/);
    assert.match(failed(new JsonRpcError(JSON_RPC_CODE.forgeError, 'm')), /will not help/);
  });

  it('names nothing as writable that is no number', () => {
    for (const data of [undefined, {}, { writable: 'x' }, { writable: ['1', -1, null] }])
      assert.match(failed(new JsonRpcError(JSON_RPC_CODE.outOfScope, 'm', data)), /write to nothing/);
  });

  it('says nothing of a fault', () => {
    const text = failed(new Error('inner matter'));
    assert.match(text, /internal error/);
    assert.doesNotMatch(text, /inner matter/);
  });
});
