import type { OneShotSpec } from './bottle-runtime.js';

/** Three tries, and the keeping of the commits, fit into the activity's 15 minutes; each goes on where the last one ended. */
const TIMEOUT_MS = 3 * 60_000;
/** Directories that are open at the same time, 33 KB each. */
const MOST_OPEN = 500;

/**
 * `perl -e SCRIPT <directory>…` empties each directory. `find -delete` and `rm -r` hold up to 100,000 entries of every
 * directory on their way down, which a few nested ones, full of links to one file, make more than any memory. Here each
 * entry goes as it is read: 20 MB are enough for any tree.
 *
 * It goes down and up by one name at a time, since a path may be longer than the kernel takes. `unlink` comes first, and
 * removes no directory: so no link is followed. Only the nearest of the directories above stay open; one further up is
 * read again, and has by then only what is still to go. A directory from which something went is read once more, for
 * file systems that leave out entries then.
 *
 * Ends with 1 when something stays, and says how much and why the first of it did: no names, they are the agent's.
 */
const SCRIPT = `
use strict;
my ($stays, $why) = (0, '');
sub stays { $why ||= "$_[0]: $!"; $stays++; return }
sub listed { opendir my $listing, '.' or return stays('opendir'); return { listing => $listing } }

TREE: for my $tree (@ARGV) {
  my $before = $stays;
  if (!chdir $tree) { stays('chdir'); next }
  my @path = (listed() || next);
  while (1) {
    # What stays would be met again, without end.
    my $here = $path[-1] ||= ($stays == $before && listed()) || next TREE;
    my $name = readdir $here->{listing};
    if (!defined $name) {
      if ($here->{went} && $stays == $before) {
        $here->{went} = 0;
        rewinddir $here->{listing};
        next;
      }
      pop @path;
      next TREE if !@path;
      if (!chdir '..') { stays('chdir'); next TREE }
      my $above = $path[-1] || next;
      if (rmdir $above->{inner}) { $above->{went} = 1 } else { stays('rmdir') }
      next;
    }
    next if $name eq '.' || $name eq '..';
    if (unlink $name) { $here->{went} = 1; next }
    my $fault = $!;
    if (!lstat $name || !-d _) { $! = $fault; stays('unlink') }
    elsif (!chdir $name) { stays('chdir') }
    elsif (my $inner = listed()) {
      $here->{inner} = $name;
      push @path, $inner;
      $path[$#path - ${String(MOST_OPEN)}] = undef if @path > ${String(MOST_OPEN)};
    }
    elsif (!chdir '..') { stays('chdir'); next TREE }
  }
}
if ($stays) { print STDERR "$stays things stay, the first of them: $why\\n"; exit 1 }
`;

export interface RemovalTarget {
  readonly slug: string;
  readonly image: string;
  /** Host directories, which stay. */
  readonly trees: readonly string[];
  /** Volumes of the run, which are there, and stay. */
  readonly volumes: readonly NonNullable<OneShotSpec['volumes']>[number]['kind'][];
}

/** A container that empties what belongs to agent and bundle: the host, and its engine, never walk it. */
export function removalSpec({ slug, image, trees, volumes }: RemovalTarget): OneShotSpec {
  const mounts = trees.map((source, at) => ({ source, target: `/tree${String(at)}`, readOnly: false }));
  const kinds = volumes.map((kind) => ({ kind, target: `/${kind}`, readOnly: false }));
  return {
    name: 'remove',
    slug,
    image,
    argv: ['/usr/bin/perl', '-e', SCRIPT, ...[...mounts, ...kinds].map(({ target }) => target)],
    user: 'remover',
    mounts,
    volumes: kinds,
    env: {},
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: 64 * 1024,
  };
}
