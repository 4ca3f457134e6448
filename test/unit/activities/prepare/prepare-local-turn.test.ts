import assert from 'node:assert/strict';
import type { PrepareTurnInput } from '../../../../src/activities/ports/inputs.js';
import type { PrepareTurnOutcome } from '../../../../src/domain/run/events.js';
import { prepareTurn } from '../../../../src/activities/prepare/prepare-turn.js';
import { localSubject } from '../../../../src/domain/forge/issue.js';
import { isRowIn } from '../../../../src/domain/run/rows.js';
import { ACT_AT, usePreparing } from '../../../support/prepare/preparing.js';

describe('preparing a turn', () => {
  const world = usePreparing();
  const { input } = world;

  describe('of a run without an issue', () => {
    const slug = 'coder-demo-local-abc12';
    const source = { forge: 'local', owner: 'local', repo: 'dir-0123', path: '/home/me/demo' } as const;

    async function local(changes: Partial<PrepareTurnInput> = {}): Promise<PrepareTurnOutcome> {
      const promptRef = await world.ports.blobs.put('Mend the door.');
      const run = { workflowId: `local:${slug}`, subject: localSubject(slug), repoId: null, slug, source };
      const operator = { promptRef, source };
      return prepareTurn(world.ports, input({ ...run, ...changes }, { actor: '', textHash: '', operator }));
    }

    it('asks no forge, and tells the agent of none', async () => {
      world.ports = { ...world.ports, forgeFor: () => assert.fail('the forge was asked') };
      const outcome = await local();
      assert.ok(outcome.kind === 'ready', JSON.stringify(outcome));
      const prompt = await world.ports.blobs.getText(outcome.prepared.promptRef);
      assert.match(prompt, /# Your task\n\nMend the door\./);
      assert.doesNotMatch(prompt, /issue|signal_done|pull request/);
      assert.equal(outcome.prepared.branch, `bot-bottle/${slug}`);
      const row = await world.database.forgeState.ofRun(slug);
      assert.deepEqual([row?.forge, row?.issueUrl, row?.repoId], ['local', '/home/me/demo', null]);
      assert.equal((await world.database.runs.run(slug))?.workflowId, `local:${slug}`);
    });

    it('has the operator’s words for its next turn, and its task again in a fresh session', async () => {
      const words = await world.ports.blobs.put('And the window.');
      const cause = { kind: 'operator', promptRef: words } as const;
      const again = await local({ turn: 2, cause });
      assert.ok(again.kind === 'ready');
      assert.match(
        await world.ports.blobs.getText(again.prepared.promptRef),
        /The operator says:\n\nAnd the window\./,
      );
      const fresh = await local({ turn: 3, cause, session: 'lost' });
      assert.ok(fresh.kind === 'ready');
      assert.match(
        await world.ports.blobs.getText(fresh.prepared.promptRef),
        /Mend the door\.[^]*And the window\./,
      );
    });

    it('is told why its last work was not kept', async () => {
      const outcome = await local({ turn: 2, cause: { kind: 'retriggered' }, refusal: 'too large' });
      assert.ok(outcome.kind === 'ready');
      assert.match(
        await world.ports.blobs.getText(outcome.prepared.promptRef),
        /^Your commits were not published\..*\n\n> too large$/m,
      );
    });

    it('is refused without a task, and for an agent that there is none of', async () => {
      const trigger = { actor: '', textHash: '', operator: { promptRef: null, source } };
      const run = { workflowId: `local:${slug}`, subject: localSubject(slug), repoId: null, slug, source };
      assert.deepEqual(await prepareTurn(world.ports, input(run, trigger)), {
        kind: 'refused',
        reason: 'a run without an issue needs a prompt of the operator',
      });
      const none = { kind: 'refused', reason: 'there is no agent "coder"' } as const;
      world.ports.agents.find = () => Promise.resolve(none);
      assert.deepEqual(await local(), none);
      assert.equal(await world.database.runs.run(slug), undefined);
    });

    it('is held back by a pause of every run', async () => {
      await world.database.pauses.add({ scope: '*', since: ACT_AT, who: 'alice@desk' });
      assert.equal((await local()).kind, 'paused');
    });

    it('is of no repository on the forge, whatever that is called', async () => {
      await local();
      const row = await world.database.forgeState.ofRun(slug);
      assert.ok(row !== undefined);
      assert.ok(!isRowIn(row, { repoId: 0, owner: 'local', repo: slug }));
    });
  });
});
