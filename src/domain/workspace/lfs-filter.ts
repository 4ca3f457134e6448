/**
 * git's filter for files of Git LFS, for images without git-lfs: `perl <file> clean|smudge [<own> <given>]`. `smudge` turns a
 * pointer on standard input into the object, from `<own>/objects/aa/bb/<oid>` or `<given>/<oid>`; without it the pointer
 * stays. `clean` turns content into its pointer and keeps the content in `<own>`, when that is named; a pointer stays what
 * it is. A failure is git's to report (`filter.lfs.required`): content never gets into a commit in a pointer's place.
 *
 * In the workspace, and in the extractor, whose git would else take such a file for a changed one.
 */
export const LFS_FILTER = String.raw`use strict;
use warnings;
use Digest::SHA;
use File::Path qw(make_path);

my ($mode, $own, $given) = @ARGV;
binmode STDIN;
binmode STDOUT;

my $head = '';
while (length $head < 1024) {
  my $count = read STDIN, $head, 1024 - length $head, length $head;
  die "bottle-lfs: $!\n" unless defined $count;
  last if $count == 0;
}
my ($oid, $size) = length $head < 1024
  ? $head =~ m{\Aversion https://git-lfs\.github\.com/spec/v1\n(?:ext-[^\n]+\n)*oid sha256:([0-9a-f]{64})\nsize ([0-9]+)\n\z}
  : ();

sub kept { return sprintf '%s/objects/%s/%s/%s', $own, substr($_[0], 0, 2), substr($_[0], 2, 2), $_[0] }

sub put {
  my ($to, $bytes) = @_;
  print {$to} $bytes or die "bottle-lfs: $!\n";
}

sub pass {
  my ($from, $each) = @_;
  while (1) {
    my $count = read $from, my $part, 1 << 16;
    die "bottle-lfs: $!\n" unless defined $count;
    return if $count == 0;
    $each->($part);
  }
}

if ($mode eq 'smudge') {
  for my $file (defined $oid ? (kept($oid), "$given/$oid") : ()) {
    next unless open my $in, '<:raw', $file;
    next unless -s $in == $size;
    pass($in, sub { put(\*STDOUT, $_[0]) });
    close STDOUT or die "bottle-lfs: $!\n";
    exit 0;
  }
}
if ($mode eq 'smudge' || defined $oid || $head eq '') {
  put(\*STDOUT, $head);
  pass(\*STDIN, sub { put(\*STDOUT, $_[0]) });
  close STDOUT or die "bottle-lfs: $!\n";
  exit 0;
}

my ($hash, $length, $copy, $out) = (Digest::SHA->new(256), 0);
if (defined $own) {
  make_path("$own/tmp");
  $copy = "$own/tmp/$$-" . time;
  open $out, '>:raw', $copy or die "bottle-lfs: $copy: $!\n";
}
my $take = sub {
  $hash->add($_[0]);
  $length += length $_[0];
  put($out, $_[0]) if defined $out;
};
$take->($head);
pass(\*STDIN, $take);
my $digest = $hash->hexdigest;
if (defined $out) {
  close $out or die "bottle-lfs: $!\n";
  my $place = kept($digest);
  if (-e $place || -e "$given/$digest") {
    unlink $copy;
  } else {
    make_path($place =~ s{/[^/]+\z}{}r);
    rename $copy, $place or die "bottle-lfs: $place: $!\n";
  }
}
put(\*STDOUT, "version https://git-lfs.github.com/spec/v1\noid sha256:$digest\nsize $length\n");
close STDOUT or die "bottle-lfs: $!\n";
`;
