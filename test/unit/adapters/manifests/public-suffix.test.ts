import assert from 'node:assert/strict';
import { isPublicSuffix } from '../../../../src/adapters/manifests/public-suffix.js';

describe('names below which hosts belong to different owners', () => {
  for (const host of ['com', 'co.uk', 'github.io', 's3.amazonaws.com', 'foo.ck', 'anything.kawasaki.jp'])
    it(`${host} is a public suffix`, () => {
      assert.equal(isPublicSuffix(host), true);
    });

  for (const host of ['uk', 'amazonaws.com', 'windows.net', 'kawasaki.jp', 'eu-west-1.amazonaws.com'])
    it(`${host} stands above public suffixes, or is one`, () => {
      assert.equal(isPublicSuffix(host), true);
    });

  for (const host of ['example.com', 'example.co.uk', 'me.github.io', 'github.com', 'www.ck', 'a.b.example'])
    it(`${host} is somebody’s own`, () => {
      assert.equal(isPublicSuffix(host), false);
    });
});
