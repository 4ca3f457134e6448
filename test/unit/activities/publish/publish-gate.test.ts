import assert from 'node:assert/strict';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import {
  publishThroughGate,
  type GateInput,
  type Publication,
} from '../../../../src/activities/publish/publish-gate.js';
import { parseExtraction } from '../../../../src/domain/bottle/extractor.js';
import { localSubject } from '../../../../src/domain/forge/issue.js';
import { BRANCH, HEAD, HostWorld, report, SECRET } from '../../../support/host/host-world.js';
import { useTempDir } from '../../../support/webhook/temp-dir.js';

const REQUEST: Publication = {
  kind: 'pull_request',
  title: 'Say hello',
  body: 'Done',
  draft: false,
  texts: [{ where: 'the body', text: 'Done' }],
};

describe('the publish gate', () => {
  const path = useTempDir();
  let count = 0;
  let world: HostWorld;
  beforeEach(async () => {
    world = await HostWorld.open(path(`home-${String((count += 1))}`));
    await world.begin();
  });

  async function publish(changes: Partial<GateInput> = {}) {
    const record = await world.ports.files.readTurn('coder-alice-demo-12-abc12', 1);
    assert.ok(record !== undefined);
    const extraction = parseExtraction(report({ bundle: 'commits' }).stdout);
    const signal = new AbortController().signal;
    const input = { ...(await world.settling()), record, extraction, publication: REQUEST, signal };
    return publishThroughGate(world.ports, { ...input, ...changes });
  }
  const opened = (): string[] => world.forge.calls.filter((call) => call.startsWith('open '));

  it('refuses a run without an issue before it asks for anything', async () => {
    const ports = new Proxy({} as HostPorts, {
      get: (_, port) => assert.fail(`asks for ${String(port)}`),
    });
    const request = { subject: localSubject('claude-alice-demo-local-abcde') };
    const result = await publishThroughGate(
      ports,
      request as unknown as Parameters<typeof publishThroughGate>[1],
    );
    assert.deepEqual(result, { kind: 'refused', reason: 'a run without an issue publishes nothing' });
  });

  it('pushes, then opens the one pull request, which a second try adopts', async () => {
    const pr = { kind: 'published', pr: 31, prUrl: 'https://forge.example/alice/demo/pulls/31', head: HEAD };
    assert.deepEqual(await publish(), { ...pr, created: true });
    assert.deepEqual(await publish(), { ...pr, created: false });
    assert.deepEqual(opened(), [`open ${BRANCH}`]);
    const { title, body, base } = world.forge.pulls.get(31) ?? assert.fail('it is not there');
    assert.deepEqual([title, base.ref], ['Say hello', 'main']);
    assert.match(body, /^Done\n\nCloses #12$/);
  });

  it('opens no other one after a person closed the run’s', async () => {
    world.forge.putPull(31, { state: 'closed' });
    const reason = 'pull request #31 was closed';
    assert.deepEqual(await publish({ latestPr: 31 }), { kind: 'nothing', reason });
    assert.deepEqual(opened(), []);
  });

  it('opens none for what was refused, and says why', async () => {
    world.verdict = () => ({ kind: 'refused', reason: 'a secret' });
    assert.deepEqual(await publish(), { kind: 'refused', reason: 'a secret' });
    assert.deepEqual(opened(), []);
  });

  it('opens none without new commits: nothing on the forge, or what the base has already', async () => {
    world.verdict = () => ({ kind: 'unchanged', head: HEAD, onForge: false });
    const reason = 'there are no new commits on the branch';
    assert.deepEqual(await publish(), { kind: 'nothing', reason });
    const record = await world.ports.files.readTurn('coder-alice-demo-12-abc12', 1);
    assert.ok(record?.refs);
    world.verdict = () => ({ kind: 'unchanged', head: HEAD, onForge: true });
    const sameAsBase = { ...record, refs: { ...record.refs, baseSha: HEAD } };
    assert.deepEqual(await publish({ record: sameAsBase }), { kind: 'nothing', reason });
    assert.deepEqual(opened(), []);
  });

  it('opens it after a try that died behind its push, once its texts were looked through', async () => {
    world.verdict = () => ({ kind: 'unchanged', head: HEAD, onForge: true });
    const texts = [{ where: 'the body', text: `the key is ${SECRET}` }];
    const refused = await publish({ publication: { ...REQUEST, texts } });
    assert.ok(refused.kind === 'refused');
    assert.match(refused.reason, /the body/);
    assert.doesNotMatch(refused.reason, new RegExp(SECRET));
    assert.deepEqual(opened(), []);
    assert.equal((await publish()).kind, 'published');
  });

  it('leaves it at the branch where no pull request was asked for', async () => {
    assert.deepEqual(await publish({ publication: { kind: 'branch' } }), { kind: 'pushed', head: HEAD });
    assert.deepEqual(opened(), []);
  });

  it('pushes nothing of a run that was moved to another host', async () => {
    world.isCurrent = () => false;
    assert.equal((await publish()).kind, 'refused');
    assert.deepEqual([world.asked, opened()], [[], []]);
  });

  it('opens nothing for a run that was moved, or is over, while it pushed', async () => {
    const asked = [true, false];
    world.isCurrent = () => asked.shift() ?? false;
    assert.equal((await publish()).kind, 'refused');
    world.isCurrent = () => true;
    await assert.rejects(publish({ signal: AbortSignal.abort(new Error('over')) }), /over/);
    assert.deepEqual([world.asked, opened()], [['push', 'push'], []]);
  });

  it('does not adopt a pull request from a fork when it publishes to the repository itself', async () => {
    world.forge.putPull(31, { head: { ref: BRANCH, sha: HEAD, fromFork: true } });
    const result = await publish();
    assert.ok(result.kind === 'refused');
    assert.match(result.reason, /#31 is from the bot’s fork/);
  });
});
