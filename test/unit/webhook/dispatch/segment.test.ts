import assert from 'node:assert/strict';
import type { Delivery } from '../../../../src/domain/forge/delivery.js';
import { firstSegment } from '../../../../src/webhook/dispatch/segment.js';
import { parseDelivery } from '../../../../src/webhook/events/parse-delivery.js';
import { storedHint } from '../../../../src/webhook/events/hint.js';
import { commentEvent, issueEvent } from '../../../support/webhook/payloads.js';

let seq = 0;

function delivery(eventType: string, payload: object): Delivery {
  seq += 1;
  const parsed = parseDelivery(eventType, Buffer.from(JSON.stringify(payload)));
  assert.ok(parsed.kind === 'hint');
  return {
    seq,
    eventType,
    hint: storedHint(parsed.hint),
    orderKey: 'gitea:alice/demo#12',
    receivedAt: seq,
    attempts: 0,
  } as Delivery;
}

const said = (commentId: number, changes: object = {}): Delivery =>
  delivery('issue_comment', { ...commentEvent({ commentId }), ...changes });
const labelled = (number = 12): Delivery => delivery('issue_label', issueEvent({ number }));
const repository = (id: number, owner: string, name = 'demo'): object => ({
  repository: { id, name, full_name: `${owner}/${name}`, owner: { id: 2, login: owner } },
});

/** How many of the waiting deliveries are handled as one. */
const taken = (...waiting: Delivery[]): number => firstSegment(waiting).deliveries.length;

describe('deliveries that are handled as one', () => {
  it('are comments of one repository under one name, or states of one issue', () => {
    assert.equal(taken(said(1), said(2), said(3)), 3);
    assert.equal(taken(labelled(), labelled()), 2);
    assert.equal(taken(labelled(12), labelled(13)), 1);
    assert.equal(taken(said(1), labelled()), 1);
    assert.equal(taken(labelled(), said(1)), 1);
  });

  it('are of one kind, told by the first', () => {
    assert.equal(firstSegment([said(1), labelled()]).kind, 'references');
    assert.equal(firstSegment([labelled(), said(1)]).kind, 'state');
  });

  it('end before one that makes no sense, which is done with alone', () => {
    const broken = { ...said(1), hint: '{"old":1}' };
    assert.equal(taken(said(1), broken, said(2)), 1);
    const { kind, deliveries } = firstSegment([broken, said(2)]);
    assert.deepEqual([kind, deliveries], ['malformed', [broken]]);
  });

  it('end where the repository has another name, or is another one under the same name', () => {
    assert.equal(taken(said(1), said(2, repository(7, 'bob'))), 1);
    assert.equal(taken(said(1), said(2, repository(7, 'alice', 'renamed'))), 1);
    assert.equal(taken(said(1), said(2, repository(8, 'alice'))), 1);
    assert.equal(taken(said(1), said(2, repository(7, 'alice'))), 2);
  });
});
