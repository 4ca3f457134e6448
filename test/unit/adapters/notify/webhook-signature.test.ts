import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { isSigningSecret, signedHeaders } from '../../../../src/adapters/notify/webhook-hook.js';

describe('the signature of an outgoing webhook', () => {
  it('is that of the test vector of Standard Webhooks', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
    assert.deepEqual(signedHeaders(message, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 1_614_265_330), {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('takes another secret as it is, and covers the bytes of the body', () => {
    const headers = signedHeaders({ id: 'a', body: '{"ä":1}' }, 'correct horse', 5);
    const wanted = createHmac('sha256', 'correct horse').update('a.5.{"ä":1}', 'utf8').digest('base64');
    assert.equal(headers['webhook-signature'], `v1,${wanted}`);
  });

  it('is made with no key that is a typing error', () => {
    for (const secret of ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'any other'])
      assert.equal(isSigningSecret(secret), true, secret);
    for (const secret of ['whsec_', 'whsec_c2hvcnQ=', `whsec_${'*'.repeat(40)}`])
      assert.equal(isSigningSecret(secret), false, secret);
  });
});
