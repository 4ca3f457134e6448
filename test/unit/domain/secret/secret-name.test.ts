import assert from 'node:assert/strict';
import { codecSecret, isOwnSecret, isSecretName } from '../../../../src/domain/secret/secret-name.js';

describe('the name of a secret', () => {
  it('is that of a file in its directory, and of none elsewhere', () => {
    for (const name of ['a', '0', 'anthropic-key', 'a'.repeat(63)]) assert.ok(isSecretName(name), name);
    for (const name of ['', '-a', '.', '..', '../a', 'a/b', 'a.b', 'A', 'a b', 'a\n', 'a'.repeat(64)])
      assert.ok(!isSecretName(name), name);
  });

  it('tells the orchestrator’s own, which no route may send', () => {
    for (const name of ['forge-token', 'publish-token', 'webhook-secret', 'notify-secret', codecSecret('k1')])
      assert.ok(isOwnSecret(name), name);
    assert.equal(codecSecret('k1'), 'temporal-codec-k1');
    for (const name of ['anthropic-key', 'forge-token-2', 'my-temporal-codec-k1'])
      assert.ok(!isOwnSecret(name), name);
  });
});
