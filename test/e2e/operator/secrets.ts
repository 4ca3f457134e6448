import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Client } from '@temporalio/client';
import Docker from 'dockerode';
import { containerName, volumeName } from '../../../src/adapters/docker/names-and-labels.js';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import { agentRuns, outputOf } from '../../support/stack/agent-runs.js';
import { ArgvWatch } from '../../support/stack/argv-watch.js';
import { bottleScript, WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import type { Life } from '../../support/stack/life.js';
import { patternFor, SecretSearch } from '../../support/stack/secret-search.js';
import { waitUntil } from '../../support/stack/stack.js';
import { operatorStack } from './stack.js';

const PLANTED = 'planted-where-grep-looks';

describe('where secrets are not', function () {
  this.timeout(240_000);
  let argv: ArgvWatch;
  // Before the stack's own processes begin, if no other suite has begun them.
  before(() => {
    argv = new ArgvWatch();
  });
  after(() => argv.stop());
  const { stack, client, trigger } = operatorStack();
  let life: Life;
  let slug: string;
  let search: SecretSearch;
  let saidBefore: number;

  before(async () => {
    saidBefore = stack().output.length;
    const { sidecarToken, publisherToken } = stack().gitea.bot;
    const secrets = { sidecarToken, publisherToken, webhookSecret: stack().webhookSecret };
    search = new SecretSearch(secrets);
    const patterns = Object.values(secrets)
      .map((secret) => `-e '${patternFor(secret)}'`)
      .join(' ');
    const everywhere = '--exclude-dir=proc --exclude-dir=sys / 2>/dev/null; echo searched';
    life = await trigger(
      'A thief',
      `write planted.txt ${PLANTED}`,
      'run env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/mountinfo 2>/dev/null | tr "\\0" "\\n"',
      'run git config --list --show-origin; git remote -v; ls -la /run/bottle /run/bottle/* /home/agent; cat /run/bottle/turn/*',
      `run grep -rlE ${patterns} ${everywhere}`,
      `run grep -rlF -e ${PLANTED} ${everywhere}`,
      'write notes.md hello',
      'run rm planted.txt',
      'commit Notes',
      'open_pr A pull request | with a body',
      WAIT_FOR_TEST,
      'done success finished',
    );
    ({ slug } = await life.waiting());
  });

  it('the search finds what is there, also inside Base64', () => {
    const token = stack().gitea.bot.sidecarToken;
    assert.deepEqual(search.in(`x${token}`), ['sidecarToken']);
    for (const before of ['', 'a', 'ab']) {
      assert.deepEqual(
        search.in(Buffer.from(`${before}${token}:`).toString('base64')),
        ['sidecarToken'],
        before,
      );
    }
    assert.deepEqual(search.in('nothing'), []);
  });

  it('not in anything that the agent can read', async () => {
    const log = await life.files.agentLog(slug, 1);
    const runs = agentRuns(log);
    assert.match(outputOf(runs, 'mountinfo'), /HOME=\/home\/agent/);
    assert.match(outputOf(runs, 'grep -rlF'), /^\/workspace\/planted\.txt$/m, 'the search works');
    assert.equal(outputOf(runs, 'grep -rlE'), 'searched');
    assert.deepEqual(search.in(log), []);
  });

  it('not in what the engine tells of containers and volumes', async () => {
    const docker = new Docker();
    const objects = await Promise.all([
      docker.getContainer(containerName(slug, 'agent')).inspect(),
      docker.getContainer(containerName(slug, 'bundle')).inspect(),
      docker.getVolume(volumeName(slug, 'sock')).inspect(),
      docker.getVolume(volumeName(slug, 'home')).inspect(),
    ]);
    for (const object of objects) {
      const text = JSON.stringify(object);
      assert.ok(text.includes(slug));
      assert.deepEqual(search.in(text), []);
    }
  });

  it('of the sidecar: only its own token, as a file that nobody else may read', async () => {
    const token = await readFile(life.files.path(slug, 'bundle', 'forge-token'), 'utf8');
    assert.equal(token.trim(), stack().gitea.bot.sidecarToken);
    const container = new Docker().getContainer(containerName(slug, 'bundle'));
    const pattern = [stack().gitea.bot.publisherToken, stack().webhookSecret]
      .map((one) => `-e '${patternFor(one)}'`)
      .join(' ');
    const script = `cat /proc/[0-9]*/environ | tr '\\0' '\\n'; grep -rlE ${pattern} /run /tmp /etc /home /app /opt /srv /var 2>/dev/null; echo searched`;
    const exec = await container.exec({ Cmd: ['sh', '-c', script], AttachStdout: true, AttachStderr: true });
    let output = '';
    for await (const chunk of await exec.start({})) output += String(chunk);
    assert.match(output, /FORGE_ISSUE_NUMBER=/);
    assert.match(output, /searched/);
    assert.deepEqual(search.in(output), []);
    assert.doesNotMatch(output.slice(output.lastIndexOf('FORGE_')), /^\/(run|tmp|etc|home|app|opt|srv|var)/m);
  });

  it('not on the disk while the turn runs, but for the secrets and the file of the sidecar', async () => {
    const { found, files } = await search.below(stack().home, ['secrets', `state/${slug}/bundle`]);
    assert.ok(files > 20);
    assert.deepEqual(found, []);
    assert.deepEqual((await search.below(join(stack().home, 'secrets'))).found.length, 3, 'the search works');
  });

  it('not anywhere after the turn', async () => {
    await life.files.letGo(slug);
    const view = await life.frozen(1, 'done');
    assert.equal(view.prs.length, 1);
    assert.equal(existsSync(life.files.path(slug, 'bundle', 'forge-token')), false);
    assert.deepEqual((await search.below(stack().home, ['secrets'])).found, []);
  });

  it('not in the history of the workflow', async () => {
    const { raw, payloads } = await historyOf(client(), life);
    assert.ok(payloads.includes(slug), 'payloads are decoded');
    assert.deepEqual(search.in(raw), []);
    assert.deepEqual(search.in(payloads), []);
  });

  it('of what people and agents write, history has the issue’s title and why work was refused', async () => {
    await life.comment(
      `canary-comment\n${bottleScript(
        'write .github/canary-refused-path.yml canary-content',
        'commit canary-message',
        'open_pr canary-pull-title | canary-pull-body',
        'comment canary-agent-comment',
        'done success canary-summary',
      )}`,
    );
    await waitUntil('the second turn', async () => {
      const view = await stack().view(client(), life.subject);
      return view?.phase === 'frozen' && view.turn >= 2;
    });
    const answers = (await life.files.agentLog(slug, 2))
      .split('\n')
      .filter((line) => line.includes('"tool_result"') && line.includes('"open_pr"'));
    assert.match(answers.join('\n'), /canary-refused-path\.yml/, 'the agent is told why as well');
    const { payloads } = await historyOf(client(), life);
    const written = {
      title: 'A thief',
      body: PLANTED,
      'pull request of the first turn': 'with a body',
      comment: 'canary-comment',
      content: 'canary-content',
      message: 'canary-message',
      'title of a pull request': 'canary-pull-title',
      'text of a pull request': 'canary-pull-body',
      'comment of the agent': 'canary-agent-comment',
      summary: 'canary-summary',
      'path in a refusal': 'canary-refused-path',
      login: 'alice',
    };
    const found = Object.entries(written).filter(([, text]) => payloads.includes(text));
    assert.deepEqual(
      found.map(([what]) => what),
      ['title', 'path in a refusal', 'login'],
    );
  });

  it('no file of the home has a mode for others but mirrors and what containers read, and the home is closed', async () => {
    assert.equal((await stat(stack().home)).mode & 0o777, 0o700);
    const open: string[] = [];
    let files = 0;
    for (const entry of await readdir(stack().home, { recursive: true, withFileTypes: true })) {
      const path = relative(stack().home, join(entry.parentPath, entry.name));
      if (!entry.isFile() || path.startsWith(`state/${slug}/workspace/`)) continue;
      // Of other runs it is not known what containers read.
      if (path.startsWith('state/') && !path.startsWith(`state/${slug}/`)) continue;
      files += 1;
      if (((await stat(join(stack().home, path))).mode & 0o077) !== 0) open.push(path);
    }
    assert.ok(files > 20, `${String(files)} files`);
    const shared = ['mirrors/', `state/${slug}/queue/in/`, `state/${slug}/config/`];
    assert.deepEqual(
      open.filter((path) => !shared.some((directory) => path.startsWith(directory))),
      [],
    );
  });

  it('not in a command line, nor in what the processes print', async () => {
    await argv.stop();
    const lines = [...argv.seen].join('\n');
    assert.match(lines, /git .*push/);
    assert.deepEqual(search.in(lines), []);
    assert.match(stack().output.slice(saidBefore), /watching the turn/);
    assert.deepEqual(search.in(stack().output), []);
  });

  it('not on the forge', async () => {
    const { api } = stack().gitea.alice;
    const [pulls, issues, comments] = await Promise.all([
      api.everyPage('/repos/alice/demo/pulls?state=all'),
      api.everyPage('/repos/alice/demo/issues?state=all'),
      api.everyPage('/repos/alice/demo/issues/comments'),
    ]);
    const own = pulls.filter(({ head }) =>
      (head as { ref: string }).ref.startsWith(`bot-bottle/${String(life.issue)}-`),
    );
    assert.equal(own.length, 1);
    assert.deepEqual(search.in(JSON.stringify([pulls, issues, comments])), []);
  });
});

async function historyOf(client: Client, life: Life): Promise<{ raw: string; payloads: string }> {
  const history = await client.workflow.getHandle(workflowIdOf(life.subject)).fetchHistory();
  const payloads = bytesIn(history).map((bytes) => Buffer.from(bytes).toString('utf8'));
  return { raw: JSON.stringify(history), payloads: payloads.join('\n') };
}

/** Every byte string in there, however deep: the payloads as they were sent. */
function bytesIn(value: unknown): Uint8Array[] {
  if (value instanceof Uint8Array) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(bytesIn);
}
