import assert from 'node:assert/strict';
import { agentProvider, providerNames } from '../../../../src/adapters/agents/registry.js';
import { isUuid, uuidV5 } from '../../../../src/adapters/agents/uuid-v5.js';

const scripted = agentProvider('scripted');
const command = ['/usr/local/bin/node', '/opt/bottle/scripted-agent.mjs', '--output-format', 'stream-json'];

describe('the registry of providers', () => {
  it('says which there are when asked for another', () => {
    assert.deepEqual(providerNames(), ['claude', 'codex', 'opencode', 'pi', 'scripted']);
    assert.throws(
      () => agentProvider('cursor'),
      /provider cursor is not built into this version; available: claude, codex, opencode, pi, scripted/,
    );
    assert.throws(() => agentProvider('__proto__'), /not built into/);
  });
});

describe('the scripted provider', () => {
  const id = scripted.newSessionId('run-1/1') ?? '';

  it('chooses the same session for the same seed and another for another', () => {
    assert.ok(isUuid(id));
    assert.equal(scripted.newSessionId('run-1/1'), id);
    assert.notEqual(scripted.newSessionId('run-1/2'), id);
  });

  it('starts a session on the first turn and resumes it on later ones', () => {
    assert.deepEqual(
      scripted.launch({ sessionId: id, resume: false, model: null, variant: null, modelUrl: null }).argv,
      [...command, '--session-id', id],
    );
    assert.deepEqual(
      scripted.launch({ sessionId: id, resume: true, model: null, variant: null, modelUrl: null }).argv,
      [...command, '--resume', id],
    );
  });

  it('puts nothing but a session id on the command line', () => {
    for (const bad of [null, '', '--help', `${id} x`, `${id}\n`]) {
      assert.throws(
        () => scripted.launch({ sessionId: bad, resume: true, model: null, variant: null, modelUrl: null }),
        /not a session/,
      );
    }
    const first = { sessionId: id, resume: false } as const;
    assert.throws(
      () => scripted.launch({ ...first, model: 'x', variant: null, modelUrl: null }),
      /has no models/,
    );
    assert.throws(
      () => scripted.launch({ ...first, model: null, variant: 'high', modelUrl: null }),
      /has no variants/,
    );
  });

  it('reads the session id from its events only', () => {
    const reader = scripted.reader();
    const event = JSON.stringify({ type: 'system', session_id: id });
    assert.deepEqual(reader.read('stdout', event)[0], { kind: 'session', id });
    assert.deepEqual(reader.read('stderr', event), []);
    for (const line of [
      '',
      id,
      '{"session_id"',
      '["session_id"]',
      'null "session_id"',
      '{"session_id":7}',
      '{"session_id":"../x"}',
    ]) {
      const said = reader.read('stdout', line).map(({ kind }) => kind);
      assert.ok(!said.includes('session'), line);
    }
  });

  it('tells how a turn went from its output and exit code', () => {
    const result = JSON.stringify({ type: 'result', is_error: false });
    const begun = JSON.stringify({ type: 'system', session_id: id });
    const cases: [string, readonly string[], number, boolean][] = [
      ['finished', [begun, result], 0, false],
      ['crashed', [begun, result], 1, false],
      ['failed', [begun, JSON.stringify({ type: 'result', is_error: true, result: 'no' })], 0, false],
      ['cut', [begun], 0, false],
      ['crashed', [begun], 137, false],
      ['stopped', [begun], 137, true],
      ['empty', [], 0, false],
      ['not_understood', ['Segmentation fault'], 0, false],
      ['unknown_session', [`No conversation found with session ID: ${id}`], 1, false],
    ];
    for (const [outcome, lines, exitCode, stopped] of cases) {
      const reader = scripted.reader();
      for (const line of lines) reader.read('stdout', line);
      assert.equal(reader.summary(exitCode, stopped).outcome, outcome, lines.join());
    }
  });
});

describe('a name-based UUID', () => {
  it('is the one of RFC 9562, appendix A.4', () => {
    assert.equal(
      uuidV5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com'),
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    );
  });
});
