import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { containerName } from '../../../src/adapters/docker/names-and-labels.js';
import type { EgressTotals } from '../../../src/domain/egress/totals.js';
import { until } from '../../support/bundle/until.js';
import { agentRuns, outputOf } from '../../support/stack/agent-runs.js';
import { bottleScript, WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import type { Life } from '../../support/stack/life.js';
import { SecretSearch } from '../../support/stack/secret-search.js';
import { bottleStack } from './stack.js';

/** Says what it was asked with, in its answer and in its log. */
const UPSTREAM = `require('node:http').createServer((request, response) => {
  const key = request.headers['x-api-key'];
  console.log(request.method, request.url, key);
  response.setHeader('x-key', String(key));
  response.end('the key is ' + key);
}).listen(8080, () => console.log('listening'));`;
const SECRET = `canary-${randomBytes(16).toString('hex')}`;
const LABELS = ['bot-bottle:demo', 'bot-bottle-bottle:egress'];
const SHOW =
  'run cat /etc/bot-bottle/current-config/allowlist /etc/bot-bottle/current-config/routes.json; env';

/** A shell line that asks with Node's own fetch, and says what came of it. */
function ask(url: string, init = '{}'): string {
  const say = '(a) => a.text().then((text) => console.log(a.status, a.headers.get("x-key"), text))';
  return `run node -e 'fetch(${url}, ${init}).then(${say}, (e) => console.log("refused", e.cause?.message))' 2>&1`;
}

describe('what an agent can reach', function () {
  this.timeout(240_000);
  const docker = new Docker();
  const name = `bb-egress-e2e-${randomBytes(4).toString('hex')}`;
  const search = new SecretSearch({ providerKey: SECRET });
  let authority: string;

  const { stack, open } = bottleStack();
  const trigger = (title: string, ...script: readonly string[]): Promise<Life> =>
    open(title, bottleScript(...script), LABELS);

  before(async () => {
    authority = await startUpstream();
    await mkdir(join(stack().home, 'bottles'), { recursive: true });
    await bottle(stack().home, 'one.example.org');
  });
  after(() => docker.getContainer(name).remove({ force: true, v: true }));

  /** On the sidecar's network: the operator's own upstream, at a private address. */
  async function startUpstream(): Promise<string> {
    const upstream = await docker.createContainer({
      name,
      Image: 'bot-bottle/bundle:dev',
      Entrypoint: ['node', '-e', UPSTREAM],
    });
    await upstream.start();
    await until(
      'the upstream',
      async () => (await upstreamSaid()).includes('listening') || undefined,
      60_000,
    );
    const { NetworkSettings } = await upstream.inspect();
    return `${NetworkSettings.Networks['bridge']?.IPAddress ?? ''}:8080`;
  }

  async function upstreamSaid(): Promise<string> {
    return (await docker.getContainer(name).logs({ stdout: true })).toString();
  }

  async function bottle(home: string, host: string): Promise<void> {
    const manifest = [
      '---',
      `egress: { allow: [${host}] }`,
      'routes:',
      '  - name: model',
      `    upstream: http://${authority}`,
      '    methods: [GET, POST]',
      '    paths: [/v1/]',
      '    auth: { header: x-api-key, secret: provider-key }',
      '    base_url_env: MODEL_URL',
      '    key_env: MODEL_KEY',
      '---',
      '',
    ];
    await writeFile(join(home, 'bottles/egress.md'), manifest.join('\n'));
  }

  it('starts nothing while its secret is missing, or not meant for that host, and says what to do', async () => {
    const early = await trigger('Too early', 'done success x');
    assert.match(await early.rejected(), /bot-bottle secret set provider-key --host/);
    await stack().gitea.alice.closeIssue(early.issue);
    const elsewhere = ['secret', 'set', 'provider-key', '--host', 'elsewhere.example.org'];
    await stack().run(elsewhere, SECRET);
    const unbound = await trigger('Unbound', 'done success x');
    assert.match(await unbound.rejected(), new RegExp(`not bound .*--host ${authority} < file`));
    await unbound.reactedWith('confused');
    await stack().gitea.alice.closeIssue(unbound.issue);
  });

  it('is its routes, with a key that it never sees, and the hosts of its allowlist as they are now', async () => {
    await stack().run(['secret', 'set', 'provider-key', '--host', authority], SECRET);
    const life = await trigger(
      'Ask the model',
      SHOW,
      ask(
        'process.env.MODEL_URL + "/v1/messages"',
        '{ method: "POST", headers: { "x-api-key": process.env.MODEL_KEY }, body: "hi" }',
      ),
      ask('process.env.MODEL_URL + "/admin"'),
      ask('"https://two.example.org/"'),
      ask('"https://four.example.org/"'),
      WAIT_FOR_TEST,
      'done success asked',
    );
    const { slug } = await life.waiting();
    const containers = await Promise.all(
      (['agent', 'bundle'] as const).map((role) => docker.getContainer(containerName(slug, role)).inspect()),
    );
    for (const container of containers) assert.deepEqual(search.in(JSON.stringify(container)), []);
    await life.files.letGo(slug);
    await life.frozen(1, 'done');

    assert.match(await upstreamSaid(), new RegExp(`^.*POST /v1/messages ${SECRET}$`, 'm'));
    const log = await life.files.agentLog(slug, 1);
    const runs = agentRuns(log);
    assert.match(outputOf(runs, 'current-config'), /^one\.example\.org$[^]*"secret": "provider-key"/m);
    assert.match(outputOf(runs, '/v1/messages'), /^200 (?!.*canary).* the key is (?!.*canary)/m);
    assert.match(outputOf(runs, '/admin'), /^403 .*\/v1\//m);
    assert.match(outputOf(runs, 'two.example.org'), /refused|403/);
    assert.deepEqual(search.in(log), []);
    assert.deepEqual((await search.below(stack().home, ['secrets'])).found, [], 'in the home');

    const [ended] = await life.files.endedTurns(slug);
    const totals = JSON.parse(await life.files.blob(String(ended?.detail['egressRef']))) as EgressTotals;
    assert.deepEqual(
      totals.hosts.map(({ route, connections }) => [route, connections]),
      [['model', 1]],
    );
    assert.ok(totals.refusals.some(({ host }) => host.includes('two.example.org')));

    // It asked for neither host, so the operator is asked: of one that is refused, the agent does not hear.
    const { stdout: listed } = await stack().cli(['proposals']);
    const offered = (host: string): string => {
      const line = new RegExp(
        `^([0-9a-f]{8}) .*pipelock-block.*may connect to ${host.replaceAll('.', '\\.')}`,
        'm',
      );
      return line.exec(listed)?.[1] ?? assert.fail(listed);
    };
    const unwanted = offered('two.example.org');
    const shown = await stack().cli(['proposals', 'show', unwanted]);
    assert.match(shown.stdout, /bot-bottle says:\n {2}two\.example\.org was refused .*did not ask for it/);
    await stack().run(['proposals', 'reject', unwanted, '--reason', 'not needed']);
    await stack().run(['proposals', 'approve', offered('four.example.org')]);
    await life.frozen(2, 'done');
    const prompt = await readFile(join(stack().home, 'state', slug, 'turns/2/prompt.md'), 'utf8');
    assert.match(prompt, /your allowlist has four\.example\.org/);
    assert.doesNotMatch(prompt, /two\.example\.org/);

    await bottle(stack().home, 'three.example.org');
    await life.comment(bottleScript(SHOW, 'done success seen'));
    await life.frozen(3, 'done');
    const config = outputOf(agentRuns(await life.files.agentLog(slug, 3)), 'current-config');
    assert.match(config, /^three\.example\.org\nfour\.example\.org$/m);
    assert.doesNotMatch(config, /two\.example\.org/);
    await life.close();
    await rm(join(stack().home, 'secrets/provider-key'));
  });
});
