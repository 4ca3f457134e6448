import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { containerName } from '../../../src/adapters/docker/names-and-labels.js';
import { GROUPS } from '../../support/probes/inside/probes.mjs';
import {
  outcomes,
  placeProbes,
  RUN_PROBES,
  runControl,
  runInBundle,
  type Outcome,
} from '../../support/probes/run-probes.js';
import { CANARY, MEMORY_BYTES, PIDS, ProbeTargets } from '../../support/probes/targets.js';
import { bottleScript, WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import type { Life } from '../../support/stack/life.js';
import { bottleStack } from './stack.js';

const BOTTLE = `---
resources:
  memory: ${String(MEMORY_BYTES / 1024 ** 2)}m
  cpus: 2
  pids: ${String(PIDS)}
  disk: 64m
  files: 20000
---
`;
const LABELS = ['bot-bottle:demo', 'bot-bottle-bottle:hardened'];

/** Attacks from inside the bottle of a real run, all of them in one turn, and what the host is like afterwards. */
describe('attacks from inside a bottle', function () {
  this.timeout(180_000);
  const { stack, open } = bottleStack();
  const trigger = (title: string, ...script: readonly string[]): Promise<Life> =>
    open(title, bottleScript(...script), LABELS);
  let targets: ProbeTargets | undefined;
  let attacker: Life;
  let slug: string;
  let hog: Life;
  let glutton: Life;
  let inBottle = new Map<string, Outcome>();
  let inBundle = new Map<string, Outcome>();
  let inControl = new Map<string, Outcome>();
  let other: number;

  before(async () => {
    await mkdir(join(stack().home, 'bottles'), { recursive: true });
    await writeFile(join(stack().home, 'bottles/hardened.md'), BOTTLE);
    other = await stack().gitea.alice.createIssue({ title: 'Not for the agent' });
    const opened = await ProbeTargets.open(stack(), other);
    targets = opened;
    [attacker, hog, glutton] = await Promise.all([
      trigger('An attacker', WAIT_FOR_TEST, RUN_PROBES, 'done blocked tried all'),
      trigger('Fills the disk', 'run head -c 192M /dev/zero >big', 'hang'),
      trigger('Eats the memory', `run perl -e "my \\$x = 'x' x ${String(2 * MEMORY_BYTES)}"`, 'exit 1'),
    ]);
    ({ slug } = await attacker.waiting());
    await placeProbes(attacker.files.path(slug, 'turn'), opened.values);
    [inBundle, inControl] = await Promise.all([
      runInBundle(containerName(slug, 'bundle'), {
        ...opened.values,
        tokenMode: process.getuid?.() === 0 ? 0o400 : 0o444,
      }),
      runControl(opened.values),
    ]);
    await attacker.files.letGo(slug);
    await attacker.frozen(1, 'blocked');
    inBottle = outcomes(await attacker.files.text(slug, 'workspace', 'report.jsonl'));
  });
  after(() => targets?.close());

  for (const [group, probes] of Object.entries(GROUPS))
    describe(`fail: ${group}`, () => {
      for (const { name, tries } of probes)
        it(`${name} (${tries})`, () => {
          const outcome = inBottle.get(name) ?? assert.fail('was not tried');
          assert.ok(outcome.blocked, outcome.evidence);
        });
    });

  describe('would have been seen to succeed where nothing stops them', () => {
    for (const [group, probes] of Object.entries(GROUPS))
      for (const { name } of probes.filter(({ control }) => control === true))
        it(`${group}, ${name}`, () => {
          const outcome = inControl.get(name) ?? assert.fail('was not tried');
          assert.ok(!outcome.blocked, outcome.evidence);
          assert.doesNotMatch(outcome.evidence, /the probe broke/);
        });
  });

  it('fail too when the sidecar itself is taken over', () => {
    assert.ok(inBundle.size >= 20, String(inBundle.size));
    const open = [...inBundle.values()].filter(({ blocked }) => !blocked);
    assert.deepEqual(open, []);
  });

  it('find no secret', () => {
    const seen = JSON.stringify([...inBottle.values()]);
    const { sidecarToken, publisherToken } = stack().gitea.bot;
    for (const secret of [sidecarToken, publisherToken, stack().webhookSecret])
      assert.ok(!seen.includes(secret));
    // It does look where commit ids are.
    assert.match(inBottle.get('secret: files')?.evidence ?? '', /looks like: [0-9a-f]{40}/);
  });

  it('leave nothing on the forge, and what was refused on record', async () => {
    const { alice } = stack().gitea;
    assert.deepEqual(await alice.comments(other), []);
    const { body } = await alice.api.object('GET', `/repos/alice/demo/issues/${String(other)}`);
    assert.equal(body, '');
    const refused = (await attacker.files.operations(slug)).filter(({ outcome }) => outcome === 'refused');
    for (const name of ['post_comment', 'update_description']) {
      const of = (one: { operation: string; target: string }): boolean =>
        one.operation === name && one.target === `#${String(other)}`;
      assert.match(refused.find(of)?.text ?? 'not on record', /scope/, name);
    }
  });

  it('find no socket but those of the own sidecar', () => {
    const own = ['credentials', 'egress', 'forge'].map((name) => `/run/bottle/sock/${name}.sock`);
    assert.equal(inBottle.get('other sockets')?.evidence, own.join(' '));
  });

  it('do not make the host follow a link when it keeps the session', async () => {
    const tar = await attacker.files.sessionTar(slug);
    const listing = promisify(execFile)('tar', ['-tvf', '-']);
    listing.child.stdin?.end(tar);
    assert.match((await listing).stdout, /^l.* \S*stolen\.json -> /m);
    assert.ok(!tar.includes(CANARY.trim()));
  });

  it('a turn that fills the disk is stopped, and the next prompt says why', async () => {
    const view = await hog.frozen(1, 'disk');
    assert.match(view.detail ?? '', /^the run held \d+(\.\d)? MiB on disk, and may hold 64 MiB$/);
    await hog.comment(bottleScript('run rm big', 'done blocked tidied up'));
    await hog.frozen(2, 'blocked');
    const [, prompt = ''] = await hog.files.prompts(view.slug);
    assert.match(prompt, /^Your last turn ran into a limit: the run held .* Delete /m);
  });

  it('a turn that runs out of memory says so', async () => {
    const view = await glutton.frozen(1, 'incomplete');
    assert.match(view.detail ?? '', /^out of memory: .* 384 MiB$/);
    await glutton.comment(bottleScript('done blocked'));
    await glutton.frozen(2, 'blocked');
    const [, prompt = ''] = await glutton.files.prompts(view.slug);
    assert.match(prompt, /ran into a limit: out of memory/);
  });

  it('leave the host in health, and can be cleared away without a trace', async () => {
    const health = await fetch(new URL('/readyz', stack().webhookUrl));
    assert.equal(health.status, 200);
    await attacker.close();
    assert.equal(existsSync(attacker.files.path(slug, 'workspace')), false);
    assert.equal(await targets?.isUntouched(), true);
  });
});
