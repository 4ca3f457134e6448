import assert from 'node:assert/strict';
import type { AgentAnswer } from '../../../../src/domain/agent/agents.js';
import type { ForgeUser, Issue, PullRequest } from '../../../../src/domain/forge/issue.js';
import {
  verifyTrigger,
  type TriggerFacts,
  type TriggerVerdict,
} from '../../../../src/webhook/dispatch/verify-trigger.js';
import { ALICE, BOT, FakeForge, user } from '../../../support/webhook/fake-forge.js';

const ACT_AT = 1_700_000_000_000;
const MALLORY = user('mallory', 66);
const iso = (ms: number): string => new Date(ms).toISOString();
const NOTHING: TriggerVerdict = { triggered: false, trigger: null, refusal: null, edited: null };

describe('the rule of what starts an agent', () => {
  let forge: FakeForge;
  let asked: { agent: string; bottles: readonly string[] }[];
  let answer: AgentAnswer;

  beforeEach(() => {
    forge = new FakeForge();
    forge.trigger(12, ACT_AT);
    asked = [];
    // What of the agent is found does not matter here.
    answer = { kind: 'found' } as AgentAnswer;
  });

  function verdict(issue: Partial<Issue> = {}, more: Partial<TriggerFacts> = {}): Promise<TriggerVerdict> {
    const facts: TriggerFacts = {
      issue: forge.putIssue(12, issue),
      bot: BOT,
      pull: null,
      timeline: forge.timelines.get(12) ?? [],
      textVersions: [],
      ...more,
    };
    const access = {
      isMember: (login: string) => Promise.resolve(forge.members.has(login)),
      mayTrigger: (login: string) => Promise.resolve(forge.permissions.get(login) === 'write'),
      mayWake: () => assert.fail('nobody wakes anything'),
    };
    const find = (agent: string, bottles: readonly string[]): Promise<AgentAnswer> => {
      asked.push({ agent, bottles });
      return Promise.resolve(answer);
    };
    return verifyTrigger(facts, access, find, 'bot-bottle');
  }
  const pull = (fromFork: boolean, forkOwner?: ForgeUser): PullRequest => {
    const head = { ref: 'x', sha: 'y', fromFork, ...(forkOwner === undefined ? {} : { forkOwner }) };
    forge.putPull(12, { head });
    return forge.pulls.get(12) ?? assert.fail();
  };

  it('takes what is complete, by whom and when it was completed', async () => {
    const { trigger, ...rest } = await verdict();
    assert.deepEqual(rest, { triggered: true, refusal: null, edited: null });
    const { textHash, ...who } = trigger ?? assert.fail();
    assert.match(textHash, /^[0-9a-f]{64}$/);
    assert.deepEqual(who, {
      ...{ agent: 'coder', bottles: [], actor: 'alice', actAt: ACT_AT, actId: 2, pull: null },
    });
    assert.deepEqual(asked, [{ agent: 'coder', bottles: [] }]);
  });

  it('takes the bottle of the label along', async () => {
    const labels = ['bot-bottle:coder', 'bot-bottle-bottle:node'];
    assert.deepEqual((await verdict({ labels })).trigger?.bottles, ['node']);
    assert.deepEqual(asked, [{ agent: 'coder', bottles: ['node'] }]);
  });

  const incomplete: [what: string, issue: Partial<Issue>][] = [
    ['no label', { labels: [] }],
    ['no assignee', { assignees: [] }],
    ['neither', { labels: ['bug'], assignees: [] }],
  ];
  for (const [what, issue] of incomplete) {
    it(`is silent about ${what}, and asks for no agent`, async () => {
      assert.deepEqual(await verdict(issue), NOTHING);
      assert.deepEqual(asked, []);
    });
  }

  it('holds while nobody is known to have done it, and starts nothing', async () => {
    assert.deepEqual(await verdict({}, { timeline: [] }), { ...NOTHING, triggered: true });
  });

  it('counts the assignment of a member alone', async () => {
    forge.act(12, 'assigned', 'carol', ACT_AT + 1_000, MALLORY);
    const assignees = [BOT, user('carol', 5)];
    assert.equal((await verdict({ assignees })).trigger?.actAt, ACT_AT);
    forge.members.add('carol');
    assert.match((await verdict({ assignees })).refusal?.reason ?? '', /^mallory may not/);
  });

  const refusals: [what: string, issue: Partial<Issue>, reason: RegExp, triggered: boolean][] = [
    [
      'assignees who are no members',
      { assignees: [ALICE, user('carol', 5)] },
      /no assignee \(alice, carol\) is a member of bot-bottle/,
      false,
    ],
    ['two agent labels', { labels: ['bot-bottle:coder', 'bot-bottle:other'] }, /two agent labels/, false],
  ];
  for (const [what, issue, reason, triggered] of refusals) {
    it(`refuses ${what}, and asks for no agent`, async () => {
      const { refusal, ...rest } = await verdict(issue);
      assert.deepEqual(rest, { triggered, trigger: null, edited: null });
      assert.match(refusal?.reason ?? '', reason);
      assert.equal(refusal?.at, ACT_AT);
      assert.deepEqual(asked, []);
    });
  }

  it('refuses an agent that there is not, while the trigger holds', async () => {
    answer = { kind: 'refused', reason: 'there is no agent "coder"' };
    const refusal = { reason: 'there is no agent "coder"', at: ACT_AT };
    assert.deepEqual(await verdict(), { ...NOTHING, triggered: true, refusal });
  });

  for (const [who, actor, reason] of [
    ['the bot itself, whatever its rights', BOT, /bot may not start itself/],
    ['somebody without write access', MALLORY, /^mallory may not start an agent here/],
  ] as const) {
    it(`refuses the act of ${who}, while the trigger holds`, async () => {
      forge.permissions.set('bot', 'write');
      forge.act(12, 'labeled', 'bot-bottle:coder', ACT_AT + 1_000, actor);
      const { refusal, ...rest } = await verdict();
      assert.deepEqual(rest, { triggered: true, trigger: null, edited: null });
      assert.match(refusal?.reason ?? '', reason);
      assert.equal(refusal?.at, ACT_AT + 1_000);
    });
  }

  it('refuses a pull request from a fork, but not from the repository or from the bot’s own fork', async () => {
    const of = async (it: PullRequest): Promise<TriggerVerdict> => verdict({ isPull: true }, { pull: it });
    const { refusal, triggered } = await of(pull(true, MALLORY));
    assert.match(refusal?.reason ?? '', /from a fork starts no agent/);
    assert.equal(triggered, false);
    assert.notEqual((await of(pull(false))).trigger, null);
    assert.notEqual((await of(pull(true, BOT))).trigger, null);
  });

  it('starts nothing of what is closed and refuses nothing, but says whether the trigger holds', async () => {
    const state = 'closed';
    assert.deepEqual(await verdict({ state }), { ...NOTHING, triggered: true });
    assert.deepEqual(await verdict({ state, assignees: [ALICE] }), NOTHING);
    const labels = ['bot-bottle:coder', 'bot-bottle:other'];
    assert.deepEqual(await verdict({ state, assignees: [BOT], labels }), NOTHING);
    assert.deepEqual(asked, []);
  });

  describe('dates a refusal by the last act of the attempt', () => {
    const at = async (): Promise<number | undefined> =>
      (await verdict({ labels: ['bot-bottle:a', 'bot-bottle:b'] })).refusal?.at;
    const counts: [kind: Parameters<FakeForge['act']>[1], what: string, counts: boolean][] = [
      ['labeled', 'bot-bottle:b', true],
      ['unlabeled', 'bot-bottle:c', true],
      ['assigned', 'carol', true],
      ['opened', '', true],
      ['reopened', '', true],
      ['labeled', 'bug', false],
      ['closed', '', false],
      ['unassigned', 'carol', false],
      ['edited', 'title', false],
    ];
    for (const [kind, what, isOne] of counts) {
      it(`which ${kind} ${what} is${isOne ? '' : ' not'}`, async () => {
        forge.act(12, kind, what, ACT_AT + 5_000);
        assert.equal(await at(), isOne ? ACT_AT + 5_000 : ACT_AT);
      });
    }

    it('or by nothing where there is none', async () => {
      forge.timelines.clear();
      assert.equal(await at(), 0);
    });
  });

  describe('does not begin with words that were changed after the act', () => {
    const edit = (what: string, who: ForgeUser): void => {
      forge.act(12, 'edited', what, ACT_AT + 1_000, who);
    };

    for (const [what, named] of [
      ['title', 'title'],
      ['ref', 'base branch'],
    ] as const) {
      it(`by somebody who may not ask for an agent: the ${named}`, async () => {
        edit(what, MALLORY);
        const { trigger, refusal, edited } = await verdict();
        assert.notEqual(trigger, null);
        assert.equal(refusal, null);
        assert.equal(
          edited,
          `after alice had asked for an agent mallory, who may not start an agent here, changed the ${named}: ` +
            'read it again, then take the label off and set it again',
        );
      });

      it(`unless somebody did who may: the ${named}`, async () => {
        edit(what, ALICE);
        assert.equal((await verdict()).edited, null);
      });
    }

    it('or may have been, by an author who may not', async () => {
      const rewritten = { author: MALLORY, updatedAt: iso(ACT_AT + 1_000) };
      const { edited } = await verdict(rewritten);
      assert.match(
        edited ?? '',
        /^after alice had asked for an agent the description may have been changed, and mallory, who may not/,
      );
      assert.equal((await verdict({ ...rewritten, author: ALICE })).edited, null);
      assert.equal((await verdict({ ...rewritten, updatedAt: iso(ACT_AT) })).edited, null);
    });

    it('and believes what deliveries told of the words that the act was about', async () => {
      const issue = { author: MALLORY, updatedAt: iso(ACT_AT + 1_000), contentVersion: 2 };
      const told = (version: number): Partial<TriggerFacts> => ({
        textVersions: [{ actorId: ALICE.id, at: ACT_AT, version }],
      });
      assert.equal((await verdict(issue, told(2))).edited, null);
      assert.match((await verdict(issue, told(1))).edited ?? '', /mallory/);
    });

    it('even where the first who changed them may', async () => {
      edit('title', ALICE);
      edit('ref', MALLORY);
      assert.match((await verdict()).edited ?? '', /mallory.*base branch/);
    });
  });
});
