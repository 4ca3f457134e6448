import assert from 'node:assert/strict';
import { sha256 } from '../../../../src/activities/base/sha256.js';
import { NO_TOTALS, OTHER_HOSTS } from '../../../../src/domain/egress/totals.js';
import { hostsToOffer, notAskedFor, offerId, type Offered } from '../../../../src/domain/supervise/offer.js';
import type { Route } from '../../../../src/domain/egress/route.js';
import { shownProposal } from '../../../support/supervise/shown.js';

const known = (changes: Partial<Offered> = {}): Offered => ({
  allow: [],
  routes: [],
  isPublicSuffix: (host) => host === 'co.uk',
  ...changes,
});
const offered = (counts: Readonly<Record<string, number>>, changes: Partial<Offered> = {}): string[] =>
  hostsToOffer(
    Object.entries(counts).map(([host, count]) => ({ host, count })),
    known(changes),
  ).map(({ host }) => host);

describe('the hosts that are offered to the operator', () => {
  it('are those that were refused, the oftenest first, eight of a turn', () => {
    assert.deepEqual(offered({ 'a.example': 1, 'b.example': 3, 'c.example': 2 }), [
      'b.example',
      'c.example',
      'a.example',
    ]);
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`h${String(n)}.example`, 1]));
    assert.equal(offered(many).length, 8);
    assert.deepEqual(hostsToOffer(NO_TOTALS.refusals, known()), []);
  });

  it('are none that no allowlist can have, and none below which anybody may have a host', () => {
    assert.deepEqual(
      offered({ 'no host name': 1, [OTHER_HOSTS]: 1, '10.0.0.1': 1, localhost: 1, 'co.uk': 1 }),
      [],
    );
  });

  it('are none of a vendor of models, which only a route leads to', () => {
    assert.deepEqual(offered({ 'api.anthropic.com': 3, 'eu.api.openai.com': 2, 'a.example': 1 }), [
      'a.example',
    ]);
  });

  it('are none that the allowlist names, also for another port, or that a route leads to', () => {
    const allow = ['a.example:8443', '*.b.example'];
    assert.deepEqual(offered({ 'a.example': 1, 'x.b.example': 1, 'b.example': 1 }, { allow }), ['b.example']);
    const routes = [{ upstream: 'https://r.example/api' } as Route];
    assert.deepEqual(offered({ 'r.example': 1, 'q.example': 1 }, { routes }), ['q.example']);
  });

  it('are none that the agent has asked for itself', () => {
    const routes = '{"routes":[{"name":"r","upstream":"https://r.example","methods":["GET"],"paths":["/"]}]}';
    const refusals = ['files.example', 'r.example', 'a.example'].map((host) => ({ host, count: 1 }));
    const left = (file: Parameters<typeof shownProposal>[0]): string[] =>
      notAskedFor(refusals, shownProposal(file)).map(({ host }) => host);
    assert.deepEqual(left({ proposed_file: 'files.example\n' }), ['r.example', 'a.example']);
    assert.deepEqual(left({ proposed_file: '*.r.example\na.example:8443\n' }), [
      'files.example',
      'r.example',
    ]);
    assert.equal(left({ tool: 'cred-proxy-block', proposed_file: routes }).length, 3);
  });

  it('have an id of their run and their name', () => {
    const id = offerId(sha256, 'demo-1', 'a.example');
    assert.match(id, /^[0-9a-f]{32}$/);
    assert.equal(offerId(sha256, 'demo-1', 'a.example'), id);
    for (const other of [offerId(sha256, 'demo-2', 'a.example'), offerId(sha256, 'demo-1', 'b.example')])
      assert.notEqual(other, id);
  });
});
