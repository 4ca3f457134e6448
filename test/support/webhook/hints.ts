import type { Delivery } from '../../../src/domain/forge/delivery.js';
import { storedHint, type Hint } from '../../../src/webhook/events/hint.js';
import { ALICE } from './fake-forge.js';

/** That alice changed issue 12 of alice/demo, changed as asked. */
export function aHint(changes: Partial<Hint> = {}): Hint {
  return {
    subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
    repoId: 7,
    isPull: false,
    headRef: null,
    forkHead: null,
    sender: ALICE,
    cause: { kind: 'state' },
    likelyAssignees: [],
    ...changes,
  };
}

/** Of pull request 31. */
export function aPullHint(changes: Partial<Hint> = {}): Hint {
  const hint = aHint(changes);
  return { ...hint, subject: { ...hint.subject, number: 31 }, isPull: true };
}

export function aDelivery(seq: number, hint: Hint, changes: Partial<Delivery> = {}): Delivery {
  return {
    seq,
    bodyHash: String(seq),
    eventType: 'issues',
    orderKey: 'gitea:alice/demo#12',
    hint: storedHint(hint),
    receivedAt: 0,
    traceparent: null,
    attempts: 0,
    ...changes,
  };
}
