import assert from 'node:assert/strict';
import {
  hookName,
  namelessHooks,
  ownHooks,
  planHook,
  WANTED_EVENTS,
} from '../../../../src/cli/forge-setup/plan-hook.js';
import type { Hook } from '../../../../src/domain/forge/forge-admin.js';
import { parseDelivery } from '../../../../src/webhook/events/parse-delivery.js';

const URL_HERE = 'https://bots.example/webhooks/gitea';
const NAME = hookName('the secret of this home');
const WANTED = { url: URL_HERE, name: NAME };

function hook(given: Partial<Hook> = {}): Hook {
  return {
    id: 1,
    type: 'gitea',
    name: NAME,
    url: URL_HERE,
    contentType: 'json',
    events: WANTED_EVENTS,
    active: true,
    authorization: '',
    branchFilter: '',
    ...given,
  };
}

describe('the plan for the webhook of a place', () => {
  it('makes one where there is none, or only other people’s', () => {
    assert.equal(planHook([], WANTED).action.kind, 'create');
    const chat = hook({ url: 'https://chat.example/hook', name: '' });
    assert.deepEqual(planHook([chat], WANTED), { action: { kind: 'create' }, duplicates: [], strangers: [] });
  });

  it('keeps one that is as wanted, whatever the spelling of its address', () => {
    const upper = hook({ url: 'HTTPS://BOTS.example:443/webhooks/gitea' });
    assert.deepEqual(planHook([upper], WANTED).action, { kind: 'keep', hook: upper });
  });

  it('says everything that differs, and edits what can be edited', () => {
    const events = [...WANTED_EVENTS.filter((event) => event !== 'issue_label'), 'push'];
    const broken = hook({
      url: 'https://old.example/webhooks/gitea',
      events,
      active: false,
      contentType: 'form',
    });
    const { action } = planHook([broken], WANTED);
    assert.ok(action.kind === 'edit');
    assert.deepEqual(action.differs, [
      'address was https://old.example/webhooks/gitea',
      'events missing: issue_label',
      'events nobody wants: push',
      'was not active',
      'content type was form',
    ]);
  });

  it('replaces one whose secret or type is another: no edit changes those', () => {
    for (const [given, why] of [
      [{ name: hookName('another secret') }, 'made with another secret'],
      [{ name: 'made by hand' }, 'secret not known to be ours'],
      [{ type: 'gogs' }, 'type was gogs'],
    ] as const) {
      const { action } = planHook([hook(given)], WANTED);
      assert.ok(action.kind === 'replace', why);
      assert.deepEqual(action.differs, [why]);
    }
  });

  it('trusts the secret of a webhook on a forge that keeps no names', () => {
    assert.equal(planHook([hook({ name: null })], WANTED).action.kind, 'keep');
  });

  it('leaves alone what is at another address on a forge that keeps no names, and tells of it', () => {
    const here = hook({ id: 1, name: null });
    const theirs = hook({ id: 2, name: null, url: 'https://else.example/webhooks/gitea' });
    const chat = hook({ id: 3, name: null, url: 'https://chat.example/hook' });
    const all = [theirs, chat, here];
    assert.deepEqual(planHook([theirs, chat], WANTED), {
      ...{ action: { kind: 'create' }, duplicates: [], strangers: [theirs] },
    });
    assert.deepEqual(planHook(all, WANTED).action, { kind: 'keep', hook: here });
    assert.deepEqual([ownHooks(all, WANTED), namelessHooks(all, WANTED)], [[here], [theirs]]);
    const unknown = { url: null, name: null };
    assert.deepEqual([ownHooks(all, unknown), namelessHooks(all, unknown)], [[], [theirs, here]]);
  });

  it('takes the closest of several, removes second ones at the same address, and names the others', () => {
    const byHand = hook({ id: 1, name: '', url: 'https://old.example/webhooks/gitea' });
    const best = hook({ id: 2 });
    const second = hook({ id: 3, name: '' });
    const stranger = hook({
      id: 4,
      name: hookName('of another home'),
      url: 'https://else.example/webhooks/gitea',
    });
    const plan = planHook([byHand, second, stranger, best], WANTED);
    assert.deepEqual(plan.action, { kind: 'keep', hook: best });
    assert.deepEqual(plan.duplicates, [second]);
    assert.deepEqual(plan.strangers, [byHand, stranger]);
  });

  it('never takes another installation’s webhook for a moved one of its own', () => {
    const theirs = hook({ name: hookName('of another home'), url: 'https://else.example/webhooks/gitea' });
    assert.equal(planHook([theirs], WANTED).action.kind, 'create');
    assert.deepEqual(ownHooks([theirs], { url: null, name: null }), []);
    assert.deepEqual(ownHooks([theirs, hook()], WANTED), [hook()]);
  });

  it('gives nothing of the secret away by the name', () => {
    assert.match(NAME, /^bot-bottle [0-9a-f]{12}$/);
    assert.notEqual(NAME, hookName('the secret of this hom'));
  });
});

describe('the events that are asked for', () => {
  /** `AllEvents` of Gitea 1.26, modules/webhook/type.go. */
  const ALL =
    'create delete fork push issues issue_assign issue_label issue_milestone issue_comment pull_request ' +
    'pull_request_assign pull_request_label pull_request_milestone pull_request_comment ' +
    'pull_request_review_approved pull_request_review_rejected pull_request_review_comment pull_request_sync ' +
    'pull_request_review_request wiki repository release package status workflow_run workflow_job';

  it('are exactly those that the webhook does something with', () => {
    const used = ALL.split(' ')
      .filter((event) => parseDelivery(event, Buffer.from('{}')).kind !== 'unwanted')
      .map((event) => (event.startsWith('pull_request_review_') ? 'pull_request_review' : event));
    assert.deepEqual([...new Set(used)].sort(), WANTED_EVENTS);
  });
});
