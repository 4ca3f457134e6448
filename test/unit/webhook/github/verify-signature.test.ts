import assert from 'node:assert/strict';
import { sign } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { InvalidInputError } from '../../../../src/domain/errors.js';
import { verifyGithubSignature } from '../../../../src/webhook/github/verify-signature.js';

const SECRET = "It's a Secret to Everybody";
const BODY = Buffer.from('Hello, World!');
/** From GitHub's "Validating webhook deliveries", with the secret and body above. */
const SIGNATURE = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

const verify = (
  signature: string | string[] | undefined,
  secret = SECRET,
  body: Uint8Array = BODY,
): boolean =>
  verifyGithubSignature(secret, body, {
    'x-hub-signature-256': typeof signature === 'string' ? [signature] : signature,
  }).ok;

describe('the signature of a delivery from GitHub', () => {
  it("is right for GitHub's own example", () => {
    assert.ok(verify(SIGNATURE));
  });

  it('is right for what Octokit signs, and for no other body or secret', async () => {
    const text = fc.string({ minLength: 1 });
    await fc.assert(
      fc.asyncProperty(text, text, text, async (secret, body, other) => {
        const signature = await sign(secret, body);
        const ok = (key: string, of: string): boolean => verify(signature, key, Buffer.from(of));
        assert.ok(ok(secret, body));
        assert.equal(ok(secret, other), other === body);
        // HMAC pads a key with zero bytes.
        if (other.replace(/\0+$/, '') !== secret.replace(/\0+$/, '')) assert.ok(!ok(other, body));
      }),
    );
  });

  it('is refused when it is missing, misshapen, cut, given twice, or only in another header', () => {
    for (const wrong of [
      undefined,
      '',
      SIGNATURE.slice('sha256='.length),
      SIGNATURE.replace('sha256', 'sha1'),
      SIGNATURE.slice(0, -1),
      `${SIGNATURE}0`,
      SIGNATURE.replace(/7$/, '8'),
      [SIGNATURE, SIGNATURE],
    ])
      assert.equal(verify(wrong), false, String(wrong));
    const bare = SIGNATURE.slice('sha256='.length);
    const headers = {
      'x-gitea-signature': [bare],
      'x-hub-signature': ['sha1=7d38cdd689735b008b3c702edd92eea23791c5f6'],
    };
    assert.equal(verifyGithubSignature(SECRET, BODY, headers).ok, false);
  });

  it('is never right without a secret', () => {
    assert.throws(() => verify(SIGNATURE, ''), InvalidInputError);
  });
});
