import type { SessionCase } from './session-case.js';

const kept = (name: string, script: string, more: Partial<SessionCase> = {}): SessionCase => ({
  name,
  script,
  end: 'kept',
  ...more,
});
const other = (name: string, end: SessionCase['end'], script: string): SessionCase => ({ name, script, end });
const TOO_DEEP = 3;

/** In place of the session itself. */
const PLACES: readonly SessionCase[] = [
  other('nothing', 'no session', 'true'),
  kept('an empty directory', 'mkdir $S'),
  kept('a file', 'echo x > $S'),
  kept('a link to a file of the image', 'ln -s /etc/passwd $S'),
  kept('a link to /etc', 'ln -s /etc $S'),
  kept('a link to /proc', 'ln -s /proc $S'),
  kept('a link to what a process has open', 'ln -s /proc/self/fd $S'),
  kept('a link out of the container', 'ln -s ../../../../../../../../var/lib/docker $S', { isCut: true }),
  kept('a link to nothing', 'ln -s nothing $S'),
  other('a link to itself', 'unreadable', 'ln -s $(basename $S) $S'),
  other('two links to each other', 'unreadable', 'ln -s $(basename $S)- $S; ln -s $(basename $S) $S-'),
  kept('a pipe', 'mkfifo $S'),
  kept(
    'a socket',
    `node -e 'require("net").createServer().listen(process.argv[1], () => process.exit())' $S`,
  ),
];

/** In its place, and the session's paths lie behind it. */
const BEHIND: readonly SessionCase[] = [
  kept('paths behind a link to /etc', 'ln -s /etc $S', { paths: ['passwd', 'ssl/openssl.cnf'] }),
  other('paths behind a link to itself', 'unreadable', 'ln -s $(basename $S) $S'),
  kept(
    'a path behind a link to the workspace',
    'mkdir /workspace/there; echo x >/workspace/there/x; ln -s /workspace/there $S',
    {
      paths: ['x'],
    },
  ),
  {
    name: 'paths behind a link to /proc',
    script: 'ln -s /proc $S',
    end: 'no session',
    paths: ['1/environ', 'kcore'],
  },
  { name: 'a path behind a file', script: 'echo x > $S', end: 'unreadable', paths: ['x'] },
  { name: 'a path behind a pipe', script: 'mkfifo $S', end: 'unreadable', paths: ['x'] },
];

/** In the session. */
const INSIDE: readonly SessionCase[] = [
  kept('a directory that nobody may read', 'mkdir -p $S/d; echo x >$S/d/x; chmod 0 $S/d $S'),
  kept('files that nobody may read', 'mkdir $S; echo x >$S/x; chmod 0 $S/x'),
  kept('files that run as their owner', 'mkdir $S; echo x >$S/x; chmod 6777 $S/x $S'),
  kept(
    'pipes and sockets',
    `mkdir $S; mkfifo $S/p; node -e 'require("net").createServer().listen(process.argv[1], () => process.exit())' $S/s`,
  ),
  kept(
    'names with line feeds, marks of direction and bytes that are no UTF-8',
    `mkdir $S; cd $S; touch $'a\\nb' $'\\u202egnp.js' $'\\xff\\xfe' $'\\e[2J' -- '-rf' '..x'`,
  ),
  kept('names of 255 bytes', 'mkdir -p $S/$(printf "%0255d" 1)/$(printf "%0255d" 2)'),
  kept('directories 500 deep', `mkdir -p $S/$(printf 'd/%.0s' $(seq 500))`),
  other(
    'directories too deep for a path',
    'too large',
    `for i in $(seq ${String(TOO_DEEP)}); do mkdir -p $S-/$(printf 'd/%.0s' $(seq 1000)); [ -e $S ] && mv $S $S-/$(printf 'd/%.0s' $(seq 1000))e; mv $S- $S; done`,
  ),
  kept('2,000 empty files', 'mkdir $S; cd $S; seq 2000 | xargs touch'),
  other('20,000 empty files', 'too large', 'mkdir $S; cd $S; seq 20000 | xargs touch'),
  other('a file of 7 GB of holes', 'too large', 'mkdir $S; truncate -s 7G $S/x'),
  other('200 GB of holes', 'too large', 'mkdir $S; for i in $(seq 29); do truncate -s 7G $S/$i; done'),
  kept('1,000 names of one file', 'mkdir $S; cd $S; echo x >x; for i in $(seq 1000); do ln x $i; done'),
  kept('a name of a file beside the session', 'mkdir $S; echo outside >$S-secret; ln $S-secret $S/x'),
  kept(
    'a file, and a link out of the container',
    'mkdir $S; ln -s ../../../../../../etc/passwd $S/up; echo x >$S/x',
    { isCut: true },
  ),
  kept('links to each other', 'mkdir $S; ln -s b $S/a; ln -s a $S/b; ln -s . $S/here; ln -s $S $S/again'),
  kept(
    'a directory, and a link of the same name where it comes back',
    'mkdir -p $S/a; ln -s /workspace $S/a/w; mkdir $S/b',
  ),
];

/** What a hostile agent leaves where its provider keeps sessions. */
export const HOSTILE_SESSIONS: readonly SessionCase[] = [...PLACES, ...BEHIND, ...INSIDE];
