import { execFileSync } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import {
  appendFile,
  chown,
  link,
  mkdir,
  open,
  rename,
  symlink,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { QUEUE_MESSAGE_BYTES } from '../../../src/domain/run/queue.js';
import { FIRST, lines, lying, nameOf, putWhole, type Going, type QueueCase } from './queue-case.js';

const AGENT_UID = 1000;

const linked = (name: string, target: string): QueueCase =>
  lying(name, /^a link$/, ({ out }) => symlink(target, join(out, FIRST)));
const made = (
  name: string,
  make: (path: string) => unknown,
  more: Pick<QueueCase, 'asRoot' | 'stays'> = {},
): QueueCase => lying(name, /^not a regular file$/, async ({ out }) => make(join(out, FIRST)), more);

/** Does it again and again beside the worker. */
function again(work: () => Promise<unknown>): Going {
  const over = new AbortController();
  const going = (async () => {
    while (!over.signal.aborted) {
      // The worker may have taken it away meanwhile.
      await work().catch(() => undefined);
      await setImmediate();
    }
  })();
  return async () => {
    over.abort();
    await going;
  };
}

const LINKS: readonly QueueCase[] = [
  lying('a link to a file of the host', /^a link$/, ({ out, outside }) => symlink(outside, join(out, FIRST))),
  linked('a link to itself', FIRST),
  linked('a link to nothing', 'nothing'),
  linked('a link to a device without end', '/dev/zero'),
  linked('a link to what the worker has open', '/proc/self/fd/1'),
  linked('a link to a directory', '/etc'),
  linked('a link to the directory it lies in', '.'),
  linked('a link with a target of 4,000 bytes', 'x/'.repeat(2_000)),
  lying('a link to another message', /^a link$/, async ({ out, slug }) => {
    await symlink(nameOf(2), join(out, FIRST));
    await putWhole(out, nameOf(2), JSON.stringify(lines(slug, 'x')));
  }),
  lying('another name of a file of the host', /^2 links$/, ({ out, outside }) =>
    link(outside, join(out, FIRST)),
  ),
  lying('two names of one file', /^2 links$/, async ({ out, slug }) => {
    await writeFile(join(out, '.writing-abcdefgh'), JSON.stringify(lines(slug, 'x')));
    await link(join(out, '.writing-abcdefgh'), join(out, FIRST));
  }),
];

const NO_FILES: readonly QueueCase[] = [
  made('a pipe that nobody writes', (path) => execFileSync('mkfifo', [path])),
  {
    name: 'a pipe that somebody writes without end',
    end: /^not a regular file$/,
    put: async ({ out }) => {
      const path = join(out, FIRST);
      execFileSync('mkfifo', [path]);
      const pipe = await open(path, constants.O_RDWR | constants.O_NONBLOCK);
      const going = again(() => pipe.write(Buffer.alloc(4_096)));
      return async () => {
        await going();
        await pipe.close();
      };
    },
  },
  {
    name: 'a socket',
    end: /^not readable \(ENXIO\)$/,
    put: async ({ out }) => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(join(out, FIRST), resolve));
      return () =>
        new Promise<void>((resolve) =>
          server.close(() => {
            resolve();
          }),
        );
    },
  },
  made('a device without end', (path) => execFileSync('mknod', [path, 'c', '1', '5']), { asRoot: true }),
  made('a disk', (path) => execFileSync('mknod', [path, 'b', '7', '200']), { asRoot: true }),
  made('a directory', (path) => mkdir(path)),
  made(
    'a directory with 5,000 files',
    async (path) => {
      // Whole before it is looked at, or it is taken away while it is empty.
      const filling = join(dirname(path), '.writing-many');
      await mkdir(filling);
      for (let at = 0; at < 5_000; at += 1) await writeFile(join(filling, String(at)), '');
      await rename(filling, path);
    },
    { stays: true },
  ),
  made(
    'directories 1,500 deep',
    async (path) => {
      const filling = join(dirname(path), '.writing-deep');
      await mkdir(join(filling, 'd/'.repeat(1_500)), { recursive: true });
      await rename(filling, path);
    },
    { stays: true },
  ),
  lying(
    'a file of root’s',
    /^written by uid \d+$/,
    async ({ out, slug }) => {
      await putWhole(out, FIRST, JSON.stringify(lines(slug, 'x')));
      await chown(join(out, FIRST), AGENT_UID + 1, 0);
    },
    { asRoot: true },
  ),
  lying(
    'a file of the agent’s',
    /^written by uid 1000$/,
    async ({ out, slug }) => {
      await putWhole(out, FIRST, JSON.stringify(lines(slug, 'x')));
      await chown(join(out, FIRST), AGENT_UID, AGENT_UID);
    },
    { asRoot: true },
  ),
];

const SIZES: readonly QueueCase[] = [
  lying('a file of nothing', /^not a message$/, ({ out }) => putWhole(out, FIRST, '')),
  lying('a file one byte too long', /^\d+ bytes$/, ({ out }) =>
    putWhole(out, FIRST, ' '.repeat(QUEUE_MESSAGE_BYTES + 1)),
  ),
  lying('a file of a terabyte of holes', /^\d+ bytes$/, async ({ out }) => {
    await writeFile(join(out, FIRST), '');
    await truncate(join(out, FIRST), 2 ** 40);
  }),
  {
    name: 'a file that grows while it is read',
    end: /^(grew while it was read|\d+ bytes|not a message)$/,
    put: async ({ out }) => {
      await writeFile(join(out, FIRST), ' '.repeat(QUEUE_MESSAGE_BYTES - 10_000));
      const file = await open(join(out, FIRST), 'a');
      const going = again(() => file.write(' '.repeat(100)));
      return async () => {
        await going();
        await file.close();
      };
    },
  },
  {
    name: 'a name that is a file and a link by turns',
    end: /^(a link|0 links|not a message|grew while it was read)$/,
    put: ({ out, outside }) => {
      const path = join(out, FIRST);
      return Promise.resolve(
        again(async () => {
          await writeFile(path, '{"kind":');
          await setImmediate();
          await unlink(path);
          await symlink(outside, path);
          await setImmediate();
          await unlink(path);
        }),
      );
    },
  },
  {
    name: 'a message that comes back whenever it was taken',
    end: 'delivered',
    put: ({ out, slug }) => {
      const text = JSON.stringify(lines(slug, 'x'));
      return Promise.resolve(
        again(async () => {
          if (!existsSync(join(out, FIRST))) await putWhole(out, FIRST, text);
        }),
      );
    },
  },
  {
    name: 'a message that is never finished',
    end: 'delivered',
    put: ({ out }) => Promise.resolve(again(() => appendFile(join(out, '.writing-abcdefgh'), 'x'))),
  },
];

/** What lies under the name of a message. */
export const PLACES: readonly QueueCase[] = [...LINKS, ...NO_FILES, ...SIZES];
