import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseDelivery } from '../../../src/webhook/events/parse-delivery.js';
import type { ParsedDelivery } from '../../../src/webhook/events/hint.js';
import { verifySignature } from '../../../src/webhook/verify-signature.js';
import { withEventsTable } from '../../support/deliveries/events-table.js';
import { nameOf, rawBodyOf, recordedActs } from '../../support/deliveries/recorded-delivery.js';
import type { RecordedDelivery } from '../../support/deliveries/recorded-delivery.js';
import { SECRET } from '../../support/webhook/sign.js';
import { OUTCOMES } from './recorded-outcomes.js';

const acts = recordedActs();
const all = [...acts].flatMap(([name, { deliveries }]) =>
  deliveries.map((delivery, index) => ({ at: `${name}, delivery ${String(index + 1)}`, delivery })),
);
const deliveriesOf = (name: string): readonly RecordedDelivery[] =>
  acts.get(name)?.deliveries ?? assert.fail(`${name} is not recorded`);

/** What a delivery is taken for, in a few words. */
function inWords(parsed: ParsedDelivery): string {
  if (parsed.kind !== 'hint') return parsed.kind === 'unwanted' ? 'unwanted' : `malformed: ${parsed.reason}`;
  const { cause, isPull, subject, sender } = parsed.hint;
  return `${cause.kind} of ${isPull ? 'pull' : 'issue'} ${String(subject.number)} by ${sender?.login ?? 'nobody'}`;
}

describe('what a real Gitea was recorded to send', () => {
  it('is there', () => {
    assert.ok(
      acts.size > 60 && all.length > 55,
      `${String(acts.size)} acts, ${String(all.length)} deliveries`,
    );
  });

  it('is taken for what it is', () => {
    const taken = [...acts].map(([name, { deliveries }]) => [
      name,
      deliveries.map((delivery) => inWords(parseDelivery(delivery.eventType, rawBodyOf(delivery)))),
    ]);
    assert.deepEqual(Object.fromEntries(taken), OUTCOMES);
  });

  it('verifies by both signatures, and not when a byte is changed', () => {
    for (const { at, delivery } of all) {
      const headers = Object.fromEntries(
        Object.entries(delivery.headers).map(([name, value]) => [name, [value]]),
      );
      assert.match(delivery.headers['x-gitea-signature'] ?? '', /^[0-9a-f]{64}$/, at);
      assert.match(delivery.headers['x-hub-signature-256'] ?? '', /^sha256=[0-9a-f]{64}$/, at);
      const body = rawBodyOf(delivery);
      assert.deepEqual(verifySignature(SECRET, body, headers), { ok: true }, at);
      body[body.length - 2] = 0x20;
      assert.equal(verifySignature(SECRET, body, headers).ok, false, at);
    }
  });

  it('names the subject of every hint as the payload does', () => {
    for (const { at, delivery } of all) {
      const parsed = parseDelivery(delivery.eventType, rawBodyOf(delivery));
      if (parsed.kind !== 'hint') continue;
      const repository = delivery.body['repository'] as { id: number; full_name: string };
      const { subject, repoId } = parsed.hint;
      assert.deepEqual(
        [`${subject.owner}/${subject.repo}`, repoId],
        [repository.full_name, repository.id],
        at,
      );
    }
  });

  it('comes as three deliveries for an issue that is created with label and assignee, each with both', () => {
    const deliveries = deliveriesOf('issue-created-ready-made');
    assert.deepEqual(deliveries.map(nameOf), [
      'issue_assign assigned',
      'issues opened',
      'issue_label label_updated',
    ]);
    for (const { body } of deliveries) {
      const issue = body['issue'] as { labels: { name: string }[]; assignees: { login: string }[] };
      assert.deepEqual(
        issue.labels.map(({ name }) => name),
        ['bot-bottle:coder'],
      );
      assert.deepEqual(
        issue.assignees.map(({ login }) => login),
        ['robot'],
      );
    }
  });

  it('has one type for several events, or one event for several types, in X-Gitea-Event', () => {
    const types = new Map<string, Set<string>>();
    for (const { delivery } of all)
      types.set(delivery.event, (types.get(delivery.event) ?? new Set()).add(delivery.eventType));
    const several = [...types].filter(([event, names]) => names.size > 1 || !names.has(event));
    assert.deepEqual(Object.fromEntries(several.map(([event, names]) => [event, [...names].sort()])), {
      issues: ['issue_assign', 'issue_label', 'issue_milestone', 'issues'],
      issue_comment: ['issue_comment', 'pull_request_comment'],
      pull_request: [
        ...['pull_request', 'pull_request_assign', 'pull_request_label', 'pull_request_review_request'],
        'pull_request_sync',
      ],
      pull_request_approved: ['pull_request_review_approved'],
      pull_request_comment: ['pull_request_review_comment'],
      pull_request_rejected: ['pull_request_review_rejected'],
    });
  });

  it('keeps the id of a repository that is renamed or given away, under its new name', () => {
    const repositories = ['delivered-again', 'comment-after-rename', 'comment-after-transfer'].map(
      (name) => deliveriesOf(name)[0]?.body['repository'] as { id: number; full_name: string },
    );
    assert.deepEqual(
      repositories.map(({ full_name }) => full_name),
      ['ada/shop', 'ada/store', 'guild/store'],
    );
    assert.equal(new Set(repositories.map(({ id }) => id)).size, 1);
  });

  it('is the same body under another delivery id when it is sent again', () => {
    const [before, again] = deliveriesOf('delivered-again');
    assert.ok(before !== undefined && again !== undefined);
    assert.ok(rawBodyOf(before).equals(rawBodyOf(again)));
    assert.notEqual(before.headers['x-gitea-delivery'], again.headers['x-gitea-delivery']);
  });

  it('has a moment in seconds: two changes of labels may have the same', () => {
    const moments = deliveriesOf('issue-labels-in-one-second').map(
      ({ body }) => (body['issue'] as { updated_at: string }).updated_at,
    );
    assert.equal(new Set(moments).size, 1);
    assert.match(moments[0] ?? '', /T\d\d:\d\d:\d\dZ$/);
  });

  it('is what docs/forge-events.md says', async () => {
    const file = fileURLToPath(new URL('../../../docs/forge-events.md', import.meta.url));
    const page = readFileSync(file, 'utf8');
    assert.equal(page, await withEventsTable(page, file, acts));
  });
});
