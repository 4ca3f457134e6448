import assert from 'node:assert/strict';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import { publishThroughGate } from '../../../../src/activities/publish/publish-gate.js';
import { localSubject } from '../../../../src/domain/forge/issue.js';

describe('the publish gate', () => {
  it('refuses a run without an issue before it asks for anything', async () => {
    const ports = new Proxy({} as HostPorts, {
      get: (_, port) => assert.fail(`asks for ${String(port)}`),
    });
    const request = { subject: localSubject('claude-alice-demo-local-abcde') };
    const result = await publishThroughGate(
      ports,
      request as unknown as Parameters<typeof publishThroughGate>[1],
    );
    assert.deepEqual(result, { kind: 'refused', reason: 'a run without an issue publishes nothing' });
  });
});
