import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removalSpec } from '../../../src/domain/bottle/tree-removal.js';
import type { OneShotResult, OneShotSpec } from '../../../src/domain/bottle/bottle-runtime.js';
import { BUNDLE_IMAGE, withBottles } from './support/test-bottle.js';

/** Directories in one another, each full of links, which all have a higher inode: `find` looks at the directory first. */
const LINKS = `
my ($levels, $links) = (5, 100_000);
my ($highest, $path, $there) = (0, '.');
for (1 .. $levels) {
  mkdir($path .= '/d') or die $!;
  my $inode = (stat $path)[1];
  ($highest, $there) = ($inode, $path) if $inode > $highest;
}
my (@files, @lower);
for (my $n = 0; @files < $levels * $links / 60_000; $n++) {
  open my $file, '>', "$there/file$n" or die $!;
  push @{ (stat $file)[1] > $highest ? \\@files : \\@lower }, "/tree/$there/file$n";
}
unlink @lower;
my $made = 0;
for (1 .. $levels) {
  chdir 'd' or die $!;
  link $files[$made++ / 60_000], ('l' x 240) . $_ or die $! for 1 .. $links;
}`;

const NAMES = `
for my $name ('0', "a\\nb", "\\xff\\xfe", '-rf', ' ', 'x' x 255) {
  mkdir $name or die $!;
  open my $file, '>', "$name/$name" or die $!;
  chmod 0, "$name/$name", $name;
}
symlink '/other', 'other'; symlink '..', 'up'; symlink 'loop', 'loop'; symlink '0', 'directory';
system 'mkfifo pipe; mkdir sticky; touch sticky/file; chmod 1000 sticky';`;

/** Longer than a path may be, deeper than what stays open, and with something left to read in each on the way back. */
const DEEP = `
for (1 .. 1_200) {
  mkdir 'd' x 200 or die $!;
  for my $name ('a', 'z') { open my $file, '>', $name or die $! }
  mkdir 'e';
  chdir 'd' x 200 or die $!;
}`;

describe('docker: what an agent left is removed', function () {
  this.timeout(120_000);
  const bottle = withBottles();
  const workspace = (): string => join(bottle().dir, 'workspace');
  const other = (): string => join(bottle().dir, 'queue');

  /** As the agent, in the workspace. */
  async function leave(perl: string): Promise<void> {
    const mounts = [{ source: workspace(), target: '/tree', readOnly: false }];
    const made = await bottle().runtime.runOnce(
      bottle().oneShot('', {
        argv: ['/usr/bin/perl', '-e', `use strict; chdir '/tree' or die; ${perl}`],
        mounts,
        timeoutMs: 100_000,
      }),
    );
    assert.equal(made.exitCode, 0, made.stderr);
  }
  const spec = (): OneShotSpec => {
    const { slug } = bottle();
    return removalSpec({ slug, image: BUNDLE_IMAGE, trees: [workspace()], volumes: [] });
  };
  const remove = (more: Partial<OneShotSpec> = {}): Promise<OneShotResult> =>
    bottle().runtime.runOnce({ ...spec(), ...more });
  const removeAll = async (): Promise<void> => {
    const { exitCode, stderr } = await remove();
    assert.deepEqual([exitCode, stderr, await readdir(workspace())], [0, '', []]);
  };

  it('though its directories hold more than fits into memory, as find must hold it', async () => {
    await leave(LINKS);
    const find = await remove({ argv: ['/usr/bin/find', '/tree0', '-mindepth', '1', '-delete'] });
    assert.equal(find.exitCode, 137);
    await removeAll();
  });

  it('though it has odd names, closed directories, pipes, and links to what is not its own', async () => {
    await leave(NAMES);
    const mounts = [...spec().mounts, { source: other(), target: '/other', readOnly: false }];
    const { exitCode, stderr } = await remove({ mounts });
    assert.deepEqual([exitCode, stderr, await readdir(workspace())], [0, '', []]);
    assert.deepEqual((await readdir(other())).sort(), ['in', 'out']);
  });

  it('though it is deeper than any path', async () => {
    await leave(DEEP);
    await removeAll();
  });

  it('from the volumes too', async () => {
    await bottle().createBoth();
    await bottle().shell('mkdir ~/d && touch ~/d/file ~/.hidden && chmod 0 ~/d');
    await bottle().runTurn();
    const { slug, runtime } = bottle();
    const left = await runtime.runOnce(
      removalSpec({ slug, image: BUNDLE_IMAGE, trees: [], volumes: ['home', 'sock'] }),
    );
    assert.deepEqual([left.exitCode, left.stderr], [0, '']);
    const volumes = [{ kind: 'home', target: '/home', readOnly: true } as const];
    const { stdout } = await runtime.runOnce(bottle().oneShot('ls -A /home', { user: 'reader', volumes }));
    assert.equal(Buffer.from(stdout).toString(), '');
  });

  it('but for what nobody can remove, which is told without a name of the agent’s', async () => {
    await leave(`mkdir 'a'; mkdir 'a/stays'; mkdir "a/$_" for 1 .. 9; mkdir 'b'`);
    await mkdir(join(other(), 'mounted'));
    const mounted = { source: join(other(), 'mounted'), target: '/tree0/a/stays', readOnly: false };
    const { exitCode, stderr } = await remove({ mounts: [...spec().mounts, mounted] });
    assert.deepEqual(
      [exitCode, stderr],
      [1, '2 things stay, the first of them: rmdir: Device or resource busy\n'],
    );
    assert.deepEqual(await readdir(workspace(), { recursive: true }), ['a', 'a/stays']);
    await removeAll();
  });
});
