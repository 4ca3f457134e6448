import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { containerName } from '../../../src/adapters/docker/names-and-labels.js';
import { syncWorkflowId } from '../../../src/domain/sync/sync.js';
import type { ModelApi } from '../../support/model-api/model-api.js';
import { say, use, type Answer } from '../../support/model-api/script.js';
import { SecretSearch } from '../../support/stack/secret-search.js';
import { StackFiles } from '../../support/stack/stack-files.js';
import { waitUntil } from '../../support/stack/stack.js';
import type { SyncStack } from '../../support/sync/sync-stack.js';
import { HOST_CANARY, syncStack } from './stack.js';

const KEY = `canary-key-${randomBytes(16).toString('hex')}`;
const OTHER_CANARY = `canary-other-${randomBytes(16).toString('hex')}`;
const ENV = [
  `OPENCODE_API_KEY=${KEY}`,
  'export OPENCODE_MODEL="anthropic/claude-sonnet-4-5"',
  'OPENCODE_VARIANT=high',
  'OPENCODE_AGENT=build',
  `OTHER=${OTHER_CANARY}`,
  '',
].join('\n');
const shell = (command: string): Answer => use('bash', { command, description: 'Run' });

describe('a fork is merged by the real opencode', function () {
  this.timeout(240_000);
  const search = new SecretSearch({ key: KEY, host: HOST_CANARY, other: OTHER_CANARY });
  const { image } = agentProvider('opencode');
  let world: SyncStack;
  let api: ModelApi;
  let envFile: string;

  before(async function () {
    if ((await dockerBottleRuntime().imageId(image)) === undefined) {
      process.stdout.write(`    no image ${image}, so no sync with it: script/images agent-opencode\n`);
      this.skip();
    }
    ({ world, api } = await syncStack());
    envFile = join(world.dir, 'opencode.env');
    await writeFile(envFile, ENV, { mode: 0o600 });
  });

  it('with the key of opencode.env, which nobody but the model gets, and nothing of the host', async () => {
    const fork = await world.fork('app');
    await fork.onFork({ 'settings.txt': 'port = 2\nname = app\n' });
    await fork.onUpstream({ 'settings.txt': 'port = 1\nname = better\n' });
    api.script(
      {
        expect: ({ text }) => {
          assert.match(text, /Merge upstream into this fork/);
          assert.match(text, /upstream\/trunk/);
        },
        reply: shell(
          'git merge upstream/trunk; env | sort > /workspace/../home/agent/seen-env; ls -a /workspace',
        ),
      },
      {
        expect: ({ text }) => {
          assert.match(text, /CONFLICT/);
          assert.doesNotMatch(text, /owned/);
        },
        reply: shell('until [ -e /run/bottle/turn/go ]; do sleep 0.1; done'),
      },
      {
        reply: shell(
          "printf 'port = 2\\nname = better\\n' > settings.txt && git add -A && git commit -q --no-edit",
        ),
      },
      { reply: say('Merged.') },
    );
    const syncing = world.sync(fork, '--model', 'anthropic/claude-opus-4-1');

    const { client, stack } = world;
    const fromForge = { forge: 'gitea', owner: 'alice', repo: 'app' } as const;
    const handle = client.workflow.getHandle(syncWorkflowId(fromForge));
    const state = async (): Promise<{ readonly slug: string }> => handle.query('state');
    await waitUntil('the agent at work', () => api.requests.length >= 2, 90_000);
    const { slug } = await state();
    const container = await new Docker().getContainer(containerName(slug, 'agent')).inspect();
    assert.deepEqual(container.Config.Entrypoint, ['/usr/local/bin/bottle-entrypoint']);
    assert.match(JSON.stringify({ cmd: container.Config.Cmd }), /^\{"cmd":(null|\[\])\}$/);
    assert.deepEqual([...container.Config.Env].sort(), [
      'HOME=/home/agent',
      'LANG=C.UTF-8',
      'OPENCODE_AGENT=build',
      'OPENCODE_API_KEY=bot-bottle-placeholder',
      'OPENCODE_MODEL=anthropic/claude-opus-4-1',
      'OPENCODE_VARIANT=high',
      `PATH=${container.Config.Env.find((one) => one.startsWith('PATH='))?.slice(5) ?? ''}`,
    ]);
    assert.equal(container.Config.User, '1000:1000');
    assert.equal(container.HostConfig.NetworkMode, 'none');
    assert.deepEqual(search.in(JSON.stringify(container)), []);
    const weak = await dockerBottleRuntime().weakObjects([KEY]);
    assert.deepEqual(
      weak.filter((one) => JSON.stringify(one).includes(slug)),
      [],
    );

    // Never two at once.
    const second = await stack.cli(['sync', '--dir', fork.dir]);
    assert.equal(second.code, 4, second.stderr);
    assert.match(second.stderr, /a sync of alice\/app is under way/);
    await writeFile(join(stack.home, 'state', slug, 'turn', 'go'), '');

    const { code, outcome, stderr } = await syncing;
    assert.deepEqual([code, outcome.status], [0, 'verified'], outcome.reason);
    api.check();
    assert.match(stderr, /not passed on to the sandbox: OTHER/);
    assert.match(await fork.fileOn(outcome.branch ?? '', 'settings.txt'), /^port = 2\nname = better$/);
    assert.deepEqual(new Set(api.requests.map(({ headers }) => headers['x-api-key'])), new Set([KEY]));

    const below = await search.below(world.dir, ['opencode.env']);
    assert.deepEqual(below.found, []);
    assert.deepEqual((await search.below(stack.home)).found, []);
    const history = await handle.fetchHistory();
    assert.deepEqual(search.in(JSON.stringify(history)), []);
    const signals = (history.events ?? []).flatMap(
      (event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? [],
    );
    assert.deepEqual(signals, ['turn_started']);
    assert.deepEqual(search.in(stack.output), []);
    // What the agent itself saw of its environment.
    assert.ok(below.files > 10);
    const said = stack.output.split('\n').find((line) => line.includes('the harness of a sync')) ?? '';
    const { entrypoint, command, environment } = JSON.parse(said) as Record<string, unknown>;
    assert.equal(entrypoint, '/usr/local/bin/bottle-entrypoint');
    assert.deepEqual((command as string[]).slice(0, 2), ['/usr/local/bin/opencode', 'run']);
    assert.ok((command as string[]).join(' ').includes('--variant high --agent build'));
    const names = environment as string[];
    assert.ok(names.includes('OPENCODE_API_KEY') && names.includes('OPENCODE_MODEL'));
    assert.ok(!names.includes('HOST_CANARY') && !names.includes('FORKLIFT_DOCKER_COMMAND'));
    const { harness } = await world.metadata(outcome.runDir ?? '');
    assert.deepEqual(harness, { entrypoint, command, environment });

    const [, ended] = await new StackFiles(stack.home).turnRows(slug);
    assert.deepEqual((ended?.detail['publish'] as { readonly pr: number }).pr, outcome.pr);
    await stack.run(['provenance', 'verify', slug]);
  });

  it('is refused, with what to do, for a file or an option that it cannot use', async () => {
    const { stack } = world;
    const fork = await world.fork('refused');
    const sync = (...args: string[]) => stack.cli(['sync', '--dir', fork.dir, ...args]);
    await chmod(envFile, 0o644);
    const open = await sync();
    assert.equal(open.code, 2);
    assert.match(open.stderr, /opencode\.env can be read by others: chmod 600 /);
    await writeFile(envFile, `OPENCODE_API_KEY=${KEY}; id\nOPENCODE_MODEL=\nnonsense\n`);
    await chmod(envFile, 0o600);
    const wrong = await sync();
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /line 1: OPENCODE_API_KEY may have letters, digits and \._-\/ only/);
    assert.match(wrong.stderr, /line 3 is not KEY=value/);
    assert.match(wrong.stderr, /OPENCODE_VARIANT, OPENCODE_AGENT are missing/);
    assert.ok(!wrong.stderr.includes(KEY));
    await writeFile(envFile, ENV, { mode: 0o600 });
    for (const [args, why] of [
      [['--model', 'x;y'], /--model may have letters/],
      [['--model', 'nothing-1'], /no model nothing-1: it takes anthropic/],
      [['--agent', '$(id)'], /--agent may have letters/],
      [['--variant', ''], /--variant may have letters/],
      [['--timeout', '5'], /expected a duration/],
    ] as const) {
      const ran = await sync(...args);
      assert.equal(ran.code, 2, ran.stdout);
      assert.match(ran.stderr, why);
    }
    await fork.git('remote', 'set-url', 'origin', 'https://someone:secret-word@git.example/a/b.git');
    const elsewhere = await sync();
    assert.equal(elsewhere.code, 2);
    assert.match(elsewhere.stderr, /no repository of the forge at http:\/\/127.*git remote set-url origin/s);
    assert.ok(!elsewhere.stderr.includes('secret-word'));
    await fork.git('remote', 'remove', 'upstream');
    await fork.git('remote', 'set-url', 'origin', `${stack.gitea.url}/alice/refused.git`);
    const none = await sync();
    assert.equal(none.code, 2);
    assert.match(none.stderr, /git remote add upstream/);
  });

  it('again and again, by a schedule that is listed and removed', async () => {
    const { stack, client } = world;
    const fork = await world.fork('daily');
    await stack.run(['sync', 'schedule', '--dir', fork.dir, '--every', '1d']);
    const again = await stack.cli([
      'sync',
      'schedule',
      '--dir',
      fork.dir,
      '--every',
      '2d',
      '--timeout',
      '4m',
    ]);
    assert.match(again.stdout, /alice\/daily: every 2d, updated/);
    const listed = await stack.cli(['sync', 'schedules']);
    assert.match(listed.stdout, /alice\/daily +2d +\S+Z +http:\S+daily-upstream\.git/);
    const handle = client.schedule.getHandle('bot-bottle-sync:gitea:alice/daily');
    const { policies } = await handle.describe();
    assert.equal(policies.overlap, 'SKIP');
    // What it starts is the very workflow that a command starts.
    await handle.trigger();
    const own = client.workflow.getHandle(syncWorkflowId({ forge: 'gitea', owner: 'alice', repo: 'daily' }));
    await waitUntil('the scheduled sync', () =>
      own.describe().then(
        ({ status }) => status.name === 'COMPLETED',
        () => false,
      ),
    );
    assert.equal(((await own.result()) as { readonly status: string }).status, 'unchanged');
    await stack.run(['sync', 'unschedule', '--dir', fork.dir]);
    assert.equal((await stack.cli(['sync', 'unschedule', '--dir', fork.dir])).code, 3);
    const none = await stack.cli(['sync', 'schedules']);
    assert.match(none.stdout, /no fork is synced/);
  });
});
