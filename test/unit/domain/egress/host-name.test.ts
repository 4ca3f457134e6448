import assert from 'node:assert/strict';
import fc from 'fast-check';
import { whyNoHost } from '../../../../src/domain/egress/host-name.js';

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

describe('a host name that a bottle may reach', () => {
  for (const host of [
    'example.org',
    'a.b',
    'api.example.co.uk',
    'xn--bcher-kva.example',
    '3com.example',
    `${'a'.repeat(63)}.org`,
    '1.2.3.4.in-addr.arpa',
    'example.x0',
    'example.0y',
    `${'a.'.repeat(125)}org`,
  ])
    it(`is ${host.slice(0, 40)}`, () => {
      assert.equal(whyNoHost(host), undefined);
    });

  const wrong: readonly (readonly [string, RegExp])[] = [
    ['', /empty/],
    ['localhost', /two parts/],
    ['example.org.', /end with a dot/],
    ['.example.org', /empty part/],
    ['a..b', /empty part/],
    ['Example.org', /lower case/],
    ['bücher.example', /xn--/],
    ['exаmple.org', /xn--/],
    ['ex\u202eample.org', /xn--/],
    ['1.2.3.4', /address/],
    ['127.1', /address/],
    ['example.0x7f', /address/],
    ['example.0x', /address/],
    ['2130706433', /address/],
    ['[::1]', /address/],
    ['::1', /address/],
    ['a_b.example', /letters, digits and hyphens/],
    ['-a.example', /hyphen/],
    ['a-.example', /hyphen/],
    ['a:80', /address/],
    ['a~b.example', /letters/],
    ['a\u007fb.example', /xn--/],
    ['a b.example', /letters/],
    ['a b', /letters/],
    ['-', /letters/],
    [`${'a.'.repeat(125)}orgs`, /253/],
    ['a/b.example', /letters/],
    ['user@example.org', /letters/],
    ['a%2eb.example', /letters/],
    [`${'a'.repeat(64)}.org`, /63/],
    [`${'a.'.repeat(127)}org`, /253/],
  ];
  for (const [host, why] of wrong)
    it(`is not ${JSON.stringify(host.slice(0, 40))}`, () => {
      assert.match(whyNoHost(host) ?? 'taken', why);
    });

  it('is nothing but labels of letters, digits and hyphens, whatever is asked', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.domain(), fc.ipV4(), fc.webAuthority()), (text) => {
        if (whyNoHost(text) !== undefined) return;
        const labels = text.split('.');
        assert.ok(labels.length > 1 && text.length <= 253);
        for (const label of labels) assert.match(label, LABEL);
        // Nobody on the way reads it as another host.
        assert.equal(new URL(`https://${text}/`).hostname, text);
      }),
      { numRuns: 2000 },
    );
  });
});
