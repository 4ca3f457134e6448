import assert from 'node:assert/strict';
import {
  MAX_TOTALS,
  OTHER_HOSTS,
  sumTotals,
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
