/** In the extractor: ids of the commits where the history ends, one a line. */
export const BOUNDARY_TARGET = '/run/bottle-shallow';

/** Before the number of what a patch has no room for. */
export const LEFT_OUT = 'left out of the patch:';

/**
 * What runs in the throw-away extractor container: `sh -c SCRIPT extract <mode> <branch> <cap> [known commit…]`. The text
 * is fixed; values come as positional arguments only.
 *
 * No git process reads the workspace's own configuration. git works in a scratch repository of ours on tmpfs that borrows
 * the workspace's objects, so whatever the agent planted in `.git` (promisor remotes, filters, hooks, fsmonitor,
 * external diff, replace refs, grafts, a common directory) is never looked at. The environment and the `-c` options say
 * the same once more. The branch's tip is read from the ref files without git, for the same reason.
 *
 * Modes: `extract` writes NUL-terminated fields (magic, head, blob id of STUCK.md or `-`, length of the list), then the list
 * as `git status --porcelain -z` has it, cut at `cap` bytes, then `0` and NUL or `1`, NUL and the bundle. `patch` writes a
 * patch, at most `cap` bytes, and to standard error how many untracked files and repositories are not in it.
 *
 * Ends with 64 for a wrong call, 65 without a branch, 66 when `.git` is not an ordinary directory, 67 with alternates, 68
 * with a named pipe where git reads, 70 when git fails.
 */
export const EXTRACTOR_SCRIPT = `
set -u
[ "$#" -ge 3 ] || exit 64
mode=$1 branch=$2 cap=$3
shift 3
repo=/workspace/.git

export LC_ALL=C HOME=/nonexistent GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_ATTR_NOSYSTEM=1
export GIT_NO_LAZY_FETCH=1 GIT_NO_REPLACE_OBJECTS=1 GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0 GIT_LITERAL_PATHSPECS=1
export GIT_ALLOW_PROTOCOL= GIT_PAGER=cat

[ -d "$repo" ] && [ ! -L "$repo" ] || exit 66
[ -d "$repo/objects" ] && [ ! -L "$repo/objects" ] && [ ! -e "$repo/commondir" ] || exit 66
for file in "$repo/objects/info/alternates" "$repo/objects/info/http-alternates"; do
  [ ! -e "$file" ] && [ ! -L "$file" ] || exit 67
done

# What git would wait for without end, in nested repositories too.
pipe=$(find /workspace \\( -path '*/.git/*' -o -name .gitignore -o -name .gitattributes \\) -type p -print -quit 2>/dev/null)
[ -z "$pipe" ] || exit 68
# Where it would follow a link out of the repository.
link=$(find "$repo/objects" "$repo/index" "$repo/packed-refs" "$repo/refs" -type l -print -quit 2>/dev/null)
[ -z "$link" ] || exit 66

is_sha() {
  case $1 in *[!0-9a-f]*) return 1 ;; esac
  [ "\${#1}" -eq 40 ]
}

head=
if [ -f "$repo/refs/heads/$branch" ]; then
  head=$(head -c 64 "$repo/refs/heads/$branch" | tr -d '\\0' | sed -n 1p)
elif [ -f "$repo/packed-refs" ]; then
  while IFS=' ' read -r sha name; do
    [ "$name" != "refs/heads/$branch" ] || head=$sha
  done <<END
$(head -c 4194304 "$repo/packed-refs" | tr -d '\\0')
END
fi
is_sha "$head" || exit 65

scratch=$(mktemp -d /tmp/extract.XXXXXX 2>/dev/null || mktemp -d /dev/shm/extract.XXXXXX) || exit 70
case $branch in */*) above=/\${branch%/*} ;; *) above= ;; esac
mkdir -p "$scratch/objects/info" "$scratch/refs/heads$above" || exit 70
printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n' >"$scratch/config" || exit 70
printf '%s\\n' "$repo/objects" >"$scratch/objects/info/alternates" || exit 70
[ ! -f ${BOUNDARY_TARGET} ] || cp ${BOUNDARY_TARGET} "$scratch/shallow" || exit 70
printf '%s\\n' "$head" >"$scratch/refs/heads/$branch" || exit 70
printf 'ref: refs/heads/%s\\n' "$branch" >"$scratch/HEAD" || exit 70
export GIT_DIR=$scratch GIT_WORK_TREE=/workspace GIT_INDEX_FILE=$repo/index
cd /workspace || exit 70

g() {
  git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.untrackedCache=false -c protocol.allow=never \\
    -c safe.directory=/workspace -c diff.ignoreSubmodules=all -c core.bigFileThreshold=16m -c pack.threads=1 \\
    -c core.commitGraph=false -c core.multiPackIndex=false "$@"
}

[ "$(g cat-file -t "$head" 2>/dev/null)" = commit ] || exit 70

if [ "$mode" = patch ]; then
  # A copy of the index in which untracked files are "to be added", so that one diff shows them; no blob is written.
  cp "$repo/index" "$scratch/index" 2>/dev/null || :
  export GIT_INDEX_FILE=$scratch/index
  g ls-files --others --exclude-standard -z >"$scratch/untracked" || exit 70
  # A file that is beyond the cap by itself has no room in the patch; reading a hole of some GiB would take minutes.
  perl -0 -ln -e 'BEGIN { $cap = shift } if (!m{/\\z} && (lstat)[7] <= $cap) { print } else { $left++ }
    END { printf STDERR "\\n${LEFT_OUT} %d\\n", $left if $left }' "$cap" <"$scratch/untracked" >"$scratch/new" || exit 70
  if [ -s "$scratch/new" ]; then
    g add --intent-to-add --pathspec-from-file="$scratch/new" --pathspec-file-nul || exit 70
  fi
  { g diff --binary --no-ext-diff --no-textconv --no-color --no-renames --ignore-submodules=all HEAD
    printf '%s' "$?" >"$scratch/rc"; } | head -c "$cap"
  # 141: cut by the cap.
  case $(cat "$scratch/rc") in 0 | 141) exit 0 ;; *) exit 70 ;; esac
fi
[ "$mode" = extract ] || exit 64

stuck=-
if [ -f STUCK.md ] && [ ! -L STUCK.md ]; then
  stuck=$(head -c 1048576 STUCK.md | g hash-object --no-filters --stdin) || exit 70
elif [ -e STUCK.md ] || [ -L STUCK.md ]; then
  stuck=$(printf 'not a file' | g hash-object --stdin) || exit 70
fi

g status --porcelain -z --untracked-files=all --no-renames --ignore-submodules=all 2>/dev/null |
  head -c "$cap" >"$scratch/status"
length=$(wc -c <"$scratch/status") || exit 70
printf '%s\\0' bot-bottle-extract-1 "$head" "$stuck" "$((length))" || exit 70
cat "$scratch/status" || exit 70

# Away from the work tree: a file in it could have a ref's or a commit's name.
unset GIT_WORK_TREE
cd / || exit 70

# The mirror may know more than the workspace: what is not here can't be excluded.
if [ "$#" -gt 0 ]; then
  printf '%s\\n' "$@" | g cat-file --batch-check='%(objecttype) %(objectname)' >"$scratch/known" || exit 70
  set --
  while IFS=' ' read -r type sha; do
    [ "$type" != commit ] || set -- "$@" "^$sha"
  done <"$scratch/known"
fi
new=$(g rev-list --max-count=1 "refs/heads/$branch" "$@" --) || exit 70
if [ -z "$new" ]; then
  printf '0\\0'
  exit 0
fi
printf '1\\0' || exit 70
g bundle create --quiet --version=2 - "refs/heads/$branch" "$@" || exit 70
`;
