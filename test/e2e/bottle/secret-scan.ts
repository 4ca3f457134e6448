import assert from 'node:assert/strict';
import { plantedKey } from '../../support/gitleaks/planted-key.js';
import { bottleScript, WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import { bottleStack } from './stack.js';

/** A key that an agent commits never reaches the forge, and the agent gets the chance to mend it. */
describe('a key in an agent’s commits', function () {
  this.timeout(240_000);
  const { stack, lifeOf } = bottleStack();
  const key = plantedKey();

  it('is not published; the agent is told in a nudge, takes it out, and its work is', async () => {
    const { alice, bot } = stack().gitea;
    // The script names the issue, so it is written before anybody is asked to do it.
    const issue = await alice.createIssue({ title: 'Configure it' });
    const script = bottleScript(
      // In two parts: the issue itself holds no key.
      `write config.txt token = ${key.slice(0, 20)}@@${key.slice(20)}`,
      'run sed -i s/@@// config.txt && git add config.txt && git commit -qm Configure',
      // The prompt leaves out what nobody sees: the agent posts the whole key.
      `comment ${String(issue)} look at ${key.slice(0, 20)}\u00AD${key.slice(20)}`,
      `comment ${String(issue)} there is a key in config.txt`,
      'write good.txt good',
      'commit Good work',
      'open_pr Configure | It works now.',
      WAIT_FOR_TEST,
      'done success finished',
    );
    await alice.editIssue(issue, { body: script });
    await alice.addLabel(issue, 'bot-bottle:demo');
    await alice.assign(issue, bot.login);
    const life = lifeOf(issue);
    const { slug } = await life.waiting();
    const log = await life.files.agentLog(slug, 1);
    assert.ok(log.includes(key));
    const refused = `looks like a secret: the comment on #${String(issue)} line 1 (rule github-pat)`;
    assert.ok(log.includes(refused), log);
    const comments = await alice.comments(issue);
    assert.deepEqual(
      comments.map(({ body }) => body.split('\n')[0]),
      ['there is a key in config.txt'],
    );
    const [answer = ''] = log
      .split('\n')
      .filter((line) => line.includes('"tool_result"') && line.includes('"open_pr"'));
    assert.match(answer, /config\.txt line 1 in commit [0-9a-f]{12} \(rule github-pat\)/);
    const [advice = ''] = /git reset --soft [0-9a-f]{40}/.exec(answer) ?? [];
    assert.notEqual(advice, '');

    // The scripted agent has a script only where its prompt has one: this comment is part of the nudge's.
    await life.comment(
      bottleScript(
        `run ${advice} && git rm -q --cached config.txt && rm config.txt && git commit -qm 'Good work'`,
        'done success without the key',
      ),
    );
    await life.until('the comment in the mailbox', ({ mailbox }) => mailbox === 1);
    await life.files.letGo(slug);
    const view = await life.frozen(2, 'done');

    const [, nudge = ''] = await life.files.prompts(slug);
    assert.match(nudge, /were not published\. Mend what is named here/);
    assert.match(nudge, /> this looks like a secret: config\.txt line 1 in commit/);
    assert.ok(!nudge.includes(key));

    const [pr = 0, more] = view.prs;
    assert.ok(pr > 0 && more === undefined);
    const pull = await alice.api.object('GET', `/repos/alice/demo/pulls/${String(pr)}`);
    assert.match(String(pull['body']), /without the key/);
    const files = await alice.api.list(`/repos/alice/demo/pulls/${String(pr)}/files`);
    assert.deepEqual(
      files.map(({ filename }) => filename),
      ['good.txt'],
    );
    const commits = await alice.api.list(`/repos/alice/demo/pulls/${String(pr)}/commits`);
    assert.equal(commits.length, 1);
    assert.equal((await life.branches()).length, 1);

    // What the scans said stays on record, without the key.
    const ended = await life.files.endedTurns(slug);
    assert.deepEqual(
      ended.map(({ detail }) =>
        (detail['secretScans'] as { outcome: string; rules: string[] }[]).map(({ outcome, rules }) => [
          outcome,
          ...rules,
        ]),
      ),
      [
        [
          // open_pr, the turn's end, and the comment.
          ['found', 'github-pat'],
          ['found', 'github-pat'],
          ['found', 'github-pat'],
        ],
        [['clean']],
      ],
    );
    assert.ok(!JSON.stringify(ended).includes(key));
  });
});
