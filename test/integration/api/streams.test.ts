import assert from 'node:assert/strict';
import { mkdir, appendFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runLayout, turnDirectory } from '../../../src/adapters/files/run/run-layout.js';
import { ServedHome } from '../../support/api/served-home.js';
import { ENDED, FROZEN, RecordedHome } from '../../support/provenance/recorded-home.js';

interface Told {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

describe('streams of the HTTP API', () => {
  let home: RecordedHome;
  let api: ServedHome;
  let secret: string;

  beforeEach(async () => {
    home = await RecordedHome.make();
    api = await ServedHome.start(home.dir);
    ({ secret } = await api.token('read'));
  });
  afterEach(async () => {
    await api.stop();
    await home.remove();
  });

  /** Events until the stream ends, or `isLast` says so. */
  const follow = async (
    path: string,
    {
      after,
      isLast = () => false,
      began,
    }: { after?: string; isLast?: (told: Told) => boolean; began?: () => void },
  ): Promise<Told[]> => {
    const ending = new AbortController();
    const headers = {
      authorization: `Bearer ${secret}`,
      ...(after === undefined ? {} : { 'last-event-id': after }),
    };
    const response = await fetch(api.url + path, { headers, signal: ending.signal });
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
    began?.();
    const told: Told[] = [];
    let text = '';
    for await (const piece of (response.body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
      text += piece;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (id === undefined || event === undefined || data === undefined) continue;
        told.push({ id, event, data: JSON.parse(data) as Told['data'] });
        if (isLast(told.at(-1) ?? assert.fail())) {
          ending.abort();
          return told;
        }
      }
    }
    return told;
  };

  it('tells what was recorded since an event, each once and in order', async () => {
    const isLast = ({ data }: Told): boolean => data['source'] === 'turn' && data['slug'] === FROZEN;
    const all = await follow('/events', { after: '0-0', isLast: ({ event }) => event === 'run' });
    const rows = all.filter(({ event }) => event === 'recorded');
    assert.equal(rows.length, (await home.database.provenance.places()).length);
    const again = await follow('/events', { after: '3-0', isLast });
    const [first] = again;
    assert.deepEqual(first?.data, rows[3]?.data);
  });

  it('tells of a change as it happens', async () => {
    const row = (await home.database.forgeState.ofRun(FROZEN)) ?? assert.fail();
    const began = (): void => {
      void home.database.forgeState.upsert({
        ...row,
        phase: 'destroyed',
        status: 'destroyed',
        updatedAt: Date.now(),
      });
    };
    const isLast = ({ event, data }: Told): boolean =>
      event === 'run' && data['phase'] === 'destroyed' && data['slug'] === FROZEN;
    const told = (await follow('/events', { began, isLast })).at(-1);
    assert.deepEqual([told?.data['slug'], told?.data['phase']], [FROZEN, 'destroyed']);
  });

  it('goes on with a log after the last event that was received', async () => {
    const file = join(turnDirectory(runLayout(home.dir, ENDED), 1), 'agent.log');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, '');
    for (const n of [1, 2, 3])
      await appendFile(file, `2026-01-01T00:00:0${String(n)}.000Z stdout line ${String(n)}\n`);
    const all = await follow(`/runs/${ENDED}/logs?turn=1`, {});
    assert.equal(all.at(-1)?.event, 'end');
    const lines = all.filter(({ data }) => data['kind'] === 'line');
    assert.deepEqual(
      lines.map(({ data }) => data['text']),
      ['line 1', 'line 2', 'line 3'],
    );
    const second = lines[1] ?? assert.fail();
    const rest = await follow(`/runs/${ENDED}/logs?turn=1`, { after: second.id });
    assert.deepEqual(rest, all.slice(all.indexOf(second) + 1));
  });
});
