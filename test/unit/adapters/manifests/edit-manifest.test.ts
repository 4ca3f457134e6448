import assert from 'node:assert/strict';
import { editedManifest } from '../../../../src/adapters/manifests/edit-manifest.js';
import { parseManifest } from '../../../../src/adapters/manifests/parse-manifest.js';
import { readBottleLayer } from '../../../../src/domain/manifest/manifest-bottle.js';
import type { Route } from '../../../../src/domain/egress/route.js';
import type { EgressChange } from '../../../../src/domain/supervise/config-change.js';
import { lineDiff } from '../../../../src/domain/text/line-diff.js';

const allow = (add: readonly string[], remove: readonly string[] = []): EgressChange => ({
  kind: 'allowlist',
  add,
  remove,
});
const ROUTE: Route = {
  ...{ name: 'tracker', upstream: 'https://tracker.example/api', methods: ['GET', 'HEAD'], paths: ['/v1/'] },
  auth: { header: 'authorization', prefix: 'Bearer ', secret: 'tracker-token' },
  ...{ baseUrlEnv: 'TRACKER_URL', keyEnv: null, rewrite: false, model: null },
};
const MODEL: Route = {
  ...{ name: 'own-model', upstream: 'https://models.example', methods: ['POST'], paths: ['/'] },
  auth: { header: 'x-api-key', prefix: '', secret: 'model-key' },
  ...{ baseUrlEnv: null, keyEnv: 'MODEL_KEY', rewrite: true },
  model: { api: 'openai-chat', models: ['m-*'], maxOutputTokens: 100, allow: ['files'] },
};
const layerOf = (text: string): ReturnType<typeof readBottleLayer> =>
  readBottleLayer(parseManifest('b.md', 'b', text), () => false);
/** The lines that differ. */
const changed = (before: string, change: EgressChange): string[] =>
  lineDiff(before, editedManifest(before, change))
    .split('\n')
    .filter((line) => /^[-+]/.test(line));

const COMMENTED = `---
# The bottle of the wheels.
extends: default
egress:
    # what may be reached
    allow:
        - pypi.org # the index

        # files of it
        - "files.pythonhosted.org"
        - Old.Example:443,8443
resources: { memory: 3g } # much
setup: |
    echo 'a very long line that nobody must fold, because it is a shell script, and longer than eighty characters'
---

Body with --- in it.
---
and more
`;

describe('the text of a manifest with a change', () => {
  it('has a line more, or less, and everything else as it was', () => {
    assert.deepEqual(changed(COMMENTED, allow(['wheels.example', '*.cdn.example:8443'])), [
      '+        - wheels.example',
      '+        - "*.cdn.example:8443"',
    ]);
    assert.deepEqual(changed(COMMENTED, allow([], ['old.example:443,8443'])), [
      '-        - Old.Example:443,8443',
    ]);
  });

  it('stays as it is, to the byte, when it says so already', () => {
    const aligned = COMMENTED.replace(' # the index', '      # the index');
    for (const text of [COMMENTED, aligned, COMMENTED.replaceAll('\n', '\r\n'), `\uFEFF${COMMENTED}`])
      assert.equal(editedManifest(text, allow(['pypi.org'], ['not.there'])), text);
  });

  it('keeps the style of its writer', () => {
    for (const [before, added] of [
      ['---\negress:\n  allow:\n  - a.example\n---\n', '+  - b.example'],
      ['---\negress: { allow: [ a.example ] }\n---\n', '+egress: { allow: [ a.example, b.example ] }'],
      ['---\negress: {allow: [a.example]}\n---\n', '+egress: {allow: [a.example, b.example]}'],
    ] as const)
      assert.deepEqual(changed(before, allow(['b.example'])).slice(-1), [added], before);
    const windows = editedManifest(COMMENTED.replaceAll('\n', '\r\n'), allow(['b.example']));
    assert.equal(windows.replaceAll('\r\n', '').includes('\n'), false);
  });

  it('gets a list where it had none, or one text', () => {
    for (const before of [
      '---\n---\n',
      '---\nextends: default\n---\nBody.\n',
      '---\negress: {}\n---\n',
      '---\negress:\n  allow: a.example\n---\n',
      '---\n# nothing yet\n---\n',
    ]) {
      const after = editedManifest(before, allow(['b.example']));
      assert.ok(layerOf(after).allow.includes('b.example'), after);
      assert.equal(layerOf(after).allow.length, before.includes('a.example') ? 2 : 1);
      assert.equal(layerOf(after).extends.length, before.includes('extends') ? 1 : 0);
      for (const comment of before.match(/# .*/g) ?? []) assert.ok(after.includes(comment), after);
    }
  });

  it('has routes as they were agreed to, and as the reader reads them', () => {
    const first = editedManifest(COMMENTED, { kind: 'routes', set: [ROUTE, MODEL], remove: [] });
    assert.deepEqual(layerOf(first).routes, [ROUTE, MODEL]);
    const added = lineDiff(COMMENTED, first);
    assert.match(added, /\+routes:\n\+ +- name: tracker\n\+ +upstream: https:\/\/tracker\.example\/api\n/);
    assert.doesNotMatch(added, /^-|\+ +methods|rewrite: false|Bearer/m);
    const wider = { ...ROUTE, methods: ['GET', 'POST'], baseUrlEnv: null, auth: null };
    const second = editedManifest(first, { kind: 'routes', set: [wider], remove: ['own-model'] });
    assert.deepEqual(layerOf(second).routes, [wider]);
    const none = editedManifest(second, { kind: 'routes', set: [], remove: ['tracker'] });
    assert.deepEqual(layerOf(none).routes, []);
  });

  it('keeps the comments of a route that is changed', () => {
    const before = `---
routes:
  # where tickets are
  - name: tracker
    upstream: https://tracker.example/api # ours
    paths: [/v1/] # nothing else
    auth: # its key
      secret: tracker-token
    base_url_env: TRACKER_URL
---
`;
    const change = { kind: 'routes', set: [{ ...ROUTE, paths: ['/v1/', '/v2/'] }], remove: [] } as const;
    const lines = changed(before, change);
    assert.equal(lines[0], '-    paths: [/v1/] # nothing else');
    const after = editedManifest(before, change);
    for (const comment of ['# where tickets are', '# ours', '# its key']) assert.ok(after.includes(comment));
    assert.deepEqual(layerOf(after).routes, change.set);
  });
});
