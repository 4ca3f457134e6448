import assert from 'node:assert/strict';
import { sha256 } from '../../../../src/activities/base/sha256.js';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import { currentConfig } from '../../../../src/activities/setup/current-config.js';
import { readSetup } from '../../../../src/activities/setup/read-setup.js';
import { keepRunImage } from '../../../../src/activities/setup/run-image-file.js';
import {
  proposeChange,
  type MadeProposal,
  type ProposalMessage,
} from '../../../../src/activities/supervise/propose-change.js';
import { keepProposal, keptProposals } from '../../../../src/activities/supervise/kept-proposals.js';
import type { BottleSetup } from '../../../../src/domain/bottle/bottle-setup.js';
import { effectOf } from '../../../../src/domain/supervise/change-effect.js';
import { imageFile } from '../../../../src/domain/supervise/image-change.js';
import {
  MAX_JUSTIFICATION_BYTES,
  MAX_KEPT_PROPOSALS,
  MAX_PROPOSED_BYTES,
} from '../../../../src/domain/supervise/proposal.js';
import { readShownProposal } from '../../../../src/domain/supervise/read-shown-proposal.js';
import type { ShownProposal } from '../../../../src/domain/supervise/shown-proposal.js';
import { routeTo } from '../../../support/egress/egress-here.js';
import { useHostWorld, SLUG } from '../../../support/host/host-world.js';
import { IMAGE } from '../../../support/supervise/shown.js';

const NOW = Date.parse('2026-11-23T10:00:00.000Z');
const ALLOWLIST = 'pypi.org\n';
const NPM = ['https://npm.example'];

