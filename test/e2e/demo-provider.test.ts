import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { dockerBottleRuntime } from '../../src/adapters/docker/docker-runtime.js';
import { assertNothingIsLeft, status } from '../support/demo/demo-left.js';
import { Demo, type DemoReport } from '../support/demo/demo-process.js';
import { bridgeAddress } from '../support/model-api/bridge-address.js';
import { ModelApi } from '../support/model-api/model-api.js';
import { say, use, type Step } from '../support/model-api/script.js';
import { ArgvWatch } from '../support/stack/argv-watch.js';
import { SecretSearch } from '../support/stack/secret-search.js';

const STEPS = [
  'set_up',
  'forge_started',
  'up',
  'issue_created',
  'assigned',
  'labelled',
  'launched',
  'pr_opened',
  'frozen',
  'commented',
  'rehydrated',
  'pr_updated',
  'frozen_again',
  'merged',
  'destroyed',
];

const GREET = `printf '#!/bin/sh\\necho "hello, \${1:-world}"\\n' > greet.sh`;
const SHOUT = `echo '# --loud shouts' >> greet.sh`;

function shell(command: string): Step {
  return { reply: use('Bash', { command, description: 'Work' }) };
}

const FIRST_TURN: readonly Step[] = [
  {
    expect: ({ text }) => {
      assert.match(text, /it should say \\"hello, alice\\"/);
    },
    reply: use('read_issue', { number: 1 }),
  },
  shell(`${GREET} && sh greet.sh alice && git commit -qam 'Greet people by name'`),
  {
    expect: ({ text }) => {
      assert.match(text, /hello, alice\\?"/);
    },
    reply: use('open_pr', { title: 'Greet people by name', body: 'As the issue asks.' }),
  },
  { reply: use('signal_done', { status: 'success', summary: 'greet.sh greets people by name' }) },
  { reply: say('It is done.') },
];

const SECOND_TURN: readonly Step[] = [
  {
    expect: ({ text }) => {
      assert.match(text, /Greet people by name/, 'what the first turn said is in the request');
      assert.match(text, /Could it also shout/);
    },
    reply: use('Bash', { command: `${SHOUT} && git commit -qam 'Shout when asked to'`, description: 'Work' }),
  },
  { reply: use('signal_done', { status: 'success', summary: 'greet.sh shouts when asked to' }) },
  { reply: say('It shouts.') },
];

describe('script/demo --provider', function () {
  this.timeout(240_000);
  const key = `sk-ant-placeholder-${randomBytes(16).toString('hex')}`;
  const search = new SecretSearch({ key });
  const docker = new Docker();
  const runtime = dockerBottleRuntime();
  let demo: Demo;
  let api: ModelApi;
  let records: string;
  let commandLines: ArgvWatch | undefined;

  before(async () => {
    records = await mkdtemp(join(tmpdir(), 'bot-bottle-records-'));
    api = await ModelApi.start({ address: await bridgeAddress() });
  });
  afterEach(async () => {
    await commandLines?.stop();
    await demo.end();
  });
  after(async () => {
    await api.close();
    await rm(records, { recursive: true });
  });

  async function assertNotInspected(slug: string): Promise<void> {
    const owned = (await runtime.list(slug)).filter(({ type }) => type === 'container');
    assert.equal(owned.length, 2);
    for (const { name } of owned) {
      const seen = JSON.stringify(await docker.getContainer(name).inspect());
      assert.deepEqual(search.in(seen), [], name);
    }
  }

  it('runs the real claude, with a key that is in one file and nowhere else, and is up with --keep until --stop', async () => {
    api.script(...FIRST_TURN, ...SECOND_TURN);
    commandLines = new ArgvWatch();
    demo = Demo.start(['--provider', 'claude', '--keep', '--json'], {
      BOT_BOTTLE_DEMO_RECORDS: records,
      ANTHROPIC_API_KEY: key,
      MODEL_ANTHROPIC_URL: api.url,
    });
    const slug = await demo.seen(/starts in bottle (\S+), session/);
    await assertNotInspected(slug);
    await demo.seen(/(wakes) in the same session/);
    await assertNotInspected(slug);
    assert.equal(await demo.exited(), 0, demo.stderr);
    await commandLines.stop();
    api.check();

    const report = demo.report();
    assert.equal(report.ok, true);
    assert.equal(report.provider, 'claude');
    assert.deepEqual(
      report.steps.map(({ name }) => name),
      STEPS,
    );
    assert.equal(report.sessions.length, 2);
    assert.equal(report.sessions[1], report.sessions[0]);
    const asked = api.requests.filter(({ path }) => path === '/v1/messages');
    assert.ok(asked.length >= FIRST_TURN.length + SECOND_TURN.length);
    for (const { headers } of asked) assert.equal(headers['x-api-key'], key);
    assert.equal(report.model_use?.input_tokens, asked.length * 100);
    assert.equal(report.model_use.output_tokens, asked.length * 10);
    assert.ok((report.cost_usd ?? 0) > 0);
    for (const seen of [
      /agent .*Bash .*greet\.sh/,
      /agent .*says: It shouts/,
      /sidecar .*read/,
      /metered by/,
    ])
      assert.match(demo.stderr, seen);

    assert.deepEqual(search.in(demo.stdout + demo.stderr), []);
    assert.deepEqual(search.in([...commandLines.seen].join('\n')), []);
    const places = demo.directories();
    assert.equal(places.length, 3, places.join());
    const found: string[] = [];
    for (const place of places)
      found.push(...(await search.below(place)).found.map((file) => `${place}/${file}`));
    assert.deepEqual(
      found.map((file) => file.slice(file.indexOf('/', tmpdir().length + 1) + 1)),
      ['secrets/anthropic-api-key: key'],
    );

    const addresses = addressesOf(report);
    for (const url of addresses) assert.equal(await status(url), 200, url);
    assert.ok(demo.stderr.includes('script/demo --stop'));
    const stop = Demo.start(['--stop'], { BOT_BOTTLE_DEMO_RECORDS: records });
    assert.equal(await stop.exited(), 0, stop.stderr);
    for (const url of addresses) assert.equal(await status(url), 'no answer', url);
    await assertNothingIsLeft(demo, slug);
    assert.deepEqual(await readdir(records), []);
  });

  for (const [provider, variable] of [
    ['claude', 'ANTHROPIC_API_KEY'],
    ['codex', 'OPENAI_API_KEY'],
    ['pi', 'ANTHROPIC_API_KEY'],
    ['opencode', 'ANTHROPIC_API_KEY'],
  ] as const) {
    it(`answers 2 to ${provider} without a key, says what to set, and starts nothing`, async () => {
      demo = Demo.start(['--provider', provider], {
        ANTHROPIC_API_KEY: '',
        CLAUDE_CODE_OAUTH_TOKEN: '',
        OPENAI_API_KEY: '',
      });
      assert.equal(await demo.exited(), 2);
      assert.match(demo.stderr, new RegExp(`^error: .*\\n +export ${variable}=<.*>\\n`));
      assert.match(demo.stderr, /Not supported: a login .*\n$/);
      assert.equal(demo.stdout, '');
    });
  }
});

function addressesOf(report: DemoReport): string[] {
  const urls = [report.issue_url, report.pr_url, report.addresses?.gitea, report.addresses?.temporal_ui];
  return urls.map((url) => {
    assert.ok(typeof url === 'string', JSON.stringify(report));
    return url;
  });
}
