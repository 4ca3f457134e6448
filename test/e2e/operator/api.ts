import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import type { OperatorCommandRow } from '../../../src/domain/run/rows.js';
import { followEvents } from '../../support/api/follow-events.js';
import { bottleScript, WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import { operatorStack } from './stack.js';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A run, as lists have it. */
interface Listed {
  readonly slug: string;
  readonly agentName?: string;
  readonly phase?: string;
}

describe('the HTTP API of `up`', function () {
  this.timeout(180_000);
  const { stack, open } = operatorStack();
  let url: string;
  let secret: string;

  before(async () => {
    url = `http://${stack().env['API_LISTEN'] ?? assert.fail()}/api/v1`;
    const made = await stack().cli(['token', 'create', '--scope', 'operate', '--name', 'test']);
    secret = made.stdout.trim();
  });

  const ask = async (path: string, command?: object): Promise<Answer> => {
    const response = await fetch(url + path, {
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(command === undefined ? {} : { method: 'POST', body: JSON.stringify(command) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
  const cli = async (...args: string[]): Promise<Record<string, unknown>> => {
    const stdout = await stack().run([...args, '--json']);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  it('follows a run and steers it, and says what the command line says', async () => {
    const body = bottleScript('write a.md x', 'commit First', 'print hello there', WAIT_FOR_TEST);
    const life = await open('By the API', body);
    const { slug } = await life.running();
    const isOurs = (one: Listed): boolean => one.slug === slug;
    const heard = followEvents(`${url}/runs/${slug}/logs`, { secret });
    const frozen = followEvents(`${url}/events`, {
      secret,
      isLast: ({ event, data }) => event === 'run' && data['phase'] === 'frozen' && data['slug'] === slug,
    });
    await life.agentSaid(slug, 1, 'hello there');

    const accepted = await ask(`/runs/${slug}/commands`, { kind: 'freeze' });
    assert.deepEqual(
      [accepted.status, accepted.body['command'], accepted.body['slug']],
      [200, 'freeze', slug],
    );
    assert.equal((await frozen).at(-1)?.data['slug'], slug);

    const told = ((await cli('orchestrate', 'status'))['runs'] as Listed[]).find(isOurs);
    const { now, run } = (await ask(`/runs/${slug}`)).body;
    assert.deepEqual(now, told);
    assert.equal((run as { slug: string }).slug, slug);
    assert.deepEqual((await ask(`/runs/${slug}/provenance`)).body, await cli('provenance', 'show', slug));
    const listed = (await ask('/runs?repo=alice/demo&agent=demo&phase=frozen')).body['runs'] as Listed[];
    assert.deepEqual(listed.filter(isOurs), [run]);
    for (const { agentName, phase } of listed) assert.deepEqual([agentName, phase], ['demo', 'frozen']);
    assert.deepEqual((await ask('/proposals')).body, await cli('proposals', 'list'));
    const { timeline } = (await ask(`/runs/${slug}/timeline`)).body;
    assert.match(JSON.stringify(timeline), /freeze/);

    const [{ who } = assert.fail()] = (await ask(`/commands?slug=${slug}`)).body[
      'commands'
    ] as OperatorCommandRow[];
    assert.match(who, new RegExp(`^api-[0-9a-f]{8}@${hostname()}$`));
    const log = JSON.parse(
      `[${(await stack().cli(['logs', slug, '--json'])).stdout.trim().split('\n').join(',')}]`,
    ) as object[];
    await destroyed(slug);
    const events = await heard;
    assert.deepEqual(
      events.slice(0, log.length).map(({ data }) => data),
      log,
    );
    assert.equal(events.at(-1)?.event, 'end');
  });

  async function destroyed(slug: string): Promise<void> {
    const { status, body } = await ask(`/runs/${slug}/commands`, { kind: 'destroy' });
    assert.equal(status, 200, JSON.stringify(body));
    const refused = await ask(`/runs/${slug}/commands`, { kind: 'extend', ms: 1_000 });
    assert.equal(refused.status, 409, JSON.stringify(refused.body));
  }
});
