import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { readBoundSecret, standingOf, writeBoundSecret } from '../../../src/config/secret-binding.js';
import { InvalidInputError, UnusableSecretError } from '../../../src/domain/base/errors.js';
import { useDirectories } from '../../support/webhook/temp-dir.js';

const VALUE = 'key-0123456789';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a secret that is bound to upstreams', () => {
  let home: string;
  useDirectories((directory) => {
    home = directory;
  });
  const at = (name: string): string => path.join(home, 'secrets', name);
  const set = (name: string, ...hosts: string[]): string => writeBoundSecret(home, name, bytes(VALUE), hosts);
  const read = (name: string, authorities: readonly string[], ownFiles: readonly string[] = []): string =>
    readBoundSecret({ home, name, authorities, ownFiles });

  it('is read for these upstreams, and for no other', () => {
    set('model-key', 'api.example.com', 'registry.lan:8443', 'api.example.com:443', '[fd00::1]:81');
    assert.equal(
      readFileSync(at('model-key.hosts'), 'utf8'),
      '[fd00::1]:81\napi.example.com:443\nregistry.lan:8443\n',
    );
    assert.equal(statSync(at('model-key.hosts')).mode & 0o777, 0o600);
    assert.equal(read('model-key', ['api.example.com:443', '[fd00::1]:81']), VALUE);
    assert.throws(
      () => read('model-key', ['api.example.com:443', 'evil.example:443']),
      (error: Error) => {
        assert.ok(error instanceof UnusableSecretError);
        assert.match(error.message, /would send the secret model-key to evil\.example:443/);
        assert.match(error.message, /bot-bottle secret set model-key .*--host evil\.example:443 < file/);
        assert.ok(!error.message.includes(VALUE));
        return true;
      },
    );
    // Another port is another upstream.
    assert.throws(() => read('model-key', ['api.example.com:8443']), UnusableSecretError);
  });

  it('is known to be there, missing or unusable, without a look into it', () => {
    const standing = (...authorities: string[]): string => {
      const found = standingOf({ home, name: 'model-key', authorities, ownFiles: [at('own')] });
      return found.kind === 'unusable' ? found.reason : found.kind;
    };
    assert.equal(standing('api.example.com:443'), 'missing');
    const file = set('model-key', 'api.example.com');
    assert.equal(standing('api.example.com:443'), 'ready');
    assert.match(standing('api.example.com:444'), /not bound .* --host api\.example\.com:444 < file$/);
    chmodSync(file, 0o640);
    assert.match(standing('api.example.com:443'), /can be read by others: chmod 600/);
    chmodSync(file, 0o600);
    writeFileSync(file, 'short');
    assert.match(standing('api.example.com:443'), /is shorter than 8 characters$/);
    rmSync(file);
    mkdirSync(file);
    assert.match(standing('api.example.com:443'), /is not a regular file$/);
  });

  it('that was never bound goes nowhere', () => {
    set('model-key');
    assert.equal(existsSync(at('model-key.hosts')), false);
    assert.throws(() => read('model-key', ['api.example.com:443']), /bound to: nothing/);
  });

  it('that was never bound goes to the vendor whose it is by its name, by the route made for it, and no other', () => {
    const vendors = ['api.example.com:443'];
    const vendorsOwn = (...authorities: readonly string[]): string =>
      readBoundSecret({ home, name: 'vendor-key', authorities, vendors, ownFiles: [] });
    assert.throws(() => vendorsOwn(), /is missing: bot-bottle secret set vendor-key < file$/);
    set('vendor-key');
    assert.equal(vendorsOwn(), VALUE);
    assert.throws(() => vendorsOwn('evil.example:443'), /to evil\.example:443, to which/);
    assert.throws(() => vendorsOwn(...vendors), /to api\.example\.com:443, to which it is not bound/);
    // The operator's own binding counts alone.
    set('vendor-key', 'gateway.example');
    assert.throws(() => vendorsOwn(), /to api\.example\.com:443, .*bound to: gateway\.example:443/);
    set('vendor-key', 'api.example.com');
    assert.equal(vendorsOwn(...vendors), VALUE);
  });

  it('that is missing is told with the command that sets it', () => {
    assert.throws(
      () => read('model-key', ['api.example.com:443']),
      /needs the secret model-key, which is missing: bot-bottle secret set model-key --host api\.example\.com:443 < file/,
    );
  });

  it('keeps its binding when only the secret is replaced, and gets a new one with it', () => {
    set('model-key', 'a.example');
    writeBoundSecret(home, 'model-key', bytes('another-one-0123'), []);
    assert.equal(read('model-key', ['a.example:443']), 'another-one-0123');
    set('model-key', 'b.example');
    assert.throws(() => read('model-key', ['a.example:443']), UnusableSecretError);
    assert.equal(read('model-key', ['b.example:443']), VALUE);
  });

  it('keeps it, too, when the new secret is refused', () => {
    set('vendor-key', 'gateway.example');
    for (const refused of ['', 'short'])
      assert.throws(
        () => writeBoundSecret(home, 'vendor-key', bytes(refused), ['other.example']),
        /nothing was changed/,
      );
    assert.equal(readFileSync(at('vendor-key.hosts'), 'utf8'), 'gateway.example:443\n');
    assert.equal(read('vendor-key', ['gateway.example:443']), VALUE);
  });

  it('goes nowhere, not even to its vendor, when writing it ended in the middle', () => {
    set('vendor-key', 'gateway.example');
    rmSync(at('vendor-key'));
    mkdirSync(at('vendor-key'));
    assert.throws(() => set('vendor-key', 'other.example'), /EISDIR|ENOTEMPTY|EEXIST/);
    rmSync(at('vendor-key'), { recursive: true });
    set('vendor-key');
    const vendors = ['api.example.com:443'];
    for (const authority of [...vendors, 'gateway.example:443', 'other.example:443'])
      assert.throws(
        () => readBoundSecret({ home, name: 'vendor-key', authorities: [authority], vendors, ownFiles: [] }),
        /bound to: nothing/,
      );
  });

  it("is never one of the orchestrator's own, under whatever name or link", () => {
    for (const name of [
      'forge-token',
      'publish-token',
      'webhook-secret',
      'notify-secret',
      'temporal-codec-a',
    ]) {
      assert.throws(() => set(name, 'a.example'), /orchestrator's own/);
      set(name);
      assert.throws(() => read(name, ['a.example:443']), /orchestrator's own/);
    }
    set('other', 'a.example');
    assert.throws(() => read('other', ['a.example:443'], [at('other')]), /orchestrator's own/);
    set('linked', 'a.example');
    rmSync(at('linked'));
    linkSync(at('forge-token'), at('linked'));
    assert.throws(() => read('linked', ['a.example:443'], [at('forge-token')]), /orchestrator's own/);
  });

  for (const host of [
    '',
    'A.example',
    'a.example:',
    'a.example:0x1',
    'https://a.example',
    'a.example/x',
    'u@a.example',
    '*.example',
    'a b',
    'a.example:99999',
    'a.example:1:2',
    'a.example?x',
    '127.1',
  ])
    it(`is not bound to ${JSON.stringify(host)}`, () => {
      assert.throws(() => set('model-key', host), InvalidInputError);
      assert.equal(existsSync(at('model-key')), false);
    });

  it('is refused when others may change what it is bound to', () => {
    set('model-key', 'a.example');
    chmodSync(at('model-key.hosts'), 0o666);
    assert.throws(() => read('model-key', ['a.example:443']), /chmod 600/);
  });
});
