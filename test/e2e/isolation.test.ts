import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { containerName } from '../../src/adapters/docker/names-and-labels.js';
import { agentRuns, outputOf, type AgentRun } from '../support/stack/agent-runs.js';
import { WAIT_FOR_TEST } from '../support/stack/bottle-script.js';
import type { Life } from '../support/stack/life.js';
import { useStack } from '../support/stack/use-stack.js';

/** Connects and says what came of it. */
const connect = (host: string, port: string): string =>
  `node -e "const s = require('net').connect(${port}, '${host}'); s.setTimeout(3000, () => s.destroy(Error('silence')));` +
  ` s.on('connect', () => { console.log('connected ${host}'); process.exit() }); s.on('error', (e) => console.log(e.code || e.message, '${host}'))"`;

describe('what an agent in a real run can reach', function () {
  this.timeout(180_000);
  const { stack, trigger } = useStack();
  let life: Life;
  let slug: string;
  let runs: AgentRun[];
  let other: number;

  before(async () => {
    other = await stack().gitea.alice.createIssue({ title: 'Not for the agent' });
    const [, temporalPort = ''] = stack().temporalAddress.split(':');
    life = await trigger(
      'A curious agent',
      'run ls /sys/class/net',
      "run grep -E '^(Cap|NoNewPrivs|Seccomp:|Uid|Gid|Groups)' /proc/self/status",
      'run cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null',
      'run cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null',
      'run find / -xdev -type s 2>/dev/null; find /run /var/run /tmp -name "*.sock" 2>/dev/null',
      'run for f in /x /etc/x /usr/bin/x /var/x /run/x; do touch $f && echo wrote $f; done',
      'run touch /run/bottle/sock/x; rm /run/bottle/sock/forge.sock; mv /run/bottle/sock/forge.sock /tmp/; ls /run/bottle/sock',
      'run touch /run/bottle/turn/x; ls -d /run/bottle/queue /queue 2>&1',
      `run ${connect('127.0.0.1', temporalPort)}; ${connect('172.17.0.1', temporalPort)}; ${connect('1.1.1.1', '443')}`,
      'run mount -t tmpfs none /mnt; unshare -Ur true; chroot / true',
      `comment ${String(other)} I should not be here`,
      `describe ${String(other)} nor here`,
      'read_issue ' + String(other),
      WAIT_FOR_TEST,
      'done success looked around',
    );
    ({ slug } = await life.waiting());
    runs = agentRuns(await life.files.agentLog(slug, 1));
  });

  it('has no network interface but loopback, and reaches nothing through it', async () => {
    const [, temporalPort = ''] = stack().temporalAddress.split(':');
    const outside = await promisify(execFile)('sh', ['-c', connect('127.0.0.1', temporalPort)]);
    assert.equal(outside.stdout, 'connected 127.0.0.1\n', 'the probe works where there is a way');
    assert.equal(outputOf(runs, '/sys/class/net'), 'lo');
    assert.deepEqual(outputOf(runs, 'connect').split('\n'), [
      'ECONNREFUSED 127.0.0.1',
      'ENETUNREACH 172.17.0.1',
      'ENETUNREACH 1.1.1.1',
    ]);
  });

  it('runs as uid 1000 with no capability, no new privileges and a seccomp filter', () => {
    const status = new Map(
      outputOf(runs, '/proc/self/status')
        .split('\n')
        .map((line) => line.split(/:\s+/))
        .map(([key = '', value = '']) => [key, value] as const),
    );
    const none = '0000000000000000';
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      assert.equal(status.get(set), none, set);
    assert.equal(status.get('NoNewPrivs'), '1');
    assert.equal(status.get('Seccomp'), '2');
    assert.equal(status.get('Uid'), '1000\t1000\t1000\t1000');
    assert.equal(status.get('Gid'), '1000\t1000\t1000\t1000');
  });

  it('has the limits of its bottle', () => {
    assert.equal(outputOf(runs, 'pids.max'), '512');
    assert.equal(outputOf(runs, 'memory'), String(2 * 1024 ** 3));
  });

  it('sees no socket but those of its own sidecar, and cannot replace them', () => {
    const sockets = new Set(outputOf(runs, '-type s').split('\n'));
    const expected = ['credentials', 'egress', 'forge'].map((name) => `/run/bottle/sock/${name}.sock`);
    assert.deepEqual([...sockets].sort(), expected);
    const attack = outputOf(runs, 'touch /run/bottle/sock/x');
    assert.equal(attack.match(/Read-only file system/g)?.length, 3, attack);
    assert.match(attack, /^forge\.sock$/m);
    assert.doesNotMatch(attack, /^x$/m);
  });

  it('writes nowhere but in its workspace, its home and its temporary directory', () => {
    const attempts = outputOf(runs, 'for f in /x');
    assert.doesNotMatch(attempts, /wrote/);
    assert.equal(attempts.match(/Read-only file system/g)?.length, 5, attempts);
    assert.match(outputOf(runs, 'touch /run/bottle/turn/x'), /Read-only file system/);
  });

  it('cannot mount, unshare or chroot', () => {
    const tries = outputOf(runs, 'mount -t tmpfs');
    for (const refusal of [/^mount: .*superuser/m, /^unshare: .*not permitted/m, /^chroot: .*not permitted/m])
      assert.match(tries, refusal);
  });

  it('is refused a write outside its scope, and the refusal is on record', async () => {
    await life.files.letGo(slug);
    await life.frozen(1, 'done');
    assert.deepEqual(await stack().gitea.alice.comments(other), []);
    const issue = await stack().gitea.alice.api.object('GET', `/repos/alice/demo/issues/${String(other)}`);
    assert.equal(issue['body'], '');
    const rows = (await life.files.operations(slug))
      .filter(({ target }) => target === `#${String(other)}`)
      .map(({ operation, outcome }) => `${operation} ${outcome}`);
    assert.deepEqual(rows, ['post_comment refused', 'update_description refused', 'read_issue ok']);
    const [refusal] = (await life.files.operations(slug)).filter(({ outcome }) => outcome === 'refused');
    assert.match(refusal?.text ?? '', new RegExp(`#${String(other)}.*scope`));
  });

  it('leaves no way from the sidecar to Temporal either', async () => {
    const [, temporalPort = ''] = stack().temporalAddress.split(':');
    const next = await trigger('Hold the sidecar', WAIT_FOR_TEST, 'done success');
    const { slug: held } = await next.running();
    const container = new Docker().getContainer(containerName(held, 'bundle'));
    const probe = connect('172.17.0.1', temporalPort);
    const exec = await container.exec({ Cmd: ['sh', '-c', probe], AttachStdout: true, AttachStderr: true });
    const stream = await exec.start({});
    let output = '';
    for await (const chunk of stream) output += String(chunk);
    assert.match(output, /ECONNREFUSED 172\.17\.0\.1/);
    await next.files.letGo(held);
    await next.frozen(1, 'done');
  });
});
