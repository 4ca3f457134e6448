// Taking more of the machine than a bottle has. Each bomb goes off in a process of its own.
import { blocked, perl, shell, through } from './tools.mjs';

const bomb = (name, tries, run) => ({ name: `limit: ${name}`, tries, run });

/** What `code` printed is a number, and at most `most`. */
const atMost = (text, most, what) => {
  const number = Number(text);
  const evidence = `${text} ${what}`;
  return Number.isInteger(number) && number > 0 && number <= most ? blocked(evidence) : through(evidence);
};

export const limits = [
  bomb('processes', 'a fork bomb', (targets) =>
    atMost(
      perl(
        `my @p; while (@p < 2000) { my $p = fork; last unless defined $p; if (!$p) { sleep 30; exit } push @p, $p }
         print scalar @p; kill 9, @p`,
      ),
      targets.pids,
      'processes',
    ),
  ),
  bomb('memory', 'twice the memory there is', (targets) => {
    const end = perl(`my $x = 'x' x ${targets.memoryBytes}; my $y = $x . $x; print length $y`);
    return end === 'SIGKILL' || /Out of memory/.test(end) ? blocked(end) : through(end);
  }),
  bomb('shared memory', 'to fill /dev/shm', () => {
    const said = shell('head -c 200M /dev/zero >/dev/shm/x; stat -c %s /dev/shm/x; rm /dev/shm/x');
    return /No space left/.test(said) ? blocked(said) : through(said);
  }),
  bomb('tmp', 'to fill /tmp', (targets) => {
    const said = shell(`head -c ${targets.memoryBytes} /dev/zero >/tmp/x; stat -c %s /tmp/x; rm /tmp/x`);
    return /No space left/.test(said) ? blocked(said) : through(said);
  }),
  bomb('file size', 'a file of 9 GiB', () => {
    const said = shell(
      'truncate -s 9G /workspace/nine; stat -c %s /workspace/nine 2>/dev/null; rm -f /workspace/nine',
    );
    return /9663676416/.test(said) ? through(said) : blocked(said || 'refused');
  }),
  bomb('open files', 'more files than one process may have open', () =>
    atMost(
      perl(`my @f; while (@f < 40000 && open my $f, '<', '/dev/null') { push @f, $f } print scalar @f`),
      16_384,
      'open files',
    ),
  ),
  bomb('core', 'a core file', () => {
    const said = shell('ulimit -c; ulimit -H -c; ulimit -c unlimited 2>&1');
    return /^0\n0\n.*not permitted/s.test(said) ? blocked('0') : through(said);
  }),
  bomb('arguments', 'a program with 8 MiB of arguments', () => {
    const said = perl(`my $r = exec('/bin/true', 'x' x (8 * 1024 * 1024)); print $! + 0`);
    return said === '7' ? blocked('E2BIG') : through(said);
  }),
  bomb('locked memory', 'to lock 64 MiB', () => {
    const number = process.arch === 'arm64' ? 228 : 149;
    const said = perl(
      `my $x = 'x' x (64 * 1024 * 1024); print syscall(${number}, $x, length $x) < 0 ? $! + 0 : 0`,
    );
    return said === '12' || said === '1' ? blocked(`errno ${said}`) : through(said);
  }),
  bomb('message queues', 'kernel memory by message queues', () => {
    const said = shell(
      'cat /proc/self/limits | grep msgqueue; for i in $(seq 1 300); do : >/dev/mqueue/$i; done 2>&1 | tail -n 1; ls /dev/mqueue | wc -l; rm -f /dev/mqueue/*',
    );
    const made = Number(said.split('\n').at(-1));
    return made < 300 ? blocked(`${made} queues`) : through(said);
  }),
  bomb('raise', 'to raise its own limits', () => {
    const said = shell('ulimit -n 1000000 2>&1; ulimit -f unlimited 2>&1');
    return said.split('\n').every((line) => line.includes('not permitted'))
      ? blocked('not permitted')
      : through(said);
  }),
];
