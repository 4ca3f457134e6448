import assert from 'node:assert/strict';
import { checkChange } from '../../../../src/activities/supervise/check-change.js';
import { LocalBlobStore } from '../../../../src/adapters/files/blob-store.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import type { SecretNeed } from '../../../../src/domain/secret/secret-need.js';
import type { ShownProposal } from '../../../../src/domain/supervise/shown-proposal.js';
import { shownProposal, SLUG } from '../../../support/supervise/shown.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

describe('a change that an operator agreed to for a run that rests', () => {
  const newPath = useNewPaths();

  /** What is wrong with the last of them; `null`: nothing. */
  async function problemOf(...agreed: readonly ShownProposal[]): Promise<string | null> {
    const blobs = new LocalBlobStore(newPath());
    const changes = await Promise.all(agreed.map((shown) => blobs.put(JSON.stringify(shown))));
    const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;
    const run = { workflowId: 'gitea:alice/demo#12', repoId: 1, subject, slug: SLUG, turn: 2 };
    const secret = ({ name }: SecretNeed) =>
      name === 'set-key' ? ({ kind: 'ready' } as const) : ({ kind: 'missing' } as const);
    const isPublicSuffix = (host: string): boolean => host === 'co.uk';
    try {
      await checkChange({ blobs, secret, isPublicSuffix }, { ...run, changes });
      return null;
    } catch (error) {
      assert.ok(error instanceof InvalidInputError);
      return error.message;
    }
  }

  const routes = (name: string, more: object = {}): ShownProposal => {
    const route = { name, upstream: `https://${name}.example`, methods: ['GET'], paths: ['/'], ...more };
    return shownProposal({
      tool: 'cred-proxy-block',
      proposed_file: JSON.stringify({ routes: [route] }),
    });
  };

  it('is refused where it goes not with what was agreed to before: no turn could begin with both', async () => {
    const variable = { baseUrlEnv: 'SHARED_URL' };
    const [a, b, c] = [routes('a', variable), routes('b', variable), routes('c')];
    assert.equal(await problemOf(a), null);
    assert.match((await problemOf(a, b)) ?? '', /^the changed routes cannot be used: .*SHARED_URL/);
    assert.equal(await problemOf(a, c), null);
    const gone = { ...a, change: { kind: 'routes', set: [], remove: ['a'] } } as const;
    assert.equal(await problemOf(a, gone, b), null, 'in the order in which they take effect');
  });

  it('is refused where its secret is missing or not bound, with what to do', async () => {
    const auth = (secret: string): object => ({ auth: { header: 'x-api-key', secret } });
    assert.match(
      (await problemOf(routes('a', auth('no-key')))) ?? '',
      /"no-key" is not set: bot-bottle secret set no-key --host a\.example:443 < file$/,
    );
    assert.equal(await problemOf(routes('b', auth('set-key'))), null);
    assert.equal(await problemOf(routes('a', auth('no-key')), routes('b')), null, 'which is another one’s');
  });

  it('is refused where it is the operator’s own file, and takes a route of ours or opens a public suffix', async () => {
    const own = { ...routes('anthropic'), ownRoutes: ['anthropic'] };
    assert.match((await problemOf(own)) ?? '', /route "anthropic" belongs to every bottle of this kind/);
    const wide = shownProposal({ proposed_file: 'pypi.org\n*.co.uk\n' });
    assert.match((await problemOf(wide)) ?? '', /anybody may have a host below \*\.co\.uk/);
    assert.equal(await problemOf(wide, shownProposal()), null, 'which was agreed to before');
  });
});
