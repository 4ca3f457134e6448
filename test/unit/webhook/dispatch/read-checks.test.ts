import assert from 'node:assert/strict';
import { ForgeHttpError } from '../../../../src/domain/base/errors.js';
import type { CheckStatus } from '../../../../src/domain/forge/issue.js';
import type { Hint } from '../../../../src/webhook/events/hint.js';
import type { FakeForge } from '../../../support/webhook/fake-forge.js';
import { aPullHint } from '../../../support/webhook/hints.js';
import { ReferenceReader } from '../../../support/webhook/reference-reader.js';

const HEAD = 'c0ffee';

describe('what is told of checks', () => {
  let reader: ReferenceReader;
  let forge: FakeForge;

  const told = (sha = HEAD): Hint => aPullHint({ cause: { kind: 'checks', sha }, sender: null });
  const red = (context: string): CheckStatus => ({ context, state: 'failure', description: '', url: '' });

  beforeEach(() => {
    reader = new ReferenceReader();
    ({ forge } = reader);
    forge.statuses.set(HEAD, [red('build')]);
  });

  it('is a reference to the head on which something fails, without a word of it', async () => {
    const [{ key, ...rest } = assert.fail()] = await reader.referencesOf(told());
    assert.match(key, /^checks:c0ffee:[0-9a-f]{32}$/);
    assert.deepEqual(rest, { kind: 'checks', number: 31, id: 0, sha: HEAD, author: '', at: 5000 });
  });

  it('is not asked about where checks wake nobody', async () => {
    assert.equal(await reader.kindOf(told(), { checks: false }), 'not_allowed');
    assert.deepEqual(forge.calls, []);
  });

  const others: [what: string, arrange: (forge: FakeForge) => unknown, kind: string][] = [
    ['a closed pull request', (it) => it.putPull(31, { state: 'closed' }), 'gone'],
    [
      'a head that is not the newest any more',
      (it) => it.putPull(31, { head: { ref: 'feature', sha: 'newer', fromFork: false } }),
      'gone',
    ],
    ['a pull request that is not there', (it) => it.pulls.clear(), 'gone'],
    ['a head on which nothing fails', (it) => it.statuses.clear(), 'not_failing'],
    ['what fails on the base, too', (it) => it.statuses.set('ba5e', [red('build')]), 'not_failing'],
  ];
  for (const [what, arrange, kind] of others) {
    it(`of ${what} comes to ${kind}`, async () => {
      arrange(forge);
      assert.equal(await reader.kindOf(told()), kind);
    });
  }

  it('is read once for all that is told of one commit', async () => {
    const verdicts = await reader.read([told(), told(), told('older'), told()]);
    assert.deepEqual(
      verdicts.map(({ kind }) => kind),
      ['references', 'references', 'gone', 'references'],
    );
    assert.equal(forge.calls.filter((call) => call === 'pull 31').length, 2);
  });

  it('is kept for later when the forge does not answer', async () => {
    forge.fault = () => {
      throw new ForgeHttpError(503, 'GET', '/', 'away');
    };
    await assert.rejects(reader.read([told()]), ForgeHttpError);
  });
});
