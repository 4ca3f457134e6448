import assert from 'node:assert/strict';
import { statusError } from '../../../../src/adapters/gitea/http-error.js';

describe('the error for a status Gitea answers', () => {
  it('says which scope is missing', () => {
    const body = JSON.stringify({
      message:
        'token does not have at least one of required scope(s), required=[write:issue], token scope=read:issue,read:user',
    });
    assert.match(
      statusError('POST', '/x', 403, body, 't').message,
      /lacks the scope write:issue.*has read:issue,read:user/,
    );
  });

  it('says what to do about a refused token', () => {
    assert.match(
      statusError('GET', '/user', 401, '', 't').message,
      /FORGE_TOKEN_FILE, or FORGE_PUBLISH_TOKEN_FILE/,
    );
  });

  it('says that an address without /user is no forge’s', () => {
    assert.match(statusError('GET', '/user', 404, '', 't').message, /is FORGE_GITEA_API right\?/);
    assert.match(statusError('GET', '/repos/a/b', 404, '', 't').message, /hidden from the bot/);
  });
});
