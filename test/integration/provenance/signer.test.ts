import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { currentKeyId, homeSigner, rotateKey } from '../../../src/adapters/dsse/signing-keys.js';
import { SigningKeyError } from '../../../src/domain/base/errors.js';
import { SEAL_PREDICATE, STATEMENT_TYPE, type Signer } from '../../../src/domain/provenance/seal.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';

/** The worker has one for as long as it runs. */
describe('the signer of a home', () => {
  const newPath = useNewPaths();
  let home: string;
  let signer: Signer;
  beforeEach(() => {
    home = newPath();
    signer = homeSigner(home);
  });

  const keyOfNext = (): string =>
    signer.sign({ _type: STATEMENT_TYPE, subject: [], predicateType: SEAL_PREDICATE, predicate: {} }).keyId;

  it('makes a key once, and takes the next one as soon as the operator has rotated it', () => {
    const first = keyOfNext();
    assert.deepEqual([keyOfNext(), currentKeyId(home)], [first, first]);
    const second = rotateKey(home);
    assert.notEqual(second, first);
    assert.equal(keyOfNext(), second);
  });

  it('stops as soon as others can read the key, and goes on when they no longer can', () => {
    const first = keyOfNext();
    const file = join(home, 'provenance/signing-key.pem');
    chmodSync(file, 0o640);
    assert.throws(keyOfNext, SigningKeyError);
    chmodSync(file, 0o600);
    assert.equal(keyOfNext(), first);
  });

  it('leaves no half of a key that could not be put in its place', () => {
    mkdirSync(join(home, 'provenance/signing-key.pem'), { recursive: true });
    assert.throws(() => rotateKey(home));
    assert.deepEqual(readdirSync(join(home, 'provenance')).sort(), ['public', 'signing-key.pem']);
  });
});
