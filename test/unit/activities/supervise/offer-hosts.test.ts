import assert from 'node:assert/strict';
import { sha256 } from '../../../../src/activities/base/sha256.js';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import { keepProposal } from '../../../../src/activities/supervise/kept-proposals.js';
import { offerHosts } from '../../../../src/activities/supervise/offer-hosts.js';
import type { HostRefusals } from '../../../../src/domain/egress/totals.js';
import { offerId, type Offer } from '../../../../src/domain/supervise/offer.js';
import { readShownProposal } from '../../../../src/domain/supervise/read-shown-proposal.js';
import type { ShownProposal } from '../../../../src/domain/supervise/shown-proposal.js';
import { useHostWorld, SLUG } from '../../../support/host/host-world.js';
import { ID, shownProposal } from '../../../support/supervise/shown.js';

const NOW = Date.parse('2026-11-23T10:00:00.000Z');
const refused = (host: string, count = 1): HostRefusals => ({ host, count });

describe('hosts that were refused to an agent which did not ask for them', () => {
  const world = useHostWorld();
  let ports: HostPorts;
  beforeEach(() => {
    ports = {
      ...world.ports,
      clock: { now: () => NOW },
      isPublicSuffix: (host) => host === 'github.io',
    };
  });

  const offer = async (
    refusals: readonly HostRefusals[],
    allow: readonly string[] = ['pypi.org'],
  ): Promise<readonly Offer[]> => offerHosts(ports, await world.turning({ turn: 2 }, { allow }), refusals);
  const shown = (offers: readonly Offer[]): Promise<readonly ShownProposal[]> =>
    Promise.all(offers.map(async ({ ref }) => readShownProposal(await ports.blobs.getText(ref))));
  const hosts = async (offers: readonly Offer[]): Promise<readonly (readonly string[])[]> =>
    (await shown(offers)).map(({ change }) => (change.kind === 'allowlist' ? change.add : []));

  it('are offered to the operator as a line more of the allowlist', async () => {
    const offers = await offer([refused('a.example')]);
    const id = offerId(sha256, SLUG, 'a.example');
    assert.deepEqual(
      offers.map((one) => one.id),
      [id],
    );
    assert.deepEqual(await shown(offers), [
      {
        proposal: {
          id,
          tool: 'pipelock-block',
          proposed_file: 'pypi.org\na.example\n',
          justification: 'a.example was refused once in turn 2, and the agent did not ask for it.',
          arrival_timestamp: '2026-11-23T10:00:00.000Z',
          current_file_hash: sha256('pypi.org\n'),
          bottle_slug: SLUG,
        },
        currentFile: 'pypi.org\n',
        change: { kind: 'allowlist', add: ['a.example'], remove: [] },
      },
    ]);
  });

  it('are each an offer of their own, the one refused oftenest first, with how often', async () => {
    const offers = await offer([refused('a.example'), refused('b.example', 3)], []);
    assert.deepEqual(await hosts(offers), [['b.example'], ['a.example']]);
    const [first] = await shown(offers);
    assert.match(first?.proposal.justification ?? '', /refused 3 times/);
    assert.equal(first?.currentFile, '');
  });

  it('are not offered when the agent asked for them, or anybody may have a host below them', async () => {
    const asked = await ports.blobs.put(JSON.stringify(shownProposal({ bottle_slug: SLUG })));
    await keepProposal(ports.files, SLUG, ID, asked);
    const offers = await offer([refused('files.example'), refused('github.io'), refused('a.example')]);
    assert.deepEqual(await hosts(offers), [['a.example']]);
  });

  it('are none when the agent asked for each, and no more of its proposals are read than it takes to know that', async () => {
    const asking = (justification: string): string =>
      JSON.stringify(shownProposal({ bottle_slug: SLUG, justification }));
    for (const [n, reason] of ['one', 'two', 'three'].entries())
      await keepProposal(
        ports.files,
        SLUG,
        `${String(n)}${ID.slice(1)}`,
        await ports.blobs.put(asking(reason)),
      );
    const read: string[] = [];
    const { blobs } = ports;
    ports = {
      ...ports,
      blobs: {
        put: (content) => blobs.put(content),
        getText: async (ref) => {
          const text = await blobs.getText(ref);
          if (text.includes('"proposal"')) read.push(ref);
          return text;
        },
      },
    };
    assert.deepEqual(await offer([refused('files.example')]), []);
    assert.equal(read.length, 1);
    assert.equal((await offer([refused('files.example'), refused('a.example')])).length, 1);
    assert.equal(read.length, 4);
  });

  it('are none when none was refused, with nothing read', async () => {
    ports = { ...ports, blobs: { ...ports.blobs, getText: () => assert.fail('there is nothing to read') } };
    assert.deepEqual(await offer([]), []);
    assert.deepEqual(world.warned, []);
  });

  it('hold up no end of a turn when they cannot be offered', async () => {
    ports = { ...ports, blobs: { ...ports.blobs, getText: () => Promise.reject(new Error('no disk')) } };
    assert.deepEqual(await offer([refused('a.example')]), []);
    assert.equal(world.warned.length, 1);
  });
});
