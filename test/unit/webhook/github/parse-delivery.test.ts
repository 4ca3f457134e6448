import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  parseGithubDelivery,
  parseGithubDeliveryText,
} from '../../../../src/webhook/github/parse-delivery.js';
import { orderKeyOf } from '../../../../src/webhook/hint.js';
import type { Hint } from '../../../../src/webhook/hint.js';
import {
  issueCommentEvent,
  issuesEvent,
  octocat,
  pingEvent,
  pullRequestEvent,
  repository,
  reviewCommentEvent,
  reviewEvent,
} from '../../../support/github/payloads.js';

const parse = (event: string, payload: object) =>
  parseGithubDelivery(event, Buffer.from(JSON.stringify(payload)));

function hintOf(event: string, payload: object): Hint {
  const parsed = parse(event, payload);
  assert.ok(parsed.kind === 'hint', JSON.stringify(parsed));
  return parsed.hint;
}

describe('a delivery from GitHub', () => {
  it('about an issue is a hint at its state, whatever changed it', () => {
    for (const action of [
      'opened',
      'assigned',
      'unassigned',
      'labeled',
      'unlabeled',
      'closed',
      'reopened',
      'transferred',
      'deleted',
    ]) {
      assert.deepEqual(
        hintOf('issues', issuesEvent({ action, labels: ['bot-bottle:dev'], assignees: [octocat] })),
        {
          subject: { forge: 'github', owner: 'octocat', repo: 'Hello-World', number: 1347 },
          repoId: 1296269,
          isPull: false,
          headRef: null,
          forkHead: null,
          sender: { id: 1, login: 'octocat' },
          cause: { kind: 'state' },
          likelyAssignees: ['octocat'],
        },
      );
    }
  });

  it('guesses no assignees without an agent label', () => {
    const event = issuesEvent({ labels: ['bug'], assignees: [octocat] });
    assert.deepEqual(hintOf('issues', event).likelyAssignees, []);
  });

  it('about a comment says which, and whether it is on a pull request', () => {
    for (const action of ['created', 'edited', 'deleted']) {
      const hint = hintOf('issue_comment', issueCommentEvent({ action, commentId: 5 }));
      assert.deepEqual([hint.cause, hint.isPull], [{ kind: 'comment', commentId: 5 }, false]);
    }
    const onPull = hintOf('issue_comment', issueCommentEvent({ onPull: true }));
    assert.deepEqual([onPull.isPull, onPull.headRef], [true, null]);
  });

  it('about a pull request is its state, or a push', () => {
    const causeOf = (action: string) => hintOf('pull_request', pullRequestEvent({ action })).cause;
    for (const action of ['opened', 'closed', 'reopened', 'labeled', 'assigned'])
      assert.deepEqual(causeOf(action), { kind: 'state' });
    assert.deepEqual(causeOf('synchronize'), { kind: 'push' });
  });

  it('about a review or a comment on a line says which review', () => {
    const cause = { kind: 'review', reviewId: 80, since: '2026-01-01T10:00:00Z' };
    assert.deepEqual(hintOf('pull_request_review', reviewEvent()).cause, cause);
    assert.deepEqual(hintOf('pull_request_review', reviewEvent({ action: 'edited' })).cause, cause);
    assert.deepEqual(hintOf('pull_request_review_comment', reviewCommentEvent()).cause, cause);
    const alone = hintOf('pull_request_review_comment', reviewCommentEvent({ reviewId: null }));
    assert.deepEqual(alone.cause, { ...cause, reviewId: null });
  });

  it("orders a run's pull request with its issue, and a fork's by itself", () => {
    const key = (options: object): string => orderKeyOf(hintOf('pull_request', pullRequestEvent(options)));
    const headRef = 'bot-bottle/12-abc12';
    assert.equal(key({ headRef }), 'github:octocat/Hello-World#12');
    assert.equal(key({ headRef, headRepoId: 8 }), 'github:octocat/Hello-World#31');
    assert.equal(key({ headRef, headRepoId: null }), 'github:octocat/Hello-World#31');
  });

  it('is unwanted when it decides nothing, and says why', () => {
    for (const [event, payload] of [
      ['ping', pingEvent()],
      ['push', { ref: 'refs/heads/main' }],
      ['issues', issuesEvent({ action: 'edited' })],
      ['issues', issuesEvent({ action: 'pinned' })],
      ['pull_request', pullRequestEvent({ action: 'review_requested' })],
      ['pull_request_review', reviewEvent({ action: 'dismissed' })],
      ['pull_request_review_comment', reviewCommentEvent({ action: 'deleted' })],
    ] as const) {
      const parsed = parse(event, payload);
      assert.equal(parsed.kind, 'unwanted', event);
      assert.ok('reason' in parsed && parsed.reason.length > 10);
    }
  });

  it('is the same hint from the essence that the inbox keeps, which holds no text', () => {
    const events: [string, object][] = [
      ['issues', issuesEvent({ labels: ['bot-bottle:coder', 'x'], assignees: [octocat] })],
      ['issue_comment', issueCommentEvent({ onPull: true })],
      ['issue_comment', issueCommentEvent()],
      ['pull_request', pullRequestEvent({ headRef: 'bot-bottle/12-abc12' })],
      ['pull_request', pullRequestEvent({ action: 'synchronize', headRepoId: null })],
      ['pull_request_review', reviewEvent()],
      ['pull_request_review_comment', reviewCommentEvent()],
    ];
    for (const [event, payload] of events) {
      const parsed = parse(event, payload);
      assert.ok(parsed.kind === 'hint');
      assert.deepEqual(parseGithubDeliveryText(event, parsed.essence), parsed);
      assert.doesNotMatch(parsed.essence, /Make it faster|please|secret words|html_url/);
    }
  });

  it('is malformed when it is not UTF-8, not JSON or not the shape', () => {
    const issue = issuesEvent();
    const cases: [string, Uint8Array][] = [
      ['issues', Uint8Array.from([0x22, 0xff, 0x22])],
      ['issues', Buffer.from('\uFEFF' + JSON.stringify(issue))],
      ['issues', Buffer.from('')],
      ['issues', Buffer.from('payload=%7B%7D')],
      ['issues', Buffer.from('null')],
      ['', Buffer.from(JSON.stringify(issue))],
      ['issues', Buffer.from(JSON.stringify(pullRequestEvent()))],
      ['pull_request', Buffer.from(JSON.stringify(issue))],
    ];
    for (const [event, bytes] of cases)
      assert.equal(parseGithubDelivery(event, bytes).kind, 'malformed', `${event} ${String(bytes)}`);
  });

  it('lets no number and no name through that could not be one', () => {
    for (const number of ['1/../2', 1.5, -1, 0, 2 ** 53, null])
      assert.equal(
        parse('issues', { ...issuesEvent(), issue: { number } }).kind,
        'malformed',
        String(number),
      );
    for (const name of ['..', 'a/b', '', 'x'.repeat(200), 'a b', 'a%2f']) {
      const there = { ...repository, name, full_name: `octocat/${name}` };
      assert.equal(parse('issues', { ...issuesEvent(), repository: there }).kind, 'malformed', name);
    }
    const lying = { ...repository, full_name: 'bob/other' };
    assert.equal(parse('issues', { ...issuesEvent(), repository: lying }).kind, 'malformed');
  });

  it('never throws, whatever comes', () => {
    const event = fc.constantFrom(
      'issues',
      'issue_comment',
      'pull_request',
      'pull_request_review',
      'ping',
      'x',
    );
    fc.assert(
      fc.property(event, fc.oneof(fc.json(), fc.string()), (name, text) => {
        assert.ok(['hint', 'unwanted', 'malformed'].includes(parseGithubDeliveryText(name, text).kind));
      }),
    );
  });
});
