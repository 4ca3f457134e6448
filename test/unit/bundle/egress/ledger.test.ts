import assert from 'node:assert/strict';
import { Ledger } from '../../../../src/bundle/egress/ledger.js';
import { MAX_TOTALS, OTHER_HOSTS } from '../../../../src/domain/egress/totals.js';

describe('what went through the proxies', () => {
  let now: number;
  let moved: number;
  let ledger: Ledger;

  beforeEach(() => {
    [now, moved] = [5, 0];
    ledger = new Ledger(
      () => now,
      (bytes) => (moved += bytes),
    );
  });

  it('is counted as it comes: for the connection, for its host and in all', () => {
    const one = ledger.open('b.example', null);
    const two = ledger.open('b.example', null);
    one.sent(10);
    one.sent(1);
    one.received(5);
    two.received(7);
    assert.deepEqual([one.up, one.down, two.up, two.down], [11, 5, 0, 7]);
    assert.equal(moved, 23);
    assert.deepEqual(ledger.totals(), {
      hosts: [{ host: 'b.example', route: null, connections: 2, bytesUp: 11, bytesDown: 12 }],
      refusals: [],
    });
  });

  it('is of each route apart, in the order of the hosts', () => {
    ledger.open('b.example', null);
    ledger.open('a.example', 'files');
    ledger.open('c.example', null);
    ledger.open('b.example', 'files').sent(1);
    assert.deepEqual(
      ledger.totals().hosts.map(({ host, route, connections }) => [host, route, connections]),
      [
        ['a.example', 'files', 1],
        ['b.example', null, 1],
        ['b.example', 'files', 1],
        ['c.example', null, 1],
      ],
    );
  });

  it('does not change any more in totals that were taken', () => {
    const open = ledger.open('a.example', null);
    const before = ledger.totals();
    open.sent(5);
    assert.equal(before.hosts[0]?.bytesUp, 0);
  });

  it('is of so many hosts at most; the others share a line', () => {
    for (let host = 0; host < MAX_TOTALS; host += 1) ledger.open(`h${String(host)}.example`, null);
    ledger.open('one-more.example', 'files').sent(3);
    ledger.open('another.example', null).sent(4);
    ledger.open('h0.example', null);
    const { hosts } = ledger.totals();
    assert.equal(hosts.length, MAX_TOTALS + 1);
    assert.deepEqual(
      hosts.find(({ host }) => host === OTHER_HOSTS),
      { host: OTHER_HOSTS, route: null, connections: 2, bytesUp: 7, bytesDown: 0 },
    );
    assert.equal(hosts.find(({ host }) => host === 'h0.example')?.connections, 2);
  });

  it('has names below a wildcard as bytes up of that wildcard, without a connection', () => {
    ledger.addName('*.a.example', 10);
    ledger.addName('*.a.example', 12);
    assert.deepEqual(ledger.totals().hosts, [
      { host: '*.a.example', route: null, connections: 0, bytesUp: 22, bytesDown: 0 },
    ]);
  });

  it('is beside what was refused, by the name that was asked for, if it was one', () => {
    for (const host of ['b.example', 'a.example', 'b.example', 'no host\n', '10.0.0.1', ''])
      ledger.refuse(host);
    assert.deepEqual(ledger.totals().refusals, [
      { host: 'a.example', count: 1 },
      { host: 'b.example', count: 2 },
      { host: 'no host name', count: 3 },
    ]);
  });

  it('is beside so many refusals at most; the others share a line', () => {
    for (let host = 0; host < MAX_TOTALS; host += 1) ledger.refuse(`h${String(host)}.example`);
    ledger.refuse('one-more.example');
    ledger.refuse('h0.example');
    ledger.refuse('another.example');
    const { refusals } = ledger.totals();
    assert.equal(refusals.length, MAX_TOTALS + 1);
    const countOf = (name: string): number | undefined => refusals.find(({ host }) => host === name)?.count;
    assert.deepEqual([countOf(OTHER_HOSTS), countOf('h0.example')], [2, 2]);
  });

  it('has the time of the last good answer, and none before', () => {
    assert.equal(ledger.lastSuccessAt, null);
    ledger.refuse('a.example');
    assert.equal(ledger.lastSuccessAt, null);
    ledger.succeed();
    now = 9;
    assert.equal(ledger.lastSuccessAt, 5);
    ledger.succeed();
    assert.equal(ledger.lastSuccessAt, 9);
  });
});
