import assert from 'node:assert/strict';
import fc from 'fast-check';
import { orderKeyOf, readStoredHint, storedHint } from '../../../../src/webhook/events/hint.js';
import { parseDelivery } from '../../../../src/webhook/events/parse-delivery.js';
import {
  alice,
  commentEvent,
  issueEvent,
  pullEvent,
  statusEvent,
} from '../../../support/webhook/payloads.js';
import { hintOf, parse } from '../../../support/webhook/parsed.js';

describe('parseDelivery', () => {
  it('reads the three deliveries of an issue that is opened with label and assignee as hints at its state', () => {
    const options = { labels: ['bot-bottle:coder'], assignees: [{ id: 9, login: 'bot' }] };
    for (const [type, action] of [
      ['issue_assign', 'assigned'],
      ['issues', 'opened'],
      ['issue_label', 'label_updated'],
    ] as const) {
      assert.deepEqual(hintOf(type, issueEvent({ ...options, action })), {
        subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
        repoId: 7,
        isPull: false,
        headRef: null,
        forkHead: null,
        sender: { id: 2, login: 'alice' },
        cause: { kind: 'state' },
        likelyAssignees: ['bot'],
      });
    }
  });

  it('reads comments on issues and on pull requests', () => {
    const onIssue = hintOf('issue_comment', commentEvent({ commentId: 5 }));
    assert.deepEqual([onIssue.cause, onIssue.isPull], [{ kind: 'comment', commentId: 5 }, false]);
    const onPull = hintOf(
      'pull_request_comment',
      commentEvent({ number: 31, pull: { headRef: 'bot-bottle/12-abc12' } }),
    );
    assert.deepEqual(
      [onPull.isPull, onPull.headRef, onPull.subject.number],
      [true, 'bot-bottle/12-abc12', 31],
    );
  });

  it('reads pushes, closings and reviews of pull requests', () => {
    assert.deepEqual(hintOf('pull_request_sync', pullEvent({ action: 'synchronized' })).cause, {
      kind: 'push',
    });
    assert.deepEqual(hintOf('pull_request', pullEvent({ action: 'closed' })).cause, { kind: 'state' });
    for (const kind of ['approved', 'rejected', 'comment']) {
      const payload = pullEvent({ action: 'reviewed', review: { type: kind, content: 'hm' } });
      assert.deepEqual(hintOf(`pull_request_review_${kind}`, payload).cause, {
        kind: 'review',
        reviewId: null,
        since: '2026-01-01T10:00:00Z',
      });
    }
  });

  it('reads of a status the commit that fails, by whomever, and of no other status anything', () => {
    const sha = 'a'.repeat(40);
    for (const state of ['failure', 'error']) {
      const hint = hintOf('status', statusEvent({ sha, state }));
      assert.deepEqual([hint.cause, hint.sender, hint.subject.number], [{ kind: 'checks', sha }, null, 0]);
      assert.equal(orderKeyOf(hint), `gitea:alice/demo@${sha}`);
    }
    for (const state of ['pending', 'success', 'warning', 'skipped'])
      assert.deepEqual(parse('status', statusEvent({ sha, state })), {
        kind: 'unwanted',
        reason: 'nothing depends on a status that is not a failure',
      });
    assert.equal(parse('status', statusEvent({ sha: '../1' })).kind, 'malformed');
  });

  it("orders a run's pull request with its issue, and a fork's by itself", () => {
    const key = (options: object): string => orderKeyOf(hintOf('pull_request', pullEvent(options)));
    assert.equal(key({ headRef: 'bot-bottle/12-abc12' }), 'gitea:alice/demo#12');
    assert.equal(key({ headRef: 'bot-bottle/12-abc12', headRepoId: 8 }), 'gitea:alice/demo#31');
    assert.equal(key({ headRef: 'feature' }), 'gitea:alice/demo#31');
    assert.equal(orderKeyOf(hintOf('issues', issueEvent())), 'gitea:alice/demo#12');
  });

  it('wants no events that decide nothing, and says which', () => {
    const ofType = 'nothing depends on events of type';
    for (const [type, payload, reason] of [
      ['push', { ref: 'refs/heads/main' }, `${ofType} push`],
      ['issue_milestone', issueEvent(), `${ofType} issue_milestone`],
      // A sender may choose any.
      ['x'.repeat(5_000), {}, `${ofType} ${'x'.repeat(60)}`],
      ['issues', issueEvent({ action: 'edited' }), 'nothing depends on the action edited'],
      ['pull_request', pullEvent({ action: 'edited' }), 'nothing depends on the action edited'],
    ] as const)
      assert.deepEqual(parse(type, payload), { kind: 'unwanted', reason });
  });

  it('is read from the inbox as it was made, with no text in it', () => {
    const events: [string, object][] = [
      ['issues', issueEvent({ labels: ['bot-bottle:coder', 'x'], assignees: [alice] })],
      ['pull_request_comment', commentEvent({ number: 31, pull: { headRef: 'bot-bottle/12-abc12' } })],
      ['issue_comment', commentEvent()],
      ['status', statusEvent({ sha: 'a'.repeat(40) })],
      [
        'pull_request_review_rejected',
        pullEvent({ action: 'reviewed', review: { type: 'x', content: 'secret words' } }),
      ],
      ['pull_request_sync', pullEvent({ action: 'synchronized' })],
    ];
    for (const [type, payload] of events) {
      const parsed = parse(type, payload);
      assert.ok(parsed.kind === 'hint');
      const stored = storedHint(parsed.hint);
      assert.deepEqual(readStoredHint(stored), parsed.hint);
      assert.doesNotMatch(stored, /Make it faster|please|secret words|example\.org/);
    }
  });

  it('calls malformed what is not UTF-8, not JSON or not the shape, and says so to whoever set the webhook up', () => {
    const issue = JSON.stringify(issueEvent());
    const [notJson, shape] = [/not JSON: set the webhook's content type/, /not the shape of a Gitea event: /];
    const cases: [type: string, body: Uint8Array | string, reason: RegExp][] = [
      ['issues', Uint8Array.from([0x22, 0xff, 0x22]), /not UTF-8/],
      ['issues', `\uFEFF${issue}`, notJson],
      ['issues', '', notJson],
      ['issues', '{"action":', notJson],
      ['issues', 'payload=%7B%7D', notJson],
      ['issues', 'null', /not the shape of a Gitea event: the payload: /],
      ['', issue, /no X-Gitea-Event-Type header/],
      ['issues', JSON.stringify(pullEvent()), shape],
      ['pull_request', issue, shape],
      ['issues', JSON.stringify({ ...issueEvent(), issue: { number: 'x' } }), /: issue\.number: /],
    ];
    for (const [type, body, reason] of cases) {
      const parsed = parseDelivery(type, Buffer.from(body));
      assert.match(parsed.kind === 'malformed' ? parsed.reason : parsed.kind, reason);
    }
  });

  it('lets no number and no name through that could not be one', () => {
    for (const number of ['1/../2', 1.5, -1, 0, 2 ** 53, null]) {
      const payload = { ...issueEvent(), issue: { number } };
      assert.equal(parse('issues', payload).kind, 'malformed', String(number));
    }
    const named = (owner: string, name: string): string => {
      const repository = { id: 7, name, full_name: `${owner}/${name}`, owner: { login: owner } };
      return parse('issues', { ...issueEvent(), repository }).kind;
    };
    for (const name of ['..', '-', 'a/b', '', 'x'.repeat(200), 'a b', 'a%2f'])
      assert.equal(named('alice', name), 'malformed', name);
    for (const name of ['.profile', '_site', '-x']) {
      assert.equal(named('alice', name), 'hint', name);
      assert.equal(named(name, 'demo'), 'malformed', name);
    }
    const lying = { id: 7, name: 'demo', full_name: 'bob/other', owner: { login: 'alice' } };
    assert.equal(parse('issues', { ...issueEvent(), repository: lying }).kind, 'malformed');
  });

  it('never throws, whatever comes', () => {
    const types = fc.constantFrom('issues', 'issue_comment', 'pull_request', 'pull_request_sync', 'push', '');
    fc.assert(
      fc.property(types, fc.json(), (type, text) => {
        assert.ok(['unwanted', 'malformed'].includes(parseDelivery(type, Buffer.from(text)).kind));
      }),
    );
    fc.assert(
      fc.property(types, fc.uint8Array(), (type, bytes) => {
        assert.notEqual(parseDelivery(type, bytes).kind, 'hint');
      }),
    );
  });
});
