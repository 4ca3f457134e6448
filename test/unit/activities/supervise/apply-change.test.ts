import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ApplyChangeInput } from '../../../../src/activities/ports/inputs.js';
import { keepChanges, keptChanges } from '../../../../src/activities/setup/kept-changes.js';
import { applyChange } from '../../../../src/activities/supervise/apply-change.js';
import { readBoundSecret, writeBoundSecret } from '../../../../src/config/secret-binding.js';
import type { BottleRuntime } from '../../../../src/domain/bottle/bottle-runtime.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import { localSubject } from '../../../../src/domain/forge/issue.js';
import { routeTo } from '../../../support/egress/egress-here.js';
import { useHostWorld, SLUG } from '../../../support/host/host-world.js';
import { shownProposal } from '../../../support/supervise/shown.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

const auth = { header: 'x-api-key', prefix: '', secret: 'tracker-key' };

describe('a change that an operator agreed to', () => {
  const newPath = useNewPaths();
  const world = useHostWorld();
  beforeEach(() => {
    world.containers = { bundle: { status: 'running' } };
  });

  async function apply(
    changes: Partial<ApplyChangeInput> = {},
    inspect: BottleRuntime['inspect'] = (...asked) => world.ports.runtime.inspect(...asked),
    signal?: AbortSignal,
  ): Promise<string> {
    const ref = await world.ports.blobs.put(JSON.stringify(shownProposal({ bottle_slug: SLUG })));
    const routes = [routeTo('https://tracker.example', { name: 'tracker', auth })];
    const turn = await world.turning({}, { allow: ['pypi.org'], routes });
    const ports = { ...world.ports, runtime: { ...world.ports.runtime, inspect } };
    await applyChange(ports, { ...turn, changes: [ref], ...changes }, signal);
    return ref;
  }
  const config = (): readonly string[] => readdirSync(world.ports.files.paths(SLUG).currentConfig);
  const allowlist = (): string =>
    readFileSync(`${world.ports.files.paths(SLUG).currentConfig}/allowlist`, 'utf8');
  const secrets = (): readonly string[] => readdirSync(world.ports.files.paths(SLUG).bundleSecrets);
  const hasToken = (): boolean => existsSync(world.ports.files.paths(SLUG).bundleToken);

  it('takes effect in the bottle that runs, and is kept for the turns that follow', async () => {
    const ref = await apply();
    assert.equal(allowlist(), 'pypi.org\nfiles.example\n');
    assert.deepEqual(await keptChanges(world.ports.files, SLUG), [ref]);
    assert.deepEqual([secrets(), hasToken()], [['tracker-key'], true]);
  });

  it('is the same when it is applied again', async () => {
    await apply();
    const ref = await apply();
    assert.equal(allowlist(), 'pypi.org\nfiles.example\n');
    assert.deepEqual(await keptChanges(world.ports.files, SLUG), [ref]);
  });

  it('brings a run without a forge no token of one', async () => {
    await apply({ subject: localSubject(SLUG) });
    assert.deepEqual([secrets(), hasToken()], [['tracker-key'], false]);
  });

  for (const [what, containers] of [
    ['has stopped', { bundle: { status: 'exited' } }],
    ['is gone', {}],
  ] as const)
    it(`leaves no secret behind where the bottle ${what} meanwhile`, async () => {
      world.containers = containers;
      const ref = await apply();
      assert.deepEqual([secrets(), hasToken()], [[], false]);
      assert.deepEqual(await keptChanges(world.ports.files, SLUG), [ref]);
    });

  const isUntouched = async (): Promise<void> => {
    assert.deepEqual([config(), secrets(), hasToken()], [[], [], false]);
    assert.deepEqual(await keptChanges(world.ports.files, SLUG), []);
  };
  const away = (): Promise<never> => Promise.reject(new Error('the engine is away'));

  it('changes nothing where it is the operator’s own file and opens a public suffix', async () => {
    const wide = shownProposal({ bottle_slug: SLUG, proposed_file: 'pypi.org\n*.co.uk\n' });
    const ports = { ...world.ports, isPublicSuffix: (host: string) => host === 'co.uk' };
    const changes = [await ports.blobs.put(JSON.stringify(wide))];
    const turn = await world.turning({}, { allow: ['pypi.org'] });
    await assert.rejects(
      applyChange(ports, { ...turn, changes }),
      /anybody may have a host below \*\.co\.uk/,
    );
    await isUntouched();
    // That a version before this let it stand is no reason not to take back another one.
    await keepChanges(ports.files, SLUG, changes);
    await applyChange(ports, { ...turn, changes });
  });

  it('changes nothing where the engine is away: the operator may reject it now', async () => {
    await assert.rejects(apply({}, away), /engine is away/);
    await isUntouched();
  });

  it('changes nothing when the engine answers only after nobody waits any more', async () => {
    const waiting = new AbortController();
    const late = (): Promise<undefined> => {
      waiting.abort(new Error('too late'));
      return Promise.resolve(undefined);
    };
    await assert.rejects(apply({}, late, waiting.signal), /too late/);
    await isUntouched();
  });

  it('changes nothing when nobody waits any more once the sidecar is restarted', async () => {
    const waiting = new AbortController();
    let restarted = (): void => undefined;
    const restart = new Promise<void>((resolve) => (restarted = resolve));
    const { placing } = world.ports;
    const restarting = placing.next(SLUG, () => restart);
    const next = placing.next.bind(placing);
    placing.next = (slug, work) => {
      const placed = next(slug, work);
      waiting.abort(new Error('too late'));
      restarted();
      return placed;
    };
    await assert.rejects(apply({}, undefined, waiting.signal), /too late/);
    await isUntouched();
    await restarting;
  });

  it('stands once it is in effect, whatever the engine does then', async () => {
    let asked = 0;
    const ref = await apply({}, (slug, role) => {
      asked += 1;
      return asked === 1 ? world.ports.runtime.inspect(slug, role) : away();
    });
    assert.deepEqual([secrets(), hasToken()], [['tracker-key'], true]);
    assert.deepEqual(await keptChanges(world.ports.files, SLUG), [ref]);
  });

  it('gives a vendor’s key that was never bound to no second route to the vendor', async () => {
    const home = newPath();
    const name = 'anthropic-api-key';
    const docs = routeTo('https://api.anthropic.com', { name: 'docs', auth: { ...auth, secret: name } });
    const file = JSON.stringify({ routes: [docs] });
    const shown = shownProposal({ bottle_slug: SLUG, tool: 'cred-proxy-block', proposed_file: file });
    const changes = [await world.ports.blobs.put(JSON.stringify(shown))];
    const turn = await world.turning();
    const input = { ...turn, prepared: { ...turn.prepared, provider: 'claude' }, changes };
    const ports = { ...world.ports, hasSecret: (asked: string) => asked === name };
    world.secret = (asked, authorities, vendors) =>
      Promise.resolve(readBoundSecret({ home, name: asked, authorities, vendors, ownFiles: [] }));
    writeBoundSecret(home, name, new TextEncoder().encode('key-0123456789'), []);
    await assert.rejects(applyChange(ports, input), /to api\.anthropic\.com:443, to which it is not bound/);
    await applyChange(ports, { ...input, changes: [] });
    assert.deepEqual(secrets(), [name]);
    writeBoundSecret(home, name, new TextEncoder().encode('key-0123456789'), ['api.anthropic.com']);
    await applyChange(ports, input);
  });

  it('changes nothing when a secret is not bound to where it would be sent', async () => {
    const asked: string[] = [];
    world.secret = (name) => {
      asked.push(name);
      return Promise.reject(new InvalidInputError('not bound'));
    };
    await assert.rejects(apply(), /not bound/);
    assert.deepEqual(asked, ['tracker-key']);
    assert.deepEqual([config(), secrets()], [[], []]);
    assert.deepEqual(await keptChanges(world.ports.files, SLUG), []);
  });
});
