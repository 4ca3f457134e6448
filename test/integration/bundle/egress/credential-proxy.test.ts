import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routeTo } from '../../../support/egress/egress-here.js';
import { withKeyedRoute } from '../../../support/egress/keyed-route.js';
import { httpsUpstream } from '../../../support/egress/upstreams.js';
import { privateCa } from '../../../support/gitea/tls-front.js';

describe('the credential proxy', () => {
  const { egress, get } = withKeyedRoute();

  it('trusts an authority of the operator, and no server without one', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'egress-ca-'));
    try {
      const ca = await privateCa(dir);
      const { url } = await httpsUpstream(ca, (_request, response) => response.end('over TLS'));
      egress().routes(routeTo(url), routeTo(url.replace('127.0.0.1', 'localhost'), { name: 'named' }));
      await egress().start();
      const { status, text } = await get('/files/x');
      assert.equal(status, 502);
      assert.match(text, /UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED/);
      await egress().stop();
      copyFileSync(ca.caFile, egress().caFile);
      await egress().start();
      assert.equal((await get('/files/x')).text, 'over TLS');
      assert.equal((await get('/named/x')).text, 'over TLS');
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
