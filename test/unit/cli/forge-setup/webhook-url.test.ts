import assert from 'node:assert/strict';
import { webhookUrl } from '../../../../src/cli/forge-setup/webhook-url.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';

const LOCAL = {
  given: null,
  publicUrl: null,
  forgeApi: 'http://127.0.0.1:3000/api/v1',
  listen: { host: '127.0.0.1', port: 8080 },
};

describe('the address that the forge is told', () => {
  it('follows from WEBHOOK_LISTEN where forge and webhook are on loopback', () => {
    assert.equal(webhookUrl(LOCAL), 'http://127.0.0.1:8080/webhooks/gitea');
    const six = { ...LOCAL, forgeApi: 'http://localhost:3000', listen: { host: '::1', port: 8080 } };
    assert.equal(webhookUrl(six), 'http://[::1]:8080/webhooks/gitea');
  });

  it('must be given otherwise, and the error says how', () => {
    for (const question of [
      { ...LOCAL, forgeApi: 'https://git.example/api/v1' },
      { ...LOCAL, listen: { host: '0.0.0.0', port: 8080 } },
    ]) {
      assert.throws(
        () => webhookUrl(question),
        (error) =>
          error instanceof InvalidInputError &&
          error.message.includes('set WEBHOOK_PUBLIC_URL, or give --url') &&
          error.message.includes(`${question.listen.host}:8080`),
      );
    }
  });

  it('is the given one before the configured one, with the door’s path added once', () => {
    const publicUrl = 'https://bots.example/bottle';
    assert.equal(webhookUrl({ ...LOCAL, publicUrl }), 'https://bots.example/bottle/webhooks/gitea');
    const given = 'https://other.example/webhooks/gitea/';
    assert.equal(webhookUrl({ ...LOCAL, publicUrl, given }), 'https://other.example/webhooks/gitea');
  });

  it('holds no credentials and is HTTP', () => {
    for (const given of [
      'ftp://x.example',
      'https://user:secret-word@x.example',
      'nonsense',
      'https://x.example/?a',
    ]) {
      assert.throws(
        () => webhookUrl({ ...LOCAL, given }),
        (error) => error instanceof InvalidInputError && !error.message.includes('secret-word'),
      );
    }
  });
});
