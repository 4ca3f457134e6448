import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { bottleEditor } from '../../../src/adapters/manifests/bottle-editor.js';
import { ManifestDirectory } from '../../../src/adapters/manifests/manifest-directory.js';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import type { Orchestrator } from '../../../src/cli/base/orchestrator.js';
import type { DecidedProposal } from '../../../src/domain/run/stores.js';
import type { ConfigChange } from '../../../src/domain/supervise/config-change.js';
import { ID, shownProposal, SLUG } from '../../support/supervise/shown.js';
import { useNewPaths, useTempDir } from '../../support/webhook/temp-dir.js';
import { cliWith, type Ran } from '../../unit/cli/small-world.js';

const WHEELS = `---
# for wheels
extends: shared
egress:
  allow:
    - pypi.org # the index
---

Wheels.
`;
const SHARED = '---\negress:\n  allow: [mirror.example]\n---\n';

describe('a decision for the bottle', () => {
  const path = useTempDir();
  const newPath = useNewPaths();
  let home: string;
  let bottles: readonly string[] | undefined;
  let decided: string[];
  let answer: Awaited<ReturnType<Orchestrator['decide']>>;
  let onDecide: () => void;
  let shown: ReturnType<typeof shownProposal>;

  beforeEach(() => {
    home = newPath();
    mkdirSync(`${home}/bottles`, { recursive: true });
    writeFileSync(file('wheels'), WHEELS);
    writeFileSync(file('shared'), SHARED);
    bottles = ['wheels'];
    decided = [];
    answer = { kind: 'decided', slug: SLUG, status: 'approved', effect: 'now' };
    onDecide = () => undefined;
    shown = shownProposal({ proposed_file: 'pypi.org\nfiles.example # $(evil): { "a": [\n' });
  });
  const file = (name: string): string => `${home}/bottles/${name}.md`;
  const text = (name: string): string => readFileSync(file(name), 'utf8');

  function run(args: readonly string[], stdin?: { isTTY: boolean; answer?: string }): Promise<Ran> {
    const row: DecidedProposal = {
      ...{ slug: SLUG, id: ID, workflowId: 'gitea:alice/demo#12', turn: 2 },
      tool: 'pipelock-block',
      ...{ at: 1, ref: 'e'.repeat(64), origin: 'agent' as const, decision: null },
    };
    const orchestrator: Partial<Orchestrator> = {
      findProposals: () => Promise.resolve([row]),
      proposal: () => Promise.resolve({ shown, modified: null, notes: null }),
      bottlesOf: () => Promise.resolve(bottles),
      decide: (_row, { verdict }) => {
        decided.push(verdict);
        onDecide();
        return Promise.resolve(answer);
      },
    };
    const deps = { bottleEditor: () => bottleEditor(home, new ManifestDirectory(home)) };
    return cliWith({ orchestrator, deps, ...(stdin === undefined ? {} : { stdin }) }).run(
      'proposals',
      ...args,
    );
  }
  const approve = (...args: string[]): Promise<Ran> => run(['approve', ID, '--for', 'bottle', ...args]);
  const refusedWith = async (wanted: RegExp, ...args: string[]): Promise<void> => {
    const { code, stderr } = await approve('--yes', ...args);
    assert.match(stderr, wanted);
    assert.notEqual(code, 0);
    assert.deepEqual(decided, []);
  };

  it('is written into the manifest, with its comments and mode, and nothing of the agent’s own text', async () => {
    chmodSync(file('wheels'), 0o640);
    const { code, stdout } = await approve('--yes');
    assert.equal(code, 0, stdout);
    assert.equal(text('wheels'), WHEELS.replace('the index\n', 'the index\n    - files.example\n'));
    assert.equal(statSync(file('wheels')).mode & 0o777, 0o640);
    assert.equal(text('shared'), SHARED);
    assert.ok(stdout.includes('+    - files.example\n'));
    assert.ok(stdout.endsWith(`  may connect to files.example\n${file('wheels')} is written\n`), stdout);
    assert.deepEqual(readdirSync(`${home}/bottles`).sort(), ['shared.md', 'wheels.md']);
    const again = await approve('--yes');
    assert.match(again.stdout, /says so already/);
    const merged = await new ManifestDirectory(home).bottle(['wheels']);
    assert.deepEqual(merged?.allow, ['mirror.example', 'pypi.org', 'files.example']);
  });

  it('is asked for on a terminal, and needs --yes without one', async () => {
    const no = await run(['approve', ID, '--for', 'bottle'], { isTTY: true, answer: '' });
    assert.equal(no.code, EXIT.refused);
    assert.match(no.stdout, /\+ {4}- files\.example/);
    const unasked = await run(['approve', ID, '--for', 'bottle'], { isTTY: false });
    assert.equal(unasked.code, EXIT.usage);
    assert.match(unasked.stderr, /add --yes/);
    assert.deepEqual([decided, text('wheels')], [[], WHEELS]);
    const yes = await run(['approve', ID, '--for', 'bottle'], { isTTY: true, answer: 'y' });
    assert.equal(yes.code, 0);
    assert.notEqual(text('wheels'), WHEELS);
    assert.deepEqual(decided, ['approve']);
  });

  it('is for the run alone unless that is said', async () => {
    assert.equal((await run(['approve', ID])).code, 0);
    assert.equal((await run(['approve', ID, '--for', 'run'])).code, 0);
    assert.equal((await run(['approve', ID, '--yes'])).code, EXIT.usage);
    assert.equal((await run(['approve', ID, '--for', 'everybody'])).code, EXIT.usage);
    assert.equal((await run(['reject', ID, '--reason', 'x', '--for', 'bottle'])).code, EXIT.usage);
    assert.deepEqual([decided, text('wheels')], [['approve', 'approve'], WHEELS]);
  });

  it('has what the operator made of it', async () => {
    writeFileSync(path('mine'), 'other.example\n');
    answer = { kind: 'decided', slug: SLUG, status: 'modified', effect: 'now' };
    const args = ['modify', ID, '--file', path('mine'), '--for', 'bottle', '--yes', '--json'];
    const { stdout } = await run(args);
    const { manifest } = JSON.parse(stdout) as { manifest: { file: string; diff: string; problem: null } };
    assert.deepEqual([manifest.file, manifest.problem], [file('wheels'), null]);
    assert.match(manifest.diff, /-    - pypi\.org # the index\n\+    - other\.example\n/);
  });

  it('writes nothing when the decision is refused', async () => {
    answer = { kind: 'refused', reason: 'it was approved by bob' };
    assert.equal((await approve('--yes')).code, EXIT.refused);
    assert.equal(text('wheels'), WHEELS);
  });

  it('stands when the file cannot be written, and says what to do', async () => {
    onDecide = () => {
      writeFileSync(file('wheels'), `${WHEELS}More.\n`);
    };
    const { code, stdout, stderr } = await approve('--yes');
    assert.equal(code, EXIT.failed);
    assert.match(stdout, /approved, in effect now/);
    assert.match(stderr, /decision stands, but .*wheels\.md could not be written: .* changed meanwhile/);
    assert.match(stderr, /\+ {4}- files\.example/);
    assert.equal(text('wheels'), `${WHEELS}More.\n`);
    onDecide = () => {
      rmSync(file('wheels'));
    };
    const gone = JSON.parse((await approve('--yes', '--json')).stdout) as { manifest: { problem: string } };
    assert.match(gone.manifest.problem, /ENOENT/);
  });

  it('leaves nothing behind when the directory cannot be written', async function () {
    if (process.getuid?.() === 0) this.skip();
    chmodSync(`${home}/bottles`, 0o555);
    const { code } = await approve('--yes');
    chmodSync(`${home}/bottles`, 0o755);
    assert.equal(code, EXIT.failed);
    assert.equal(text('wheels'), WHEELS);
  });

  it('replaces what a link leads to, and not the link', async () => {
    rmSync(file('wheels'));
    writeFileSync(`${home}/bottles/real.md`, WHEELS);
    symlinkSync('real.md', file('wheels'));
    assert.equal((await approve('--yes')).code, 0);
    assert.match(readFileSync(`${home}/bottles/real.md`, 'utf8'), /files\.example/);
    assert.equal(readFileSync(file('wheels'), 'utf8'), readFileSync(`${home}/bottles/real.md`, 'utf8'));
  });

  it('goes where it is said to, or into the last that has such a list', async () => {
    assert.equal((await approve('--yes', '--manifest', 'shared')).code, 0);
    assert.match(text('shared'), /allow: \[ ?mirror\.example, files\.example ?\]/);
    assert.equal(text('wheels'), WHEELS);
    writeFileSync(file('shared'), SHARED);
    writeFileSync(file('wheels'), '---\nextends: shared\n---\n');
    assert.equal((await approve('--yes')).code, 0);
    assert.match(text('shared'), /files\.example/);
  });

  it('is refused before anything is decided where nobody can tell the file, or it is not ours', async () => {
    await refusedWith(/made of shared, wheels, and not of default/, '--manifest', 'default');
    bottles = ['default'];
    await refusedWith(
      /default comes with the program .*: copy it to .*\/bottles\/default\.md and change that/,
    );
    bottles = ['node'];
    await refusedWith(/copy it to .*\/bottles\/node\.md, and node\.Dockerfile to the same place, and change/);
    bottles = ['gone'];
    await refusedWith(/of the bottles gone not all are in .*: is this the machine of the run\?/);
    bottles = undefined;
    await refusedWith(/nobody knows the bottle/);
    bottles = ['wheels', 'more'];
    writeFileSync(file('wheels'), '---\nextends: []\n---\n');
    writeFileSync(file('more'), '---\n---\n');
    await refusedWith(/made of wheels, more, and none has egress\.allow: name one with --manifest/);
  });

  it('is refused where the bottle would not be valid, or another manifest says otherwise', async () => {
    shown = { ...shown, change: { kind: 'allowlist', add: ['*.co.uk'], remove: [] } };
    await refusedWith(/below which anybody may have a host/);
    shown = { ...shown, change: { kind: 'allowlist', add: [], remove: ['mirror.example'] } };
    await refusedWith(/wheels\.md alone cannot bring this about: .*shared\.md would still say otherwise/);
    assert.deepEqual([text('wheels'), text('shared')], [WHEELS, SHARED]);
  });

  it('cannot be for what a manifest has no lines of its own for', async () => {
    shown = { ...shown, change: { kind: 'image', add: [], remove: [] } as unknown as ConfigChange };
    await refusedWith(/the file that the manifest’s "dockerfile" key names/);
  });
});
