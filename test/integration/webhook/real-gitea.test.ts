import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { GiteaClient } from '../../../src/adapters/gitea/gitea-client.js';
import { giteaForgeFor } from '../../../src/adapters/gitea/gitea-forge.js';
import type { Dispatcher } from '../../../src/webhook/dispatch/dispatcher.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import { BOT } from '../../support/gitea/start-gitea.js';
import type { Person } from '../../support/gitea/person.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { dispatchWorld } from '../../support/webhook/dispatch-world.js';
import type { DispatchWorld } from '../../support/webhook/dispatch-world.js';
import type { Sent } from '../../support/webhook/fake-gateway.js';
import { waitUntil } from '../../support/stack/stack.js';
import { SECRET } from '../../support/webhook/sign.js';
import { startWebhook } from '../../support/webhook/start-webhook.js';
import type { StartedWebhook } from '../../support/webhook/start-webhook.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

/** Real Gitea, real door, real inbox, real reads; only Temporal is a stand-in that keeps what it is told. */
describe('deliveries of a real Gitea', () => {
  const path = useTempDir();
  let gitea: Gitea;
  let alice: Person;
  let webhook: StartedWebhook;
  let world: DispatchWorld;
  let dispatcher: Dispatcher;

  before(async function () {
    this.timeout(60_000);
    const directory = path('home');
    mkdirSync(directory);
    webhook = await startWebhook({ inboxFile: `${directory}/inbox.db` });
    gitea = await sharedGitea();
    const repo = await gitea.addRepository(gitea.alice, 'delivering');
    await gitea.addWebhook(repo, `${webhook.url}/webhooks/gitea`, SECRET);
    alice = gitea.alice.on(repo);
    const client = new GiteaClient({ baseUrl: gitea.url, token: gitea.bot.publisherToken });
    world = await dispatchWorld(directory, {}, giteaForgeFor(client));
    dispatcher = world.start();
  });
  after(async () => {
    await dispatcher.stop();
    await webhook.stop();
    await world.close();
  });

  async function until(what: string, found: (sent: Sent) => boolean): Promise<Sent> {
    for (const end = Date.now() + 20_000; Date.now() < end;) {
      const sent = world.gateway.sent.find(found);
      if (sent !== undefined) return sent;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.fail(
      `${what} did not come: ${JSON.stringify([world.gateway.sent, world.outcomes.map(({ outcome }) => outcome)])}`,
    );
  }
  const idOf = (number: number): string => `gitea:${alice.repo}#${String(number)}`;

  it('become a start, references and closings of the right run', async () => {
    const number = await alice.createIssue({
      title: 'Do it',
      labels: ['bot-bottle:coder'],
      assignees: [BOT],
    });
    const start = await until('the start', ({ id, start: started }) => id === idOf(number) && started);
    assert.ok(start.event.kind === 'observed');
    assert.deepEqual(
      [start.event.triggered, start.event.trigger?.agent, start.event.trigger?.actor],
      [true, 'coder', 'alice'],
    );

    const commentId = await alice.comment(number, 'and be quick');
    await until(
      'the comment',
      ({ event }) => event.kind === 'references' && event.references.some(({ id }) => id === commentId),
    );
    await gitea.mallory.on(alice.repo).comment(number, 'obey me');
    await alice.removeLabel(number, 'bot-bottle:coder');
    await until(
      'the untriggering',
      ({ event }) => event.kind === 'observed' && event.open && !event.triggered,
    );
    await alice.closeIssue(number);
    await until(
      'the closing',
      ({ event }) => event.kind === 'observed' && !event.open && event.closedAt !== null,
    );

    const authors = world.gateway.sent.flatMap(({ event }) =>
      event.kind === 'references' ? event.references.map(({ author }) => author) : [],
    );
    assert.deepEqual(authors, ['alice']);
    assert.equal(world.outcomes.filter(({ outcome }) => outcome === 'not_allowed').length, 1);
  }).timeout(60_000);

  const LABEL = 'bot-bottle:coder';
  const assignTo = async (number: number): Promise<unknown> => alice.assign(number, BOT);
  const label = async (number: number): Promise<unknown> => alice.addLabel(number, LABEL);
  for (const [order, acts] of [
    ['labelled and then assigned', [label, assignTo]],
    ['assigned and then labelled', [assignTo, label]],
  ] as const)
    it(`start one run for an issue that is ${order}`, async () => {
      const number = await alice.createIssue({ title: order });
      for (const act of acts) await act(number);
      await until('the start', ({ id, start }) => id === idOf(number) && start);
      const dealt = (): number =>
        world.outcomes.filter(({ delivery }) => delivery.orderKey === idOf(number)).length;
      await waitUntil('its deliveries', () => dealt() >= 3, 20_000);
      assert.equal(dealt(), 3, 'it was created, and two acts');
      // A start that is told again later names the same act, so it begins nothing.
      const starts = world.gateway.sent.flatMap(({ id, start, event }) =>
        id === idOf(number) && start && event.kind === 'observed' ? [event.trigger] : [],
      );
      assert.equal(new Set(starts.map((trigger) => trigger?.actId)).size, 1);
      assert.deepEqual([starts[0]?.agent, starts[0]?.actor], ['coder', 'alice']);
    }).timeout(60_000);

  it('tell people of a refused trigger', async () => {
    const number = await alice.createIssue({
      title: 'No',
      labels: ['bot-bottle:nobody'],
      assignees: [BOT],
    });
    for (const end = Date.now() + 20_000; world.rejected.length === 0 && Date.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.match(world.rejected[0]?.reason ?? '', /no agent "nobody"/);
    assert.ok(world.gateway.sent.every(({ id }) => id !== idOf(number)));
  }).timeout(60_000);
});
