import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { mirrorDirectory } from '../../../src/adapters/git/mirror.js';
import { extractionSpec, parseExtraction, patchSpec } from '../../../src/domain/bottle/extractor.js';
import type { LfsObject, TurnLfs } from '../../../src/domain/workspace/lfs.js';
import type { TurnInput } from '../../../src/domain/run/run-files.js';
import { EntrypointRun, type EntrypointEnd } from '../../support/entrypoint/entrypoint-run.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { ForgePeople } from './forge-people.js';
import { BRANCH, GitFixture, git, reasonOf } from './git-fixture.js';

const MEDIA_TYPE = 'application/vnd.git-lfs+json';
const ATTRIBUTES = '*.bin filter=lfs diff=lfs merge=lfs -text\n';
const MIB = 1024 * 1024;

/** A real forge that stores LFS objects, the host's part, the entrypoint and the extractor in containers. */
describe('files of Git LFS in a workspace', function () {
  this.timeout(180_000);
  const runtime = new DockerBottleRuntime();
  const slug = `lfs-alice-demo-1-${randomBytes(4).toString('hex')}`;
  let gitea: Gitea;
  let fixture: GitFixture;
  let bottle: EntrypointRun;
  let people: ForgePeople;
  let name: string;
  let dir: string;
  before(async () => {
    gitea = await sharedGitea();
  });
  beforeEach(async () => {
    fixture = new GitFixture();
    bottle = new EntrypointRun();
    people = new ForgePeople(gitea, fixture);
    name = await people.addRepository();
    dir = people.push(name, { '.gitattributes': ATTRIBUTES, 'a.txt': 'a' });
  });
  afterEach(() => {
    bottle.remove();
    fixture.remove();
  });

  const objectOf = (content: Buffer): LfsObject => ({
    oid: createHash('sha256').update(content).digest('hex'),
    size: content.length,
  });
  const pointer = ({ oid, size }: LfsObject): string =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${String(size)}\n`;
  const upload = async (content: Buffer): Promise<LfsObject> => {
    const object = objectOf(content);
    const authorization = `Basic ${Buffer.from(`alice:${gitea.alice.password}`).toString('base64')}`;
    const answer = await fetch(`${gitea.url}/alice/${name}.git/info/lfs/objects/batch`, {
      method: 'POST',
      headers: { authorization, accept: MEDIA_TYPE, 'content-type': MEDIA_TYPE },
      body: JSON.stringify({ operation: 'upload', transfers: ['basic'], objects: [object] }),
    });
    const { objects } = (await answer.json()) as {
      objects: { actions?: { upload: { href: string } } }[];
    };
    const action = objects[0]?.actions?.upload;
    // It has it from another test already.
    if (action === undefined) return object;
    const put = await fetch(action.href, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(content),
    });
    assert.equal(put.status, 200);
    return object;
  };
  const pushMain = (): void => {
    git(dir, 'push', '-q', people.address(name), 'HEAD:refs/heads/main');
  };
  const addFile = async (path: string, content: Buffer): Promise<LfsObject> => {
    const object = await upload(content);
    fixture.commit(dir, path, pointer(object), 'alice');
    pushMain();
    return object;
  };
  const prepare = async (sparse: readonly string[] = []) => {
    const refs = await people.adapter().refresh(people.repo(name), BRANCH, null);
    await people.adapter().writeRefsBundle(people.repo(name), refs, BRANCH, join(bottle.turn, 'refs.bundle'));
    const directory = join(bottle.turn, 'lfs');
    const lfs = await people.adapter().writeLfsObjects(people.repo(name), refs, directory, sparse);
    return { ...lfs, start: refs.startSha };
  };
  const turn = async (
    script: string,
    { start }: TurnLfs & { readonly start: string },
    input: Partial<TurnInput> = {},
  ): Promise<EntrypointEnd> => {
    const end = await bottle.run(script, { branch: BRANCH, start, lfs: true, ...input });
    assert.equal(end.exitCode, 0, end.stderr);
    return end;
  };
  const target = () => ({
    name: 'lfs-test',
    slug,
    image: 'bot-bottle/base:bookworm',
    workspaceDir: bottle.workspace,
    boundaryFile: null,
    branch: BRANCH,
    timeoutMs: 60_000,
  });
  const extract = async (known: readonly string[]) => {
    const output = await runtime.runOnce(extractionSpec(target(), known, 8 * MIB));
    assert.equal(output.exitCode, 0, output.stderr);
    return parseExtraction(output.stdout);
  };
  const publish = async (baseSha: string) => {
    const { bundle } = await extract([baseSha]);
    assert.ok(bundle);
    const bundleFile = join(fixture.root, 'extracted.bundle');
    writeFileSync(bundleFile, bundle);
    return fixture.publish({ repo: people.repo(name), bundleFile, baseSha }, people.adapter());
  };

  it('have their content, and git sees no change, in the bottle and in the extractor', async () => {
    const big = randomBytes(3 * MIB);
    const object = await addFile('art/big.bin', big);
    await addFile('small.bin', Buffer.from('tiny\n'));
    await addFile('same.bin', big);
    const prepared = await prepare();
    assert.deepEqual(prepared, { files: 3, leftOut: [], start: prepared.start });
    assert.equal(readdirSync(join(bottle.turn, 'lfs')).length, 2);
    const end = await turn(
      'sha256sum <art/big.bin; cat small.bin; git status --porcelain; touch */*.bin *.bin; git status --porcelain; git diff HEAD --stat',
      prepared,
    );
    assert.equal(end.stdout, `${object.oid}  -\ntiny\n`);
    // Whatever the index says of times: the extractor's git must look inside.
    await turn('sleep 1; touch *.bin art/*.bin', prepared, { turn: 2 });
    const { inspection, bundle } = await extract([prepared.start]);
    assert.deepEqual([inspection.uncommitted, bundle], [[], null]);

    // From the store, also when the forge has lost it.
    rmSync(join(bottle.turn, 'lfs'), { recursive: true });
    assert.equal((await prepare()).files, 3);
    const store = join(mirrorDirectory(fixture.mirrorsDir, people.repo(name)), 'lfs');
    assert.ok(existsSync(join(store, 'objects', object.oid.slice(0, 2), object.oid.slice(2, 4), object.oid)));
    assert.deepEqual(readdirSync(join(store, 'half')), []);
  });

  it('are not published when they changed, with what to do, and nothing of them is lost', async () => {
    await addFile('a.bin', Buffer.from('before\n'));
    const prepared = await prepare();
    const end = await turn(
      [
        'echo after >a.bin; git status --porcelain; git commit -qam changed; git status --porcelain',
        'git cat-file -p HEAD:a.bin | head -1',
        'git checkout -q HEAD~1; cat a.bin; git checkout -q -; cat a.bin',
      ].join('\n'),
      prepared,
    );
    assert.equal(end.stdout, ' M a.bin\nversion https://git-lfs.github.com/spec/v1\nbefore\nafter\n');
    assert.match(
      reasonOf(await publish(prepared.start)),
      /a\.bin of commit .* is a new Git LFS pointer.*\.gitattributes/,
    );
  });

  it('let everything beside them be published, also when they are moved', async () => {
    await addFile('a.bin', Buffer.from('content\n'));
    await gitea.alice.api.call('PUT', `/repos/alice/${name}/collaborators/${gitea.bot.login}`, {
      permission: 'write',
    });
    const prepared = await prepare();
    await turn('git mv a.bin b.bin; echo work >work.txt; git add -A; git commit -qm work', prepared);
    assert.equal((await publish(prepared.start)).kind, 'pushed');
    git(dir, 'fetch', '-q', people.address(name), BRANCH);
    assert.match(git(dir, 'show', 'FETCH_HEAD:b.bin'), /^version https/);
    const patch = await runtime.runOnce(patchSpec(target(), MIB));
    assert.equal(Buffer.from(patch.stdout).toString(), '');
  });

  it('that are content in the place of their pointer are not published', async () => {
    await addFile('a.bin', Buffer.from('content\n'));
    const prepared = await prepare();
    await turn(
      'git config --remove-section filter.lfs; git add --renormalize a.bin; git commit -qm raw; git cat-file -p HEAD:a.bin',
      prepared,
    );
    assert.match(reasonOf(await publish(prepared.start)), /a\.bin of commit .* content of a file of Git LFS/);
  });

  it('stay pointers, with the reason, where the forge does not have them or they are too large', async () => {
    const gone = objectOf(Buffer.from('never uploaded'));
    fixture.commit(dir, 'gone.bin', pointer(gone), 'alice');
    fixture.commit(dir, 'huge.bin', pointer({ oid: 'f'.repeat(64), size: 600 * MIB }), 'alice');
    fixture.commit(dir, 'docs/other.bin', pointer(objectOf(Buffer.from('x'))), 'alice');
    fixture.commit(dir, 'not-lfs.txt', pointer(objectOf(Buffer.from('y'))), 'alice');
    await addFile('there.bin', Buffer.from('there\n'));
    const prepared = await prepare(['src']);
    assert.equal(prepared.files, 1);
    assert.deepEqual(
      prepared.leftOut.map(({ path, reason }) => `${path}: ${reason}`).sort(),
      [
        'gone.bin: the forge does not have it',
        'huge.bin: it has 629145600 bytes, more than the 536870912 of one object',
      ].sort(),
    );
    const end = await turn('cat gone.bin there.bin; git status --porcelain', prepared, { sparse: ['src'] });
    assert.equal(end.stdout, `${pointer(gone)}there\n`);
  });

  it('are those that the base has by now too, so that it can be merged', async () => {
    await addFile('a.bin', Buffer.from('one\n'));
    git(dir, 'push', '-q', people.address(name), `HEAD:refs/heads/${BRANCH}`);
    await turn('true', await prepare());
    await addFile('a.bin', Buffer.from('two\n'));
    const end = await turn(
      'git merge -q --ff-only refs/remotes/base/main; cat a.bin; git status --porcelain',
      await prepare(),
      { turn: 2 },
    );
    assert.equal(end.stdout, 'two\n');
  });
});
