import assert from 'node:assert/strict';
import {
  MAX_TOTALS,
  NO_TOTALS,
  OTHER_HOSTS,
  sumTotals,
  uploadedBytes,
  type EgressTotals,
} from '../../../../src/domain/egress/totals.js';

const one = (host: string, route: string | null = null): EgressTotals => ({
  hosts: [{ host, route, connections: 1, bytesUp: 10, bytesDown: 100 }],
  refusals: [{ host, count: 2 }],
});

describe('egress totals of several sidecars', () => {
  it('are added up by host and route, in order', () => {
    assert.deepEqual(sumTotals([one('b.org'), one('a.org', 'a'), one('b.org')]), {
      hosts: [
        { host: 'a.org', route: 'a', connections: 1, bytesUp: 10, bytesDown: 100 },
        { host: 'b.org', route: null, connections: 2, bytesUp: 20, bytesDown: 200 },
      ],
      refusals: [
        { host: 'a.org', count: 2 },
        { host: 'b.org', count: 4 },
      ],
    });
  });

  it('have a bounded number of lines, and lose no byte', () => {
    const many = Array.from({ length: MAX_TOTALS * 2 }, (_, at) => one(`h${String(at)}.org`));
    const { hosts, refusals } = sumTotals(many);
    assert.equal(hosts.length, MAX_TOTALS + 1);
    assert.equal(refusals.length, MAX_TOTALS + 1);
    assert.equal(hosts.find(({ host }) => host === OTHER_HOSTS)?.connections, MAX_TOTALS);
    assert.equal(
      hosts.reduce((sum, { bytesDown }) => sum + bytesDown, 0),
      MAX_TOTALS * 2 * 100,
    );
  });
});

describe('what an agent has sent through the forward proxy', () => {
  it('is what went up to hosts without a route, and all that has no line of its own', () => {
    const line = { connections: 1, bytesDown: 100 };
    const hosts = [
      { ...line, host: 'a.example', route: null, bytesUp: 3 },
      { ...line, host: 'api.example', route: 'model', bytesUp: 50 },
      { ...line, host: OTHER_HOSTS, route: null, bytesUp: 4 },
    ];
    assert.equal(uploadedBytes({ hosts, refusals: [] }), 7);
    assert.equal(uploadedBytes(NO_TOTALS), 0);
  });
});
