import { renameSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lines, lying, nameOf, type QueueCase } from './queue-case.js';

const NO_NAME = /^not the name of a message$/;

const named = (what: string, ...names: readonly (string | Buffer)[]): QueueCase =>
  lying(what, NO_NAME, async ({ out, slug }) => {
    for (const name of names)
      await writeFile(
        Buffer.concat([Buffer.from(`${out}/`), Buffer.from(name)]),
        JSON.stringify(lines(slug, 'x')),
      );
  });
const good = (sequence: number): string => nameOf(sequence);

/** Names of files, and how many there are. */
export const NAMES: readonly QueueCase[] = [
  named('names that lack something', 'x.json', '0-abcdefgh.json', '000000000001-.json', '000000000001.json'),
  named('names with more than they should have', `${good(1)}.bak`, `x${good(1)}`, `${good(1)}~`),
  named('an id in capitals', '000000000001-ABCDEFGH.json'),
  named('an id of 41 letters', nameOf(1, 'a'.repeat(41))),
  named('names of dots', '..json', '...', '.x'),
  named('names that are options', '-rf', '--help'),
  named('a name of 255 bytes', 'n'.repeat(255)),
  named('a name with a line feed', `a\n${good(1)}`),
  named('names that move the cursor and turn the text', '\u001b[2J\u001b[31m', 'a\u202ejson.1'),
  named('digits and letters of other scripts', '٠٠٠٠٠٠٠٠٠٠٠١-abcdefgh.json', '000000000001-аbсdefgh.json'),
  named('names that are no UTF-8', Buffer.from([0xff, 0xfe, 0x80]), Buffer.from(`${good(1)}\xff`, 'latin1')),
  named('a name with shell in it', '$(touch x);`touch y`|z'),
  lying('300 good messages', 'flood', async ({ out, slug }) => {
    const text = JSON.stringify(lines(slug, 'x'));
    for (let at = 0; at < 300; at += 1) await writeFile(join(out, `../m${String(at)}`), text);
    // Before the worker has another turn.
    for (let at = 0; at < 300; at += 1) renameSync(join(out, `../m${String(at)}`), join(out, good(at)));
  }),
  lying('5,000 files of nothing', 'flood', async ({ out }) => {
    for (let at = 0; at < 5_000; at += 1) await writeFile(join(out, String(at)), '');
  }),
  lying('2,000 messages that are never finished', 'flood', async ({ out }) => {
    for (let at = 0; at < 2_000; at += 1) await writeFile(join(out, `.writing-${String(at)}`), '');
  }),
  lying('1,500 directories', 'flood', async ({ out }) => {
    for (let at = 0; at < 1_500; at += 1) await mkdir(join(out, nameOf(at)));
  }),
];
