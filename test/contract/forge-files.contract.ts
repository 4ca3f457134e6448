import assert from 'node:assert/strict';
import { InvalidInputError } from '../../src/domain/base/errors.js';
import type { ForgeFixture } from './forge-world.js';

let files = 0;

/** Files of the repository, at a commit. */
export function filesContract(use: () => ForgeFixture): void {
  async function added(content: string): Promise<{ readonly path: string; readonly sha: string }> {
    files += 1;
    const path = `.bot-bottle/agents/agent-${String(files)}.md`;
    return { path, sha: await use().owner.createFile({ branch: 'main', path, content }) };
  }
  const text = async (path: string, commit: string): Promise<string> => {
    const file = await use().forge.readFile(path, commit, 1000);
    return file.kind === 'file' ? Buffer.from(file.content).toString() : file.kind;
  };

  it('knows the head of the default branch, and no other branch’s', async () => {
    const fixture = use();
    const { sha } = await added('one\n');
    await fixture.branchWithCommit();
    assert.equal(await fixture.forge.readDefaultHead(), sha);
  });

  it('reads a file as it was at a commit, whatever came after', async () => {
    const { forge } = use();
    const content = `ä${'x'.repeat(200)}\n`;
    const before = await forge.readDefaultHead();
    const { path, sha } = await added(content);
    const later = await added('later\n');
    assert.equal(await text(path, sha), content);
    assert.equal(await text(path, later.sha), content);
    assert.equal(await text(later.path, sha), 'none');
    assert.equal(await text(path, before ?? ''), 'none');
  });

  it('does not read what is too long, or a directory', async () => {
    const { forge } = use();
    const { path, sha } = await added('12345');
    assert.deepEqual(await forge.readFile(path, sha, 4), { kind: 'unfit', why: 'is longer than 4 bytes' });
    assert.equal((await forge.readFile(path, sha, 5)).kind, 'file');
    assert.deepEqual(await forge.readFile('.bot-bottle/agents', sha, 1000), {
      kind: 'unfit',
      why: 'is a directory',
    });
  });

  it('refuses what is no path below the root, and no id of a commit, before any request', async () => {
    const { forge } = use();
    const commit = 'a'.repeat(40);
    for (const path of ['', '/etc/passwd', '../x', 'a/../b', 'a//b', './a', 'a\nb', 'a/'])
      await assert.rejects(forge.readFile(path, commit, 1), InvalidInputError, path);
    for (const wrong of ['', 'main', 'HEAD', `${commit}0`, 'a'.repeat(39), '--x'])
      await assert.rejects(forge.readFile('README.md', wrong, 1), InvalidInputError, wrong);
  });
}
