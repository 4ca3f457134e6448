import assert from 'node:assert/strict';
import { uploadedBytes } from '../../../../../src/domain/egress/totals.js';
import { ask, connectThrough } from '../../../../support/egress/clients.js';
import { withEgress } from '../../../../support/egress/egress-here.js';

/** As many bytes each, and no host of this name. */
const name = (at: number): string => `${String(at).padStart(9, 'x')}.example.net`;
const BYTES = name(0).length;

describe('names below a wildcard, which a DNS server reads also where there is no such host', () => {
  const egress = withEgress();

  const WAYS: [way: string, port: number, status: (host: string) => Promise<number>][] = [
    ['CONNECT', 443, async (host) => (await connectThrough(egress().socket, `${host}:443`)).status],
    ['plain HTTP', 80, async (host) => (await ask(egress().socket, `http://${host}/`)).status],
  ];
  for (const [way, port, statusOf] of WAYS)
    it(`use up what may go up in a turn, by ${way}; then none is asked for`, async () => {
      egress().allow(`*.example.net:${String(port)}`);
      await egress().start({ uploadBytes: 3 * BYTES });
      const statuses: number[] = [];
      for (let at = 0; at < 6; at += 1) statuses.push(await statusOf(name(at)));
      assert.deepEqual(statuses, [502, 502, 502, 403, 403, 403]);
      assert.deepEqual(egress().lookups, [0, 1, 2].map(name));
    });

  it('are not asked for when only part of the name may still go up', async () => {
    egress().allow('*.example.net');
    await egress().start({ uploadBytes: BYTES - 1 });
    const { status, text } = await connectThrough(egress().socket, `${name(0)}:443`);
    assert.equal(status, 403);
    assert.match(text, /the upload limit of this turn \(\d+ bytes\) is reached/);
    assert.deepEqual(egress().lookups, []);
  });

  it('are reported as what went up, in one line for all, so that a restart gives nothing back', async () => {
    egress().allow('*.example.net');
    await egress().start();
    for (let at = 0; at < 5; at += 1) await connectThrough(egress().socket, `${name(at)}:443`);
    await egress().stop();
    const hosts = egress().reports.at(-1)?.hosts ?? [];
    assert.deepEqual(hosts, [
      { host: '*.example.net', route: null, connections: 0, bytesUp: 5 * BYTES, bytesDown: 0 },
    ]);
    assert.equal(uploadedBytes({ hosts, refusals: [] }), 5 * BYTES);
  });

  it('are not those that an entry says in full, which tell nothing of the agent’s', async () => {
    egress().allow(name(0), '*.example.net');
    await egress().start({ uploadBytes: 1 });
    for (let at = 0; at < 3; at += 1)
      assert.equal((await connectThrough(egress().socket, `${name(0)}:443`)).status, 502);
    assert.equal((await connectThrough(egress().socket, `${name(1)}:443`)).status, 403);
  });
});
