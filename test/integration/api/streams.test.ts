import assert from 'node:assert/strict';
import { mkdir, appendFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runLayout, turnDirectory } from '../../../src/adapters/files/run/run-layout.js';
import { followEvents, type Following, type Told } from '../../support/api/follow-events.js';
import { ServedHome } from '../../support/api/served-home.js';
import { ENDED, FROZEN, RecordedHome } from '../../support/provenance/recorded-home.js';

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

  const follow = (path: string, how: Omit<Following, 'secret'>): Promise<Told[]> =>
    followEvents(api.url + path, { secret, ...how });

  it('tells what was recorded since an event, each once and in order', async () => {
    const isLast = ({ data }: Told): boolean => data['source'] === 'turn' && data['slug'] === FROZEN;
    const all = await follow('/events', { after: '0-0', isLast: ({ event }) => event === 'run' });
    const rows = all.filter(({ event }) => event === 'recorded');
    assert.equal(rows.length, (await home.database.provenance.places()).length);
    const again = await follow('/events', { after: '3-0', isLast });
    const [first] = again;
    assert.deepEqual(first?.data, rows[3]?.data);
    const [next] = await follow('/events', { after: rows[4]?.id ?? '', isLast: () => true });
    assert.deepEqual(next?.data, rows[5]?.data, 'in the middle of what was told at once');
    const late = await follow('/events', {
      after: '0-999999999999999',
      isLast: ({ event }) => event === 'run',
    });
    assert.equal(late.at(-1)?.event, 'run', 'after the time of a state row that is gone');
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

  it('tells of a change behind hundreds of the same moment', async () => {
    const row = (await home.database.forgeState.ofRun(FROZEN)) ?? assert.fail();
    const now = Date.now();
    const slugs = Array.from({ length: 450 }, (_, i) => `burst-alice-demo-${String(i)}-abcde`);
    for (const [i, slug] of slugs.entries())
      await home.database.forgeState.upsert({
        ...row,
        ...{ slug, issueNumber: 1_000 + i, workflowId: `gitea:alice/demo#${String(1_000 + i)}` },
        updatedAt: now + i,
      });
    const told = await follow('/events', {
      after: '0-0',
      isLast: ({ data, event }) => event === 'run' && data['slug'] === slugs.at(-1),
    });
    const states = told.filter(({ event, data }) => event === 'run' && slugs.includes(String(data['slug'])));
    assert.equal(states.length, slugs.length, 'each once');
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
    const end = all.at(-1) ?? assert.fail();
    assert.deepEqual(await follow(`/runs/${ENDED}/logs`, { after: `1-${String(all.length - 2)}` }), [
      ...all.slice(-2, -1),
      ...(await follow(`/runs/${ENDED}/logs?follow=false`, { after: end.id })),
    ]);
    const headers = {
      authorization: `Bearer ${secret}`,
      'last-event-id': `1-${String(all.length)}`,
    };
    assert.equal((await fetch(`${api.url}/runs/${ENDED}/logs`, { headers })).status, 400, 'one too many');
  });
});
