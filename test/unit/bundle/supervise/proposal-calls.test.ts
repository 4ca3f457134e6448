import assert from 'node:assert/strict';
import type { NewOperation } from '../../../../src/bundle/base/operation-log.js';
import { JSON_RPC_CODE, JsonRpcError } from '../../../../src/bundle/jsonrpc/protocol.js';
import type { Plane } from '../../../../src/bundle/plane/plane.js';
import { PROPOSAL_METHODS } from '../../../../src/bundle/supervise/proposal-tools.js';
import { MAX_JUSTIFICATION_BYTES, MAX_PROPOSED_BYTES } from '../../../../src/domain/supervise/proposal.js';
import { planeFixture, SECRET, type PlaneFixture } from '../../../support/bundle/plane-fixture.js';

const HASH = 'a'.repeat(64);
const PARAMS = { proposed_file: 'example.org\n', justification: 'downloads', current_file_hash: HASH };

describe('calls of the tools for proposals', () => {
  let fixture: PlaneFixture;
  let plane: Plane;
  let log: NewOperation[];

  beforeEach(() => {
    fixture = planeFixture({ callsPerMinute: 10, writesPerMinute: 9 }, null, PROPOSAL_METHODS);
    ({ plane, log } = fixture);
  });

  const codeOf = async (call: Promise<unknown>): Promise<number | undefined> => {
    try {
      await call;
      return undefined;
    } catch (error) {
      return error instanceof JsonRpcError ? error.code : assert.fail(String(error));
    }
  };
  const line = (outcome: NewOperation['outcome'], text: string): NewOperation => ({
    ...{ operation: 'pipelock-block', target: 'allowlist', outcome, text },
  });

  it('answers status, notes and id, and tells the log', async () => {
    assert.deepEqual(await plane.call('pipelock-block', PARAMS), {
      result: { status: 'modified', notes: 'only 443', id: 'p1' },
      refused: undefined,
    });
    assert.deepEqual(fixture.proposed, [['pipelock-block', PARAMS]]);
    assert.deepEqual(log, [line('ok', 'proposed a new allowlist for pipelock: modified')]);
  });

  it('names the file of each tool', async () => {
    await plane.call('cred-proxy-block', PARAMS);
    const text = 'proposed a new routes.json for cred-proxy: modified';
    assert.deepEqual(log, [{ operation: 'cred-proxy-block', target: 'routes.json', outcome: 'ok', text }]);
  });

  it('says why it is no proposal', async () => {
    fixture.decide = () => Promise.resolve({ kind: 'refused', reason: 'line 1: no host' });
    assert.equal((await plane.call('pipelock-block', PARAMS)).refused, 'line 1: no host');
    assert.deepEqual(log, [
      line('refused', 'refused proposing a new allowlist for pipelock: line 1: no host'),
    ]);
  });

  it('takes these parameters and no others', async () => {
    const { justification: _left, ...less } = PARAMS;
    assert.equal(await codeOf(plane.call('pipelock-block', less)), JSON_RPC_CODE.invalidParams);
    const more = { ...PARAMS, more: 1 };
    assert.equal(await codeOf(plane.call('pipelock-block', more)), JSON_RPC_CODE.invalidParams);
    assert.deepEqual(
      log.map(({ outcome }) => outcome),
      ['refused', 'refused'],
    );
    assert.deepEqual(fixture.proposed, []);
  });

  it('takes no empty or oversized text, by bytes of UTF-8, and nothing that is no hash', async () => {
    const wide = (bytes: number): string => 'é'.repeat(bytes / 2);
    const bad: readonly (readonly [file: string, why: string, hash: string])[] = [
      ['', 'x', HASH],
      [' \n', 'x', HASH],
      [`${wide(MAX_PROPOSED_BYTES)}x`, 'x', HASH],
      ['x', ' ', HASH],
      ['x', `${wide(MAX_JUSTIFICATION_BYTES)}x`, HASH],
      ['x', 'x', HASH.slice(1)],
      ['x', 'x', `${HASH}\n`],
    ];
    const call = ([
      proposed_file,
      justification,
      current_file_hash,
    ]: (typeof bad)[number]): Promise<unknown> =>
      plane.call('pipelock-block', { proposed_file, justification, current_file_hash });
    for (const one of bad)
      assert.equal(await codeOf(call(one)), JSON_RPC_CODE.invalidParams, JSON.stringify(one).slice(0, 80));
    assert.equal(fixture.proposed.length, 0);
    await call([wide(MAX_PROPOSED_BYTES), wide(MAX_JUSTIFICATION_BYTES), HASH.toUpperCase()]);
    const [[, taken] = []] = fixture.proposed;
    assert.equal((taken as typeof PARAMS).current_file_hash, HASH);
  });

  it('proposes nothing that a secret of ours was taken out of', async () => {
    const leaking = { ...PARAMS, justification: SECRET };
    assert.equal(await codeOf(plane.call('pipelock-block', leaking)), JSON_RPC_CODE.secretFound);
    assert.deepEqual(fixture.proposed, []);
  });

  it('counts against the limits that the run has for all it calls', async () => {
    for (let call = 1; call <= 8; call += 1) fixture.limiter.admit('write');
    await plane.call('pipelock-block', PARAMS);
    assert.equal(await codeOf(plane.call('pipelock-block', PARAMS)), JSON_RPC_CODE.rateLimited);
    assert.deepEqual([fixture.proposed.length, fixture.limited.count], [1, 1]);
  });

  it('knows no other tools', async () => {
    for (const name of ['read_issue', 'toString'])
      assert.equal(await codeOf(plane.call(name, PARAMS)), JSON_RPC_CODE.methodNotFound);
    assert.deepEqual(log.map(({ text }) => text)[0], 'refused unknown method "read_issue"');
  });

  it('tells a call that the sidecar’s end cut off as passed on, and a fault as failed', async () => {
    fixture.decide = () => Promise.reject(new JsonRpcError(JSON_RPC_CODE.pending, 'the sidecar stops'));
    assert.equal(await codeOf(plane.call('pipelock-block', PARAMS)), JSON_RPC_CODE.pending);
    fixture.decide = () => Promise.reject(new Error('disk full at /run'));
    await assert.rejects(plane.call('pipelock-block', PARAMS), /disk full/);
    assert.deepEqual(log, [
      line('ok', 'proposed a new allowlist for pipelock: pending, since the turn ended first'),
      line('failed', 'failed proposing a new allowlist for pipelock: internal error'),
    ]);
  });
});
