/**
 * Given to node with NODE_OPTIONS=--import: lets the worker of `up` die as soon as it is told to start, each time in the
 * next way of DIE_BY (`throw`, `heap`, `kill`, `exit`; the last one for ever). DIE_COUNT is a file to count in.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

const { DIE_BY = '', DIE_COUNT = '', DIE_TEXT = '' } = process.env;
if (process.argv[1]?.endsWith('/dist/worker.js')) {
  process.once('message', () => {
    appendFileSync(DIE_COUNT, '.');
    const ways = DIE_BY.split(',');
    die(ways[Math.min(readFileSync(DIE_COUNT, 'utf8').length, ways.length) - 1]);
  });
}

function die(way) {
  if (way === 'throw') throw new Error(DIE_TEXT);
  if (way === 'kill') process.kill(process.pid, 'SIGKILL');
  if (way === 'exit') process.exit(3);
  setFlagsFromString('--max-old-space-size=64');
  for (const all = []; ;) all.push(new Array(100_000).fill(all.length));
}
