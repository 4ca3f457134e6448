import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Catcher } from '../../support/deliveries/catcher.js';
import { rawBodyOf } from '../../support/deliveries/recorded-delivery.js';
import type { RecordedAct } from '../../support/deliveries/recorded-delivery.js';
import { HOOK_PATH, MARKER_PATH, Recording } from '../../support/deliveries/recording.js';
import { writeFixtures } from '../../support/deliveries/write-fixtures.js';
import { deliveryHeaders } from '../../support/webhook/sign.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

describe('recording deliveries', () => {
  const path = useTempDir();
  let catcher: Catcher;
  before(async () => {
    catcher = await Catcher.start();
  });
  after(() => catcher.stop());

  async function send(at: string, body: Uint8Array, eventType = 'issues'): Promise<void> {
    await fetch(catcher.url + at, { method: 'POST', body, headers: deliveryHeaders(body, eventType) });
  }
  const opened = rawBodyOf({ eventType: 'issues', body: { action: 'opened', title: '<a> & \u2028' } });
  const recording = (): Recording => new Recording(catcher, () => send(MARKER_PATH, Buffer.from('{}')));

  it('keeps what an act made the forge send, nothing included', async () => {
    const story = recording();
    await story.settle();
    await story.act('one', 'once', ['issues opened'], () => send(HOOK_PATH, opened));
    await story.act('none', 'nothing', [], async () => {});
    assert.equal(story.acts.get('one')?.deliveries[0]?.headers['x-gitea-event-type'], 'issues');
    assert.deepEqual(story.acts.get('none'), { act: 'nothing', deliveries: [] });
  });

  it('fails when something else comes, and when a body could not be given back as it was', async () => {
    const story = recording();
    await story.settle();
    await assert.rejects(
      story.act('other', '', ['issues closed'], () => send(HOOK_PATH, opened)),
      /other: expected issues closed; came issues opened/,
    );
    await assert.rejects(
      story.act('more', '', [], () => send(HOOK_PATH, opened)),
      /more: expected nothing; came issues opened/,
    );
    await assert.rejects(
      story.act('compact', '', ['issues'], () => send(HOOK_PATH, Buffer.from('{"a":1}'))),
      /not the JSON that rawBodyOf writes/,
    );
  });

  it('leaves a file alone that would say the same at another time, and writes what says something else', () => {
    const directory = path('fixtures');
    const acts = (moment: string, title: string, sha: string): Map<string, RecordedAct> => {
      const body = { moment, title, sha };
      const delivery = { event: 'push', eventType: 'push', headers: { 'x-gitea-signature': sha }, body };
      return new Map([['told', { act: 'somebody tells', deliveries: [delivery] }]]);
    };
    const file = `${directory}/01-told.json`;
    mkdirSync(directory);
    writeFileSync(`${directory}/02-untold.json`, '{}');
    const [early, late] = ['2026-01-01T10:00:00Z', '2026-02-02T12:00:00Z'];
    assert.deepEqual(writeFixtures(directory, acts(early, 'a', 'a'.repeat(40))), [
      ...['01-told.json', '02-untold.json'],
    ]);
    assert.deepEqual(readdirSync(directory), ['01-told.json']);
    const first = readFileSync(file, 'utf8');
    assert.deepEqual(writeFixtures(directory, acts(late, 'a', 'b'.repeat(40))), []);
    assert.equal(readFileSync(file, 'utf8'), first);
    assert.deepEqual(writeFixtures(directory, acts(late, 'b', 'b'.repeat(40))), ['01-told.json']);
    assert.match(readFileSync(file, 'utf8'), /2026-02-02.*\n.*"b"/);
  });
});
