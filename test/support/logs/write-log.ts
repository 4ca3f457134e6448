/** A worker's log pump in small: appends numbered lines behind those that are there, until it is killed or done. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';

const [home = '', slug = '', total = '0'] = process.argv.slice(2);
const noSecret = (): Promise<string> => Promise.resolve('');
const files = new LocalRunFiles({ home, forgeToken: noSecret, secret: noSecret });
const log = new TextDecoder().decode(await files.readFile(slug, 'turns/1/agent.log'));
const written = [...log.matchAll(/"name":"step-(\d+)"/g)];
for (let step = Number(written.at(-1)?.[1] ?? 0) + 1; step <= Number(total); step += 1) {
  const text = JSON.stringify({ type: 'tool_use', name: `step-${String(step)}`, input: {} });
  const at = `2026-11-21T11:00:00.${String(step).padStart(9, '0')}Z`;
  await files.appendLog(slug, 1, [{ stream: 'stdout', at, text }]);
  await sleep(2);
}
