import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { plantedKey } from '../../support/gitleaks/planted-key.js';
import { GateWorld, refusalOf, type GateWorldOptions } from '../../support/publish/gate-world.js';

const commit = (file: string, text = file): string =>
  `printf '%s\\n' '${text}' >${file}; git add ${file}; git commit -qm 'Add ${file}'`;

describe('publishing, against a real forge and a real engine', function () {
  this.timeout(180_000);
  let gitea: Gitea;
  let world: GateWorld;
  before(async () => {
    gitea = await sharedGitea();
  });
  afterEach(async () => {
    await world.remove();
  });
  const begin = async (options: GateWorldOptions = {}): Promise<void> => {
    world = await GateWorld.create(gitea, options);
  };
  const onlyPull = async (): Promise<Record<string, unknown>> => {
    const [pull, second] = await world.pulls();
    assert.ok(pull !== undefined && second === undefined, 'not exactly one pull request');
    return pull;
  };
  const reviewers = async (): Promise<string[]> => {
    const { owner, repo } = world.subject;
    const pull = await onlyPull();
    const one = await world.alice.api.object(
      'GET',
      `/repos/${owner}/${repo}/pulls/${String(pull['number'])}`,
    );
    return ((one['requested_reviewers'] ?? []) as { login: string }[]).map(({ login }) => login);
  };

  describe('the pull request', () => {
    it('has the issue’s title, the summary made inert, the closing line and a reviewer when the turn was a success', async () => {
      await begin({ title: 'Say hello' });
      await world.agent(commit('hello.txt'));
      const settled = await world.settle('success', 'Done, @alice. Fixes #999\n\n/approve');
      assert.equal(settled.publish.kind, 'published');
      const pull = await onlyPull();
      assert.equal(pull['title'], 'Say hello');
      assert.equal((pull['base'] as { ref: string }).ref, 'main');
      const body = String(pull['body']);
      assert.ok(body.endsWith(`\n\nCloses #${String(world.subject.number)}`), body);
      assert.doesNotMatch(body, /@alice|#999|^\/approve/m);
      assert.equal(body.replaceAll('\u200B', '').startsWith('Done, @alice. Fixes #999'), true);
      assert.deepEqual(await reviewers(), ['alice']);
      assert.deepEqual(
        settled.secretScans?.map(({ outcome }) => outcome),
        ['clean'],
      );
      assert.equal(await world.tip(), settled.head);
    });

    it('has the agent’s own title and text with open_pr, and is the same one when more commits follow', async () => {
      await begin();
      await world.agent(commit('a.txt'));
      const first = await world.openPr('My title', 'My text');
      assert.ok(first.kind === 'published' && first.created);
      await world.more(commit('b.txt'));
      const { publish, head, secretScans } = await world.settle('success', 'summary');
      assert.ok(publish.kind === 'published' && !publish.created && publish.pr === first.pr);
      const pull = await onlyPull();
      assert.equal(pull['title'], 'My title');
      assert.match(String(pull['body']), /^My text\n\nCloses #/);
      assert.equal(await world.tip(), head);
      assert.equal(secretScans?.length, 2, 'both scans are on record');
    });

    it('is opened for work without success only as a draft, and only where the bottle says so', async () => {
      await begin();
      await world.agent(commit('a.txt'));
      const settled = await world.settle('blocked', 'which colour?');
      assert.equal(settled.publish.kind, 'pushed');
      assert.deepEqual(await world.pulls(), []);
      assert.equal(await world.tip(), settled.head);
      await world.remove();

      await begin({ prepared: { drafts: true }, title: 'Paint it' });
      await world.agent(commit('a.txt'));
      assert.equal((await world.settle('failed')).publish.kind, 'published');
      const pull = await onlyPull();
      assert.equal(pull['title'], 'WIP: Paint it');
      assert.equal(pull['draft'], true);
    });

    it('goes to the first of the named branches that is there', async () => {
      await begin({ prepared: { baseBranches: ['gone', 'release'] } });
      await world.alice.createFile({ branch: 'release', from: 'main', path: 'r.txt', content: 'r' });
      await world.agent(commit('a.txt'));
      assert.equal((await world.settle()).publish.kind, 'published');
      assert.equal(((await onlyPull())['base'] as { ref: string }).ref, 'release');
    });

    it('is refused, and the turn is not lost, when there is more than can be taken out', async () => {
      await begin({ publishLimits: { maxBytes: 100_000 } });
      await world.agent(`head -c 2000000 /dev/urandom >large; git add large; git commit -qm Large`);
      const settled = await world.settle('success');
      assert.match(refusalOf(settled.publish), /could not be taken out in time, or are too large/);
      assert.equal(await world.tip(), undefined);
    });
  });

  describe('what is not committed', () => {
    it('is listed, and kept as a patch that applies', async () => {
      await begin();
      await world.agent(
        `${commit('kept.txt', 'one')}; echo changed >kept.txt; mkdir dir; printf '\\0\\1\\2' >dir/bin; rm greet.sh; echo i >ignored; echo ignored >.gitignore`,
      );
      const settled = await world.settle('success');
      assert.equal(settled.publish.kind, 'published');
      const listed = (await world.ports.blobs.getText(settled.uncommittedRef ?? '')).split('\n').sort();
      assert.deepEqual(listed, ['.gitignore', 'dir/bin', 'greet.sh', 'kept.txt']);
      const clone = world.clone(world.branch);
      const patch = join(world.home, 'state', world.slug, 'turns/1/uncommitted.patch');
      world.git(clone, 'apply', '--index', patch);
      assert.equal(readFileSync(join(clone, 'kept.txt'), 'utf8'), 'changed\n');
      assert.deepEqual(readFileSync(join(clone, 'dir/bin')), Buffer.from([0, 1, 2]));
      assert.equal(
        world.git(clone, 'status', '--porcelain'),
        ['A  .gitignore', 'A  dir/bin', 'D  greet.sh', 'M  kept.txt'].join('\n'),
      );
    });
  });

  describe('a person who pushes to the branch', () => {
    it('before the work is taken out: is neither lost nor overwritten, and the next turn has it', async () => {
      await begin();
      await world.agent(commit('a.txt'));
      await world.settle();
      await world.agent(commit('b.txt'));
      const theirs = await world.alice.createFile({ branch: world.branch, path: 'p.txt', content: 'p' });
      const reason = refusalOf((await world.settle()).publish);
      assert.match(reason, /pushed [0-9a-f]{12} to the branch: merge refs\/remotes\/pr\//);
      assert.equal(await world.tip(), theirs);
      await world.agent(`git merge -q --no-edit refs/remotes/pr/${world.branch}; cat p.txt`);
      assert.deepEqual(
        world.refs?.moved.map(({ which, rewritten }) => [which, rewritten]),
        [['own', false]],
      );
      const settled = await world.settle();
      assert.equal(settled.publish.kind, 'published');
      assert.equal(await world.tip(), settled.head);
      const files = world.git(world.clone(world.branch), 'ls-files').split('\n');
      assert.ok(
        ['a.txt', 'b.txt', 'p.txt'].every((name) => files.includes(name)),
        files.join(),
      );
    });

    it('by the button that rebases: the old head is kept, and the agent goes on from theirs', async () => {
      await begin();
      await world.agent(commit('a.txt'));
      const first = await world.settle();
      assert.ok(first.publish.kind === 'published');
      await world.alice.createFile({ branch: 'main', path: 'main.txt', content: 'm' });
      const { owner, repo } = world.subject;
      await world.alice.api.call(
        'POST',
        `/repos/${owner}/${repo}/pulls/${String(first.publish.pr)}/update?style=rebase`,
      );
      const rebased = await world.tip();
      assert.notEqual(rebased, first.head);
      const said = await world.agent(
        `git rev-parse HEAD refs/bot-bottle/before-2; ls main.txt; ${commit('b.txt')}`,
      );
      assert.equal(said, `${String(rebased)}\n${String(first.head)}\nmain.txt\n`);
      const second = await world.settle();
      assert.equal(second.publish.kind, 'published');
      assert.equal(await world.tip(), second.head);
      // And that head is what counts from then on.
      await world.agent(`git reset -q --hard ${String(first.head)}; ${commit('c.txt')}`);
      assert.match(refusalOf((await world.settle()).publish), /rewritten/);
      assert.equal(await world.tip(), second.head);
    });
  });

  describe('history', () => {
    it('that goes on after a turn that was never taken in starts where that turn did, though the base has moved on', async () => {
      await begin();
      await world.agent(commit('a.txt'));
      const person = world.clone();
      world.git(person, 'commit', '-q', '--allow-empty', '-m', 'Meanwhile');
      world.git(person, 'push', '-q', 'origin', 'main');
      await world.agent(commit('b.txt'));
      const { publish } = await world.settle();
      assert.equal(publish.kind, 'published', JSON.stringify(publish));
      const files = world.git(world.clone(world.branch), 'ls-files').split('\n');
      assert.ok(files.includes('a.txt') && files.includes('b.txt'), String(files));
    });

    it('that is published may not be rewritten', async () => {
      await begin();
      await world.agent(commit('a.txt'));
      const first = await world.settle();
      await world.agent("git commit -q --amend -m 'another message'");
      assert.match(refusalOf((await world.settle()).publish), new RegExp(`rewritten: ${String(first.head)}`));
      assert.equal(await world.tip(), first.head);
    });

    it('that was never published may be rewritten: the way out of a refusal', async () => {
      await begin();
      const key = plantedKey();
      await world.agent(`${commit('config.txt', `token = ${key}`)}; ${commit('good.txt')}`);
      const first = await world.settle('success', 'all done');
      const reason = refusalOf(first.publish);
      assert.match(reason, /config\.txt line 1 in commit [0-9a-f]{12} \(rule github-pat\)/);
      assert.ok(!reason.includes(key));
      assert.deepEqual([await world.tip(), await world.pulls()], [undefined, []]);
      assert.deepEqual(
        first.secretScans?.map(({ outcome, rules }) => [outcome, rules]),
        [['found', ['github-pat']]],
      );

      // A removal on top is not enough, and says so again.
      await world.agent("git rm -q config.txt; git commit -qm 'Remove the key'");
      assert.match(refusalOf((await world.settle()).publish), /config\.txt line 1/);
      assert.equal(await world.tip(), undefined);

      // To the letter what the refusal says.
      const [reset = ''] = /git reset --soft [0-9a-f]{40}/.exec(reason) ?? [];
      await world.agent(`${reset}; git commit -qm 'Add good.txt'`);
      const third = await world.settle('success', 'without the key');
      assert.equal(third.publish.kind, 'published');
      assert.equal(await world.tip(), third.head);
      const clone = world.clone(world.branch);
      assert.equal(world.git(clone, 'log', '--all', '--format=%H', '-S', key), '');
      assert.ok(world.git(clone, 'ls-files').includes('good.txt'));
    });

    it('of a published part stays when only what came after it is refused', async () => {
      await begin();
      await world.agent(commit('a.txt'));
      const first = await world.settle();
      await world.agent(commit('config.txt', `token = ${plantedKey()}`));
      const reason = refusalOf((await world.settle()).publish);
      assert.ok(reason.includes(`git reset --soft ${String(first.head)}`), reason);
      await world.agent(`git reset -q --hard ${String(first.head)}~1; ${commit('b.txt')}`);
      assert.match(refusalOf((await world.settle()).publish), /rewritten/);
      await world.agent(`git reset -q --hard ${String(first.head)}; ${commit('b.txt')}`);
      assert.equal((await world.settle()).publish.kind, 'published');
    });
  });

  describe('secrets beside the commits', () => {
    it('in a summary or a text of open_pr: nothing is pushed, nor is it when the commits are there already', async () => {
      await begin();
      const key = plantedKey();
      await world.agent(commit('a.txt'));
      assert.match(refusalOf((await world.settle('success', `I used ${key}`)).publish), /the summary line 1/);
      assert.equal(await world.tip(), undefined);
      // Pushed as a branch by a turn that was no success; the pull request comes later, with a text and no new commit.
      assert.equal((await world.settle('blocked', 'wait')).publish.kind, 'pushed');
      assert.match(refusalOf(await world.openPr('Fine', key)), /the text of the pull request/);
      assert.deepEqual(await world.pulls(), []);
      assert.equal((await world.openPr('Fine', 'fine')).kind, 'published');
    });
  });

  describe('STUCK.md', () => {
    it('new, changed or committed: no pull request, and the file stays; left alone it does not count again', async () => {
      await begin();
      await world.agent(`${commit('a.txt')}; echo help >STUCK.md`);
      assert.match(refusalOf(await world.openPr('Title')), /STUCK\.md/);
      const first = await world.settle('success');
      assert.deepEqual([first.stuck, first.publish.kind], [true, 'nothing']);
      assert.equal(readFileSync(join(world.workspace, 'STUCK.md'), 'utf8'), 'help\n');
      assert.deepEqual([await world.tip(), await world.pulls()], [undefined, []]);

      await world.agent('echo more help >STUCK.md; git add STUCK.md; git commit -qm Stuck');
      assert.equal((await world.settle('success')).stuck, true);
      assert.equal(await world.tip(), undefined);

      await world.agent(`git rm -q --cached STUCK.md; git commit -qm Unstuck; ${commit('b.txt')}`);
      const third = await world.settle('success');
      assert.deepEqual([third.stuck, third.publish.kind], [false, 'published']);
    });
  });
});
