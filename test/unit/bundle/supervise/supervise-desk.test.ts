import assert from 'node:assert/strict';
import { JSON_RPC_CODE, JsonRpcError } from '../../../../src/bundle/jsonrpc/protocol.js';
import { SuperviseDesk } from '../../../../src/bundle/supervise/supervise-desk.js';
import type { QueueAnswer, QueueContent } from '../../../../src/domain/run/queue.js';
import type { ProposedFile } from '../../../../src/domain/supervise/proposal.js';

const HASH = 'a'.repeat(64);
const REJECTED: QueueAnswer['result'] = { kind: 'decision', id: 'p1', status: 'rejected', notes: 'no' };

const proposed = (proposed_file: string, justification = 'for the build', hash = HASH): ProposedFile => ({
  ...{ proposed_file, justification, current_file_hash: hash },
});

const withCode =
  (code: number, text: RegExp) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof JsonRpcError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, text);
    return true;
  };

describe('the desk for proposals', () => {
  let sent: QueueContent[];
  let waiting: ((result: QueueAnswer['result']) => void)[];
  let fault: Error | undefined;
  let desk: SuperviseDesk;

  beforeEach(() => {
    sent = [];
    waiting = [];
    fault = undefined;
    desk = new SuperviseDesk((content, signal) => {
      if (fault !== undefined) return Promise.reject(fault);
      sent.push(content);
      return new Promise((resolve, reject) => {
        waiting.push(resolve);
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    });
  });

  /** Held until it is answered. */
  const hold = (file: string): ReturnType<SuperviseDesk['propose']> => {
    const held = desk.propose('pipelock-block', proposed(file));
    held.catch(() => undefined);
    return held;
  };
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  async function answer(index: number, result: QueueAnswer['result']): Promise<void> {
    await settled();
    waiting[index]?.(result);
  }

  it('makes one message of a call, and answers what is said to it', async () => {
    const held = desk.propose('cred-proxy-block', proposed('{"routes":[]}\n', 'to publish'));
    await answer(0, REJECTED);
    assert.deepEqual(await held, REJECTED);
    assert.deepEqual(sent, [
      {
        ...{ kind: 'proposal', tool: 'cred-proxy-block' },
        ...{ file: '{"routes":[]}\n', justification: 'to publish', currentHash: HASH },
      },
    ]);
  });

  it('passes on that it is no proposal, and fails for an answer to something else', async () => {
    const first = hold('a');
    await answer(0, { kind: 'refused', reason: 'line 1: no host' });
    assert.deepEqual(await first, { kind: 'refused', reason: 'line 1: no host' });
    const second = hold('a');
    await answer(1, { kind: 'clean' });
    await assert.rejects(second, /answered with "clean"/);
  });

  it('holds calls side by side, and answers each when its answer is there', async () => {
    const [first, second] = [hold('a'), hold('b')];
    await answer(1, REJECTED);
    assert.deepEqual(await second, REJECTED);
    await answer(0, { kind: 'decision', id: 'p0', status: 'approved', notes: '' });
    assert.deepEqual(await first, { kind: 'decision', id: 'p0', status: 'approved', notes: '' });
  });

  it('has the same proposal wait with the one that is held, and asks again after its answer', async () => {
    const held = [hold('a'), hold('a')];
    await answer(0, REJECTED);
    assert.deepEqual(await Promise.all(held), [REJECTED, REJECTED]);
    assert.equal(sent.length, 1);
    void hold('a');
    await settled();
    assert.equal(sent.length, 2);
  });

  it('takes another file, tool, reason or hash for another proposal', async () => {
    void hold('a');
    for (const [tool, file, why, hash] of [
      ['pipelock-block', 'b', 'for the build', HASH],
      ['cred-proxy-block', 'a', 'for the build', HASH],
      ['pipelock-block', 'a', 'for the tests', HASH],
      ['pipelock-block', 'a', 'for the build', 'b'.repeat(64)],
    ] as const)
      desk.propose(tool, proposed(file, why, hash)).catch(() => undefined);
    await settled();
    assert.equal(sent.length, 5);
  });

  it('holds five, and of these any number of times', async () => {
    for (const file of ['1', '2', '3', '4', '5']) void hold(file);
    await assert.rejects(hold('6'), withCode(JSON_RPC_CODE.rateLimited, /5 proposals wait already/));
    await assert.rejects(hold('6'), { data: { retryAfterMs: 10_000 } });
    const again = hold('5');
    await answer(4, REJECTED);
    assert.deepEqual(await again, REJECTED);
    void hold('6');
    await settled();
    assert.equal(sent.length, 6);
  });

  it('ends what is held when the sidecar stops, as passed on, and passes on nothing more', async () => {
    const held = [hold('a'), hold('b')];
    await settled();
    desk.stop();
    for (const each of held)
      await assert.rejects(each, withCode(JSON_RPC_CODE.pending, /was passed on.*next turn/));
    await assert.rejects(hold('c'), withCode(JSON_RPC_CODE.internalError, /nothing was passed on/));
    assert.equal(sent.length, 2);
  });

  it('may be asked again when the message could not be written', async () => {
    fault = new Error('disk full');
    await assert.rejects(hold('a'), /disk full/);
    fault = undefined;
    const again = hold('a');
    await answer(0, REJECTED);
    assert.deepEqual(await again, REJECTED);
  });
});