describe('what an agent proposes', () => {
  const world = useHostWorld();
  let ports: HostPorts;
  beforeEach(() => {
    const { settings } = world.ports;
    ports = {
      ...world.ports,
      clock: { now: () => NOW },
      isPublicSuffix: (host) => host === 'co.uk',
      settings: { ...settings, registries: { ...settings.registries, npm: NPM } },
    };
  });

  const message = (changes: Partial<ProposalMessage> = {}): ProposalMessage => ({
    kind: 'proposal',
    ...{ slug: SLUG, turn: 1, tool: 'pipelock-block', justification: 'The build needs it.', at: NOW - 5_000 },
    file: 'pypi.org\nfiles.example\n',
    currentHash: sha256(ALLOWLIST),
    ...changes,
  });
  const propose = async (
    changes: Partial<ProposalMessage> = {},
    bottle: Partial<BottleSetup> = {},
  ): Promise<MadeProposal> =>
    proposeChange(
      ports,
      await world.turning({ turn: 3 }, { allow: ['pypi.org'], ...bottle }),
      message(changes),
    );
  async function shown(made: MadeProposal): Promise<ShownProposal> {
    assert.ok(made.kind === 'request', JSON.stringify(made));
    return readShownProposal(await ports.blobs.getText(made.request.ref));
  }

  it('reaches the operator with the file it started from and what it would change', async () => {
    const made = await propose();
    const { proposal, currentFile, change } = await shown(made);
    const { id } = proposal;
    assert.deepEqual(proposal, {
      id,
      tool: 'pipelock-block',
      proposed_file: 'pypi.org\nfiles.example\n',
      justification: 'The build needs it.',
      arrival_timestamp: '2026-11-23T09:59:55.000Z',
      current_file_hash: sha256(ALLOWLIST),
      bottle_slug: SLUG,
    });
    assert.deepEqual(
      [currentFile, change],
      [ALLOWLIST, { kind: 'allowlist', add: ['files.example'], remove: [] }],
    );
    assert.ok(made.kind === 'request');
    const { ref } = made.request;
    assert.deepEqual(made.request, { slug: SLUG, turn: 3, id, tool: 'pipelock-block', ref });
    assert.deepEqual(await keptProposals(ports.files, SLUG), [ref]);
  });

  it('arrives no later than now, whatever its sidecar’s clock says', async () => {
    const { proposal } = await shown(await propose({ at: NOW + 60_000 }));
    assert.equal(proposal.arrival_timestamp, '2026-11-23T10:00:00.000Z');
  });

  it('is what it was when it is sent again, though its file has changed since', async () => {
    const first = await propose();
    const again = await propose({ at: NOW }, { allow: ['pypi.org', 'files.example'] });
    assert.deepEqual(again, first);
    assert.equal((await keptProposals(ports.files, SLUG)).length, 1);
  });

  it('is another one for another reason', async () => {
    const [first, second] = [await propose(), await propose({ justification: 'Tests need it.' })];
    assert.notDeepEqual(second, first);
    assert.equal((await keptProposals(ports.files, SLUG)).length, 2);
  });

  it('may start from an empty allowlist', async () => {
    const { currentFile } = await shown(await propose({ currentHash: sha256('') }, { allow: [] }));
    assert.equal(currentFile, '');
  });

  it('is refused, and stored nowhere, when the run has made as many as are kept; one of these is what it was', async () => {
    const first = await propose();
    for (let n = 2; n <= MAX_KEPT_PROPOSALS; n += 1)
      await keepProposal(ports.files, SLUG, n.toString(16).padStart(32, '0'), 'f'.repeat(64));
    const put: string[] = [];
    const { blobs } = ports;
    ports = {
      ...ports,
      blobs: {
        getText: (ref) => blobs.getText(ref),
        put: (content) => {
          put.push(String(content));
          return blobs.put(content);
        },
      },
    };
    const made = await propose({ justification: 'Tests need it.' });
    assert.ok(made.kind === 'refused');
    assert.match(made.reason, /^this run has made 256 proposals, .*: do the work without, or end your turn/);
    assert.deepEqual([put, (await keptProposals(ports.files, SLUG)).length], [[], MAX_KEPT_PROPOSALS]);
    assert.deepEqual(await propose(), first);
  });

  it('adds steps to the image that the run has', async () => {
    const currentFile = imageFile({ id: IMAGE, dockerfile: null, steps: [] });
    const capability = {
      tool: 'capability-block',
      file: `FROM ${IMAGE}\nRUN make\n`,
      currentHash: sha256(currentFile),
    } as const;
    const before = await propose({ ...capability, currentHash: sha256('') });
    assert.ok(before.kind === 'refused', 'no image yet');
    assert.match(before.reason, /^Dockerfile: line 1/);
    await keepRunImage(ports.files, SLUG, { id: IMAGE, name: 'image', dockerfile: null, changes: [] });
    assert.deepEqual((await shown(await propose(capability))).change, {
      kind: 'image',
      steps: ['RUN make'],
      network: false,
    });
  });

  for (const [what, changes, why] of [
    [
      'from another file than the one in force',
      { currentHash: sha256('old\n') },
      /^current_file_hash .*allowlist/,
    ],
    ['that changes nothing', { file: ALLOWLIST }, /^allowlist: .*changes nothing/],
    [
      'with lines that cannot be read, each named',
      { file: 'pypi.org\nhttp://a/\n!\n' },
      /^allowlist: line 2: .*; line 3: /,
    ],
    ['of every host below a public suffix', { file: 'pypi.org\n*.co.uk\n' }, /^allowlist: .*\*\.co\.uk/],
  ] as const)
    it(`is refused ${what}, and not kept`, async () => {
      const made = await propose(changes);
      assert.ok(made.kind === 'refused', JSON.stringify(made));
      assert.match(made.reason, why);
      assert.deepEqual(await keptProposals(ports.files, SLUG), []);
    });

  it('names the routes that nobody may change, for who is given an editor', async () => {
    const made = await propose({}, { registries: ['npm'] });
    assert.deepEqual((await shown(made)).ownRoutes, ['npm']);
  });

  it('names where the settings have models, for who decides about a route there', async () => {
    const upstreams = { openai: 'https://llm.example:4000/v1' };
    const { settings } = ports;
    ports = { ...ports, settings: { ...settings, models: { ...settings.models, upstreams } } };
    const setup = await readSetup(ports, await world.turning({}));
    const made = await propose({
      tool: 'cred-proxy-block',
      file: JSON.stringify({ routes: [...setup.routes, routeTo('https://llm.example', { name: 'llm' })] }),
      currentHash: sha256(currentConfig(setup, null)['routes.json'] ?? ''),
    });
    assert.match(effectOf(await shown(made)).join('\n'), /NOT READ OR METERED/);
  });

  it('is refused where it would change a route that every bottle of the kind has', async () => {
    const bottle = { registries: ['npm'] } as const;
    const setup = await readSetup(ports, await world.turning({}, bottle));
    const made = await propose(
      {
        tool: 'cred-proxy-block',
        file: JSON.stringify({ routes: [routeTo('https://x.example', { name: 'npm' })] }),
        currentHash: sha256(currentConfig(setup, null)['routes.json'] ?? ''),
      },
      bottle,
    );
    assert.ok(made.kind === 'refused');
    assert.match(made.reason, /route "npm"/);
    assert.deepEqual(await keptProposals(ports.files, SLUG), []);
  });

  for (const [what, longest, of] of [
    ['file', MAX_PROPOSED_BYTES, (text: string) => ({ file: text })],
    ['justification', MAX_JUSTIFICATION_BYTES, (text: string) => ({ justification: text })],
  ] as const)
    it(`has a ${what} of so many bytes at most`, async () => {
      // Not so many characters: one of these is two bytes.
      const start = 'pypi.org\nfiles.example\n# é';
      const fits = start + 'x'.repeat(longest - Buffer.byteLength(start));
      assert.equal((await propose(of(fits))).kind, 'request');
      const made = await propose(of(`${fits}x`));
      assert.ok(made.kind === 'refused');
      assert.match(made.reason, /too long/);
    });
});
