import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import {
  publishThroughGate,
  type GateInput,
  type Publication,
} from '../../../../src/activities/publish/publish-gate.js';
import { besideTask } from '../../../../src/activities/publish/beside-task.js';
import { lastPushed } from '../../../../src/activities/base/last-pushed.js';
import { scansOf } from '../../../../src/activities/publish/publish-scans.js';
import { BotBottleError } from '../../../../src/domain/base/errors.js';
import { parseExtraction } from '../../../../src/domain/bottle/extractor.js';
import type { Forks } from '../../../../src/domain/forge/forks.js';
import { localSubject, type PullRequest } from '../../../../src/domain/forge/issue.js';
import type { GitPublishRequest, GitRepository } from '../../../../src/domain/workspace/git-repository.js';
import { BRANCH, HEAD, useHostWorld, report, SECRET, SLUG } from '../../../support/host/host-world.js';
import { PREPARED } from '../../../support/machine/world.js';
import { ALICE, BOT } from '../../../support/webhook/fake-forge.js';

const TEXTS = [{ where: 'the body', text: 'Done' }];
const REQUEST: Publication = {
  kind: 'pull_request',
  title: 'Say hello',
  body: 'Done',
  draft: false,
  asked: true,
  texts: TEXTS,
};

describe('the publish gate', () => {
  const world = useHostWorld();
  beforeEach(async () => {
    await world.begin();
  });

  async function publish(changes: Partial<GateInput> = {}, ports: Partial<HostPorts> = {}) {
    const record = await world.ports.files.readTurn(SLUG, 1);
    assert.ok(record !== undefined);
    const extraction = parseExtraction(report({ bundle: 'commits' }).stdout);
    const signal = new AbortController().signal;
    const input = { ...(await world.settling()), record, extraction, publication: REQUEST, signal };
    return publishThroughGate({ ...world.ports, ...ports }, { ...input, ...changes });
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
    const record = await world.ports.files.readTurn(SLUG, 1);
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
    const asked = [true, true, false];
    world.isCurrent = () => asked.shift() ?? false;
    assert.equal((await publish()).kind, 'refused');
    world.isCurrent = () => true;
    await assert.rejects(publish({ signal: AbortSignal.abort(new Error('over')) }), /over/);
    assert.deepEqual([world.asked, opened()], [['push', 'push'], []]);
  });

  it('pushes nothing of a run that is moved while its commits are looked through, and keeps what was found', async () => {
    const { verdict } = world;
    world.verdict = () => {
      world.isCurrent = () => false;
      return verdict();
    };
    const result = await publish();
    assert.ok(result.kind === 'refused');
    assert.match(result.reason, /moved to another host/);
    assert.deepEqual([world.published.length, world.asked, opened()], [1, [], []]);
    assert.equal((await scansOf(world.ports, { slug: SLUG, turn: 1 })).length, 1);
  });

  it('pushes nothing while nobody can say where the run is', async () => {
    const { verdict } = world;
    const away = new BotBottleError('run_unknown', 'nobody answers', true, { away: true });
    world.verdict = () => {
      world.isCurrent = () => {
        throw away;
      };
      return verdict();
    };
    await assert.rejects(publish(), away);
    assert.deepEqual([world.asked, opened()], [[], []]);
  });

  it('beside a task of the workflow asks nobody whose the run is, for half of that task’s time', async () => {
    world.isCurrent = () => assert.fail('the answer would wait for the task');
    const began = (agoMs: number): HostPorts => besideTask(world.ports, Date.now() - agoMs);
    await assert.rejects(publish({}, began(5_000)), { code: 'lease_over', away: true });
    assert.deepEqual([world.asked, opened()], [[], []]);
    assert.equal((await publish({}, began(0))).kind, 'published');
  });

  it('beside a task of the workflow pushes nothing once the checks have taken longer than that', async () => {
    let now = Date.now();
    const { verdict } = world;
    world.verdict = () => {
      now += 5_000;
      return verdict();
    };
    const ports = besideTask({ ...world.ports, clock: { now: () => now } }, now);
    await assert.rejects(publish({}, ports), { code: 'lease_over', away: true });
    assert.deepEqual([world.published.length, world.asked, opened()], [1, [], []]);
  });

  it('does not adopt a pull request from a fork when it publishes to the repository itself', async () => {
    world.forge.putPull(31, { head: { ref: BRANCH, sha: HEAD, fromFork: true } });
    const result = await publish();
    assert.ok(result.kind === 'refused');
    assert.match(result.reason, /#31 is from the bot’s fork/);
  });

  /** With the fork of the bot as the place to publish to. */
  const inFork = (): Partial<HostPorts> => {
    const ensure = () => Promise.resolve({ forge: 'gitea', owner: 'bot', repo: 'alice-demo' } as const);
    return { forks: { ensure } as unknown as Forks };
  };

  it('opens it from the bot’s fork where that is published to, and adopts none of the repository itself', async () => {
    assert.equal((await publish({}, inFork())).kind, 'published');
    assert.deepEqual(opened(), [`open bot:${BRANCH}`]);
    assert.deepEqual(await publish({}, inFork()), {
      ...{ kind: 'published', pr: 31, prUrl: 'https://forge.example/alice/demo/pulls/31' },
      ...{ head: HEAD, created: false },
    });
    world.forge.putPull(31, { head: { ref: BRANCH, sha: HEAD, fromFork: false } });
    const result = await publish({}, inFork());
    assert.ok(result.kind === 'refused');
    assert.match(result.reason, /#31 is from a branch of the repository itself/);
  });

  it('has git hold the commits against what the turn began with, the limits and the texts', async () => {
    let asked: GitPublishRequest | undefined;
    const git = {
      publish: (request: GitPublishRequest) => {
        asked = request;
        assert.equal(readFileSync(request.bundleFile, 'utf8'), 'commits');
        return Promise.resolve(world.verdict());
      },
    } as unknown as GitRepository;
    await publish({}, { git, ...inFork() });
    assert.ok(asked !== undefined);
    const { bundleFile, submoduleRepos, objection, signal, seen, ...rest } = asked;
    assert.ok(!existsSync(bundleFile), 'no quota counts it');
    assert.deepEqual([submoduleRepos, seen], [[], undefined]);
    assert.equal(signal?.aborted, false);
    assert.equal(await objection?.(), undefined);
    const { allowPaths, gitUser } = PREPARED;
    assert.deepEqual(rest, {
      repo: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
      fork: { forge: 'gitea', owner: 'bot', repo: 'alice-demo' },
      ...{ branch: BRANCH, baseSha: 'b'.repeat(40), baseBranch: 'main' },
      ...world.ports.settings.publishLimits,
      ...{ allowPaths, author: gitUser, texts: TEXTS },
    });
    await publish({ publication: { kind: 'branch' } }, { git });
    assert.deepEqual([asked.fork, asked.texts], [undefined, []]);
  });

  it('keeps what it pushed, and what the scan said', async () => {
    assert.equal(await lastPushed(world.ports, SLUG), null);
    await publish();
    assert.equal(await lastPushed(world.ports, SLUG), HEAD);
    const outcomes = (await scansOf(world.ports, { slug: SLUG, turn: 1 })).map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, ['clean']);
  });

  it('says so where nothing was committed, and adopts what is open', async () => {
    const extraction = parseExtraction(report().stdout);
    const record = await world.ports.files.readTurn(SLUG, 1);
    assert.ok(record?.refs);
    const reason = 'there are no new commits on the branch';
    assert.deepEqual(await publish({ extraction }), { kind: 'nothing', reason });
    const onForge = { ...record, refs: { ...record.refs, branchSha: HEAD } };
    const branch = { kind: 'branch' } as const;
    const pushed = { kind: 'pushed', head: HEAD, unchanged: true };
    assert.deepEqual(await publish({ extraction, record: onForge, publication: branch }), pushed);
    assert.deepEqual(await publish({ extraction, record: { ...record, refs: null } }), {
      kind: 'nothing',
      reason,
    });
    world.forge.putPull(31, { head: { ref: BRANCH, sha: HEAD, fromFork: false } });
    const adopted = await publish({ extraction });
    assert.deepEqual([adopted.kind, 'unchanged' in adopted], ['published', true]);
    assert.equal(await lastPushed(world.ports, SLUG), null);
  });

  it('opens it against the default branch where the turn did not note one, as a draft if asked, with a title', async () => {
    const record = await world.ports.files.readTurn(SLUG, 1);
    assert.ok(record !== undefined);
    await publish({
      record: { ...record, refs: null },
      publication: { ...REQUEST, title: ' ', draft: true },
    });
    const { title, base } = world.forge.pulls.get(31) ?? assert.fail('it is not there');
    assert.match(title, /^WIP: Work on #\u200b?12$/);
    assert.equal(base.ref, 'main');
  });

  it('opens it against the default branch where the base was deleted while the turn ran', async () => {
    const record = await world.ports.files.readTurn(SLUG, 1);
    assert.ok(record?.refs);
    const stacked = { ...record, refs: { ...record.refs, baseBranch: 'feature' } };
    let opens = 0;
    world.forge.fault = (call) => {
      if (call.startsWith('open ') && (opens += 1) === 1) throw world.forge.notFound();
    };
    const result = await publish({ record: stacked });
    assert.equal(result.kind, 'published');
    assert.deepEqual([opens, world.forge.pulls.get(31)?.base.ref], [2, 'main']);
  });

  it('opens it against no other base when the forge has another reason', async () => {
    let opens = 0;
    world.forge.fault = (call) => {
      if (call.startsWith('open ') && (opens += 1) === 1) throw new Error('the forge is away');
    };
    await assert.rejects(publish(), /forge is away/);
    assert.deepEqual([opens, world.forge.pulls.size], [1, 0]);
  });

  describe('with a draft of an earlier turn', () => {
    const open = (title = 'WIP: Issue 12', changes: Partial<PullRequest> = {}): void => {
      const at = { head: { ref: BRANCH, sha: HEAD, fromFork: false } };
      world.forge.putPull(31, { title, body: 'which colour?', draft: true, ...at, ...changes });
    };
    const go = async (publication: Publication, changes: Partial<GateInput> = {}, drafts = true) => {
      const { prepared } = await world.settling();
      const result = await publish({ publication, prepared: { ...prepared, drafts }, ...changes });
      const { title, body, draft } = world.forge.pulls.get(31) ?? assert.fail('it is not there');
      return { result, left: [title, body, draft] };
    };

    it('makes it an ordinary one with the words of open_pr', async () => {
      open();
      const { result, left } = await go(REQUEST);
      assert.ok(result.kind === 'published' && result.pr === 31 && !result.created);
      assert.deepEqual(left, ['Say hello', 'Done\n\nCloses #12', false]);
      const edits = world.forge.calls.filter((call) => call.startsWith('edit'));
      assert.deepEqual(edits, ['edit body of 31', 'edit title,draft of 31']);
      await go({ ...REQUEST, title: 'Another', body: 'text' });
      assert.deepEqual((await go(REQUEST)).left, left, 'and is left alone afterwards');
    });

    it('takes WIP: away when the turn ends in success without them', async () => {
      open('WIP: Paint it');
      assert.deepEqual((await go({ ...REQUEST, asked: false })).left, ['Paint it', 'which colour?', false]);
    });

    it('keeps it when the work is not done, or when it is somebody’s own', async () => {
      const draft = ['WIP: Issue 12', 'which colour?', true];
      open();
      assert.deepEqual((await go({ kind: 'branch' })).left, draft);
      assert.deepEqual((await go({ ...REQUEST, draft: true })).left, draft);
      assert.deepEqual((await go(REQUEST, {}, false)).left, draft, 'the bottle makes no drafts');
      open(undefined, { author: ALICE });
      assert.deepEqual((await go(REQUEST)).left, draft);
      open();
      world.forge.act(31, 'edited', 'title', 1, BOT);
      world.forge.act(31, 'edited', 'title', 2);
      world.forge.act(31, 'edited', 'ref', 3, BOT);
      assert.deepEqual((await go(REQUEST)).left, draft, 'alice put WIP: before it');
      world.forge.act(31, 'edited', 'title', 4, BOT);
      assert.deepEqual((await go(REQUEST)).left[2], false);
    });

    it('changes nothing for words with a secret, where no commit had them scanned', async () => {
      open();
      world.verdict = () => ({ kind: 'unchanged', head: HEAD, onForge: true });
      const texts = [{ where: 'the title', text: SECRET }];
      const { result, left } = await go({ ...REQUEST, texts });
      assert.ok(result.kind === 'refused');
      assert.match(result.reason, /the title/);
      assert.deepEqual(left, ['WIP: Issue 12', 'which colour?', true]);
    });

    it('leaves it to the host that the run was moved to while its words were looked through', async () => {
      open();
      world.verdict = () => ({ kind: 'unchanged', head: HEAD, onForge: true });
      const asked = [true, false];
      world.isCurrent = () => asked.shift() ?? assert.fail('asked once more');
      const { result, left } = await go(REQUEST);
      assert.equal(result.kind, 'refused');
      assert.deepEqual(left, ['WIP: Issue 12', 'which colour?', true]);
    });

    it('closes nothing more when the run’s issue is that pull request', async () => {
      open();
      const { subject } = await world.settling();
      const { left } = await go(REQUEST, { subject: { ...subject, number: 31 } });
      assert.deepEqual(left, ['Issue 12', 'which colour?', false]);
    });
  });

  it('asks the person who triggered the run for a review where that is set, and goes on without', async () => {
    const settings = { ...world.ports.settings, requestReview: true };
    world.forge.fault = (call) => {
      if (call.startsWith('review')) throw new Error('no such reviewer');
    };
    const reviews = (): string[] => world.forge.calls.filter((call) => call.startsWith('review of'));
    assert.equal((await publish({}, { settings })).kind, 'published');
    assert.deepEqual([reviews(), world.warned], [['review of 31 by alice'], ['review not requested']]);
    world.forge.putPull(31, { state: 'closed' });
    await publish({ triggerActor: '' }, { settings });
    world.forge.putPull(32, { state: 'closed' });
    await publish();
    assert.deepEqual([reviews().length, opened().length], [1, 3]);
  });

  it('asks also after a try that died when it had opened the pull request, and no other one asks again', async () => {
    const settings = { ...world.ports.settings, requestReview: true };
    const forge = world.ports.forgeFor((await world.settling()).subject);
    const openPr: typeof forge.openPr = async (wanted) => {
      await forge.openPr(wanted);
      throw new Error('the worker was killed');
    };
    await assert.rejects(publish({}, { settings, forgeFor: () => ({ ...forge, openPr }) }), /was killed/);
    const reviews = (): string[] => world.forge.calls.filter((call) => call.startsWith('review of'));
    assert.deepEqual(reviews(), []);
    const adopted = await publish({}, { settings });
    assert.ok(adopted.kind === 'published' && !adopted.created);
    await publish({}, { settings });
    assert.deepEqual(reviews(), ['review of 31 by alice']);
  });
});
