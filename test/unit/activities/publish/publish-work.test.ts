import assert from 'node:assert/strict';
import { createHostActivities } from '../../../../src/activities/host-activities.js';
import { publishWork } from '../../../../src/activities/publish/publish-work.js';
import { ContainerOverrunError, InvalidInputError } from '../../../../src/domain/base/errors.js';
import { Attachments } from '../../../../src/activities/turn/attachments.js';
import { HEAD, useHostWorld, failed, report, SECRET } from '../../../support/host/host-world.js';

const STUCK = 'c'.repeat(40);

describe('an agent’s open_pr', () => {
  const world = useHostWorld();
  beforeEach(async () => {
    await world.begin();
  });

  const { signal } = new AbortController();
  async function ask(
    content: unknown = { title: 'Say hello', body: 'Done' },
    changes: { readonly turn?: number; readonly stuckHash?: string } = {},
  ) {
    const contentRef = await world.ports.blobs.put(JSON.stringify(content));
    const settling = await world.settling(changes);
    return publishWork(world.ports, { ...settling, requestId: 'request1', contentRef }, signal);
  }

  it('opens a pull request with its words, which is no draft', async () => {
    assert.equal((await ask()).kind, 'published');
    const { title, body } = world.forge.pulls.get(31) ?? assert.fail('it is not there');
    assert.equal(title, 'Say hello');
    assert.match(body, /^Done\n/);
  });

  it('is not published beside a task of the workflow on another host than the run’s', async () => {
    const contentRef = await world.ports.blobs.put(JSON.stringify({ title: 'Say hello', body: 'Done' }));
    const { publishHere } = createHostActivities(world.ports, new Attachments());
    const input = { ...(await world.settling()), requestId: 'request1', contentRef };
    assert.equal(await publishHere({ ...input, host: 'another', taskBeganAt: Date.now() }), null);
    assert.deepEqual(world.asked, []);
  });

  for (const [what, content] of [
    ['the title', { title: SECRET, body: '' }],
    ['the text of the pull request', { title: 'Hello', body: SECRET }],
  ] as const)
    it(`is refused for a secret in ${what}, also after a push that was repeated`, async () => {
      world.verdict = () => ({ kind: 'unchanged', head: STUCK, onForge: true });
      const result = await ask(content);
      assert.ok(result.kind === 'refused');
      assert.ok(result.reason.startsWith(`this looks like a secret: ${what} `), result.reason);
      assert.equal(world.forge.pulls.size, 0);
    });

  it('is refused while a new STUCK.md says that a person has to help', async () => {
    world.answers = () => report({ stuck: STUCK, bundle: 'commits' });
    const result = await ask();
    assert.ok(result.kind === 'refused');
    assert.match(result.reason, /STUCK\.md that is new or changed/);
    assert.deepEqual(world.asked, ['publish']);
    const again = await ask(undefined, { stuckHash: STUCK });
    assert.equal(again.kind, 'published', 'an old one says nothing new');
  });

  it('is told why the commits could not be taken out', async () => {
    world.answers = () => failed(65);
    assert.match(JSON.stringify(await ask()), /"refused".*the branch is not there/);
    world.answers = () => failed(3);
    assert.match(JSON.stringify(await ask()), /"refused".*the extractor ended with exit code 3/);
    world.answers = () => ({ exitCode: 0, stdout: Buffer.from('hello'), stderr: '' });
    assert.match(JSON.stringify(await ask()), /"refused".*malformed extractor output/);
    world.answers = () => {
      throw new ContainerOverrunError('too long', false);
    };
    assert.match(JSON.stringify(await ask()), /"refused".*could not be taken out in time/);
    assert.deepEqual(
      world.asked.filter((what) => what === 'push'),
      [],
    );
  });

  it('fails when the engine does: that is not the agent’s doing', async () => {
    const fault = new Error('EIO');
    world.answers = () => {
      throw fault;
    };
    await assert.rejects(ask(), fault);
  });

  it('goes by the branches as the forge had them while its commits were taken out', async () => {
    const seen = { defaultBranch: 'main', branches: new Map([['main', HEAD]]) };
    const asked: unknown[] = [];
    world.branches = (...of) => {
      asked.push(of);
      return Promise.resolve(seen);
    };
    await ask();
    assert.equal(world.published[0]?.seen, seen);
    const { subject, prepared } = await world.settling();
    assert.deepEqual(asked, [[subject, [prepared.branch, 'main'], signal]]);
    assert.equal(world.published[0].signal, signal);
  });

  it('fails when the forge does, after its container has ended', async () => {
    const fault = new Error('away');
    world.branches = () => Promise.reject(fault);
    let isOut = false;
    world.answers = () => {
      isOut = true;
      return report({ bundle: 'commits' });
    };
    await assert.rejects(ask(), fault);
    assert.ok(isOut);
    assert.deepEqual(world.published, []);
  });

  it('leaves out of the bundle what the mirror has', async () => {
    const refs = { startSha: '1'.repeat(40), baseSha: '2'.repeat(40), branchSha: '3'.repeat(40) };
    await world.begin({ refs: { ...refs, baseBranch: 'main' } });
    const known: string[] = [];
    world.answers = ({ argv }) => {
      known.push(...argv.filter((word) => /^[0-9a-f]{40}$/.test(word)));
      return report({ bundle: 'commits' });
    };
    await ask();
    assert.deepEqual(known.sort(), Object.values(refs).sort());
  });

  it('is a fault without title and text, or of a turn that this host does not know', async () => {
    for (const content of [
      null,
      'text',
      {},
      { title: 'x' },
      { title: 1, body: '' },
      { title: '', body: null },
    ])
      await assert.rejects(ask(content), /no title and body/);
    await assert.rejects(ask(undefined, { turn: 2 }), InvalidInputError);
    assert.equal(world.forge.pulls.size, 0);
  });
});
