import assert from 'node:assert/strict';
import { statusError } from '../../../../src/adapters/github/http-error.js';

const request = { method: 'POST', path: '/x' };

describe('the error for a status GitHub answers', () => {
  it('says what a 422 says of each field', () => {
    const body = JSON.stringify({
      message: 'Validation Failed',
      errors: [{ resource: 'PullRequest', field: 'head', code: 'invalid' }, { message: 'exists' }, 'text', 3],
    });
    const { message } = statusError(request, { status: 422, body }, 's3cret');
    assert.match(message, /^POST \/x: 422, .*\(forge: Validation Failed; head: invalid; exists; text\)$/);
  });

  it('says what to do about a refused token, and never repeats it', () => {
    const { message } = statusError(request, { status: 401, body: '{"message":"bad s3cret"}' }, 's3cret');
    assert.match(message, /FORGE_TOKEN_FILE.*bad \[token\]/);
  });

  it('calls what moved or was deleted not there', () => {
    for (const status of [301, 404, 410]) {
      const error = statusError(request, { status, body: '' }, 't');
      assert.deepEqual([error.status, error.code, error.retryable], [404, 'forge_not_found', false]);
      assert.match(error.message, new RegExp(`${String(status)}, not there`));
    }
  });

  it('is one that may be repeated for every kind of rate limit', () => {
    const error = statusError(request, { status: 403, body: '' }, 't', { limited: true });
    assert.deepEqual([error.status, error.retryable], [429, true]);
  });
});
