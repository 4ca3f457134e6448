import assert from 'node:assert/strict';
import {
  orderKeyOf,
  readStoredHint,
  storedHint,
  withOwnHead,
  withPullOfCommit,
} from '../../../../src/webhook/events/hint.js';
import {
  alice,
  commentEvent,
  issueEvent,
  pullEvent,
  statusEvent,
} from '../../../support/webhook/payloads.js';
import { hintOf } from '../../../support/webhook/parsed.js';

const SHA = 'a'.repeat(40);
const BRANCH = 'bot-bottle/12-abc12';

/** A payload whose part of that name is changed. */
function changed(payload: object, part: string, change: object): object {
  const parts = payload as Record<string, object>;
  return { ...payload, [part]: { ...parts[part], ...change } };
}

describe('the pull request of a hint', () => {
  it('is known by its branch where the bot pushed it to its fork, and not where somebody else did', () => {
    const hint = hintOf('pull_request', pullEvent({ headRef: BRANCH, headRepoId: 8, headOwnerId: 9 }));
    assert.deepEqual([hint.headRef, hint.forkHead], [null, { ref: BRANCH, ownerId: 9 }]);
    assert.equal(withOwnHead(hint, { id: 9, login: 'bot' }).headRef, BRANCH);
    assert.equal(withOwnHead(hint, { id: 10, login: 'bot' }).headRef, null);
    const own = hintOf('pull_request', pullEvent({ headRef: BRANCH }));
    assert.equal(withOwnHead(own, { id: 9, login: 'bot' }).headRef, BRANCH);
  });

  it('has no head where the payload has none, and no known owner where the fork is gone', () => {
    for (const head of [null, undefined]) {
      const hint = hintOf('pull_request', changed(pullEvent(), 'pull_request', { head }));
      assert.deepEqual([hint.headRef, hint.forkHead, hint.isPull], [null, null, true]);
    }
    const orphan = { ref: BRANCH, sha: 'c0ffee', repo_id: -1, repo: null };
    const hint = hintOf('pull_request', changed(pullEvent(), 'pull_request', { head: orphan }));
    assert.deepEqual([hint.headRef, hint.forkHead], [null, null]);
  });

  it('is that which has the commit for a head, in order with its run', () => {
    const hint = hintOf('status', statusEvent({ sha: SHA }));
    assert.deepEqual([hint.isPull, hint.headRef, hint.likelyAssignees], [false, null, []]);
    const head = { ref: BRANCH, sha: SHA, fromFork: false };
    const found = withPullOfCommit(hint, { number: 31, head });
    assert.deepEqual([found.subject.number, found.isPull, found.headRef], [31, true, BRANCH]);
    assert.deepEqual([found.subject.owner, found.cause], ['alice', { kind: 'checks', sha: SHA }]);
    assert.equal(orderKeyOf(found), 'gitea:alice/demo#12');
    assert.equal(orderKeyOf(hint), `gitea:alice/demo@${SHA}`);
  });

  it('counts for a comment only where that is on a pull request', () => {
    const payload = { ...commentEvent({ pull: { headRef: BRANCH } }), is_pull: false };
    assert.deepEqual(
      [hintOf('issue_comment', payload).isPull, hintOf('issue_comment', payload).headRef],
      [false, null],
    );
    // Some versions leave the pull request out.
    const bare = { ...commentEvent(), is_pull: true };
    assert.deepEqual(
      [hintOf('pull_request_comment', bare).isPull, hintOf('pull_request_comment', bare).headRef],
      [true, null],
    );
  });
});

describe('the text that a delivery’s sender had before him', () => {
  const options = { sender: { id: 5, login: 'bob' } };
  const issue = (change: object) =>
    hintOf('issues', changed(issueEvent(options), 'issue', change)).textVersion;
  const touched = '2026-01-01T10:00:00Z';

  it('is known where the forge counts its texts and says when it was touched', () => {
    const version = { actorId: 5, at: Date.parse(touched), version: 3 };
    assert.deepEqual(issue({ content_version: 3, updated_at: touched }), version);
    assert.deepEqual(issue({ content_version: 0, updated_at: touched }), { ...version, version: 0 });
    const pull = changed(pullEvent(options), 'pull_request', { content_version: 3, updated_at: touched });
    assert.deepEqual(hintOf('pull_request', pull).textVersion, version);
  });

  it('is not known without either', () => {
    for (const change of [
      { updated_at: touched },
      { content_version: null, updated_at: touched },
      { content_version: 3 },
      { content_version: 3, updated_at: null },
      { content_version: 3, updated_at: 'yesterday' },
    ])
      assert.equal(issue(change), undefined, JSON.stringify(change));
  });
});

describe('the assignees whose membership is asked for ahead', () => {
  const users = Array.from({ length: 9 }, (_, id) => ({ id, login: `u${String(id)}` }));
  const guessed = (options: object) => hintOf('issues', issueEvent(options)).likelyAssignees;

  it('are a few, where one of the labels is an agent’s', () => {
    const labels = ['bug', 'bot-bottle:coder'];
    assert.deepEqual(guessed({ labels, assignees: users }), ['u0', 'u1', 'u2', 'u3', 'u4']);
    assert.deepEqual(guessed({ labels }), []);
    assert.deepEqual(guessed({ labels: ['not bot-bottle:coder'], assignees: [alice] }), []);
  });

  it('are nobody where the payload has no labels', () => {
    const payload = changed(issueEvent({ assignees: [alice] }), 'issue', { labels: null });
    assert.deepEqual(hintOf('issues', payload).likelyAssignees, []);
  });
});

describe('the time since which a review is looked for', () => {
  it('is unknown where the payload does not say when the pull request was touched', () => {
    const payload = changed(pullEvent(), 'pull_request', { updated_at: null });
    const { cause } = hintOf('pull_request_review_approved', payload);
    assert.deepEqual(cause, { kind: 'review', reviewId: null, since: '' });
  });
});

describe('a hint in the inbox', () => {
  it('is not taken for one when it is none, or has something more', () => {
    const hint = hintOf('issues', issueEvent());
    assert.equal(readStoredHint('{"subject":'), undefined);
    assert.equal(readStoredHint('null'), undefined);
    assert.equal(readStoredHint(JSON.stringify({ ...hint, repoId: '7' })), undefined);
    assert.equal(readStoredHint(JSON.stringify({ ...hint, title: 'x' })), undefined);
    assert.deepEqual(readStoredHint(storedHint(hint)), hint);
  });
});
