import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { bottleScript } from '../../support/stack/bottle-script.js';
import type { Life } from '../../support/stack/life.js';
import { operatorStack } from './stack.js';

describe('what a run keeps, when it is gone between two turns', function () {
  this.timeout(180_000);
  const runtime = dockerBottleRuntime();
  const { stack, trigger } = operatorStack();

  const WORK = ['write kept.txt kept', 'commit Kept', 'run echo x >left.txt; touch "$HOME/in-home"'];

  /** A run whose first turn has published a commit, and left something beside it. */
  async function frozen(
    title: string,
  ): Promise<{ readonly life: Life; readonly slug: string; readonly session: string }> {
    const life = await trigger(title, ...WORK, 'done blocked one');
    const { slug, sessionId } = await life.frozen(1, 'blocked');
    assert.ok(sessionId !== null);
    return { life, slug, session: sessionId };
  }

  async function removeBottle(life: Life, slug: string): Promise<void> {
    await life.removeContainer(slug, 'agent');
    await life.removeContainer(slug, 'bundle');
    await runtime.removeVolumes(slug);
  }

  /** What the run's timeline says of the beginning of a turn. */
  async function beginning(life: Life, turn: number): Promise<string | undefined> {
    return (await life.timeline()).find((what) => what.startsWith(`turn ${String(turn)} started`));
  }

  it('is made anew and told: the home from its snapshot, then the workspace from the branch on the forge', async () => {
    const { life, slug, session } = await frozen('its things go one by one');
    await removeBottle(life, slug);
    await life.comment(bottleScript('run cat kept.txt left.txt; ls "$HOME"', 'done blocked two'));
    const second = await life.frozen(2, 'blocked');
    assert.equal(second.sessionId, session);
    assert.equal((await life.files.session(slug)).turns.length, 2);
    const log = await life.files.agentLog(slug, 2);
    assert.match(log, /kept\\nx/);
    assert.doesNotMatch(log, /in-home/);
    assert.match(await life.files.prompt(slug, 2), /^Your home directory was lost\./m);
    assert.equal(await beginning(life, 2), 'turn 2 started; lost since the last turn, and made anew: home');

    await rm(life.files.path(slug, 'workspace'), { recursive: true, force: true });
    await life.comment(
      bottleScript('run cat kept.txt; ls', 'write more.txt more', 'commit More', 'done success three'),
    );
    const third = await life.frozen(3, 'done');
    assert.equal(third.sessionId, session);
    const anew = await life.files.agentLog(slug, 3);
    assert.match(anew, /kept/);
    assert.doesNotMatch(anew, /left\.txt/);
    assert.match(await life.files.prompt(slug, 3), /^The directory that you work in was lost\./m);
    assert.equal(
      await beginning(life, 3),
      'turn 3 started; lost since the last turn, and made anew: workspace',
    );
    assert.equal(third.prs.length, 1);
  });

  it('is a fresh session with the task, from the branch, when everything went, the snapshots too', async () => {
    const { life, slug, session } = await frozen('everything goes');
    await removeBottle(life, slug);
    await rm(life.files.path(slug, 'workspace'), { recursive: true, force: true });
    await rm(life.files.path(slug, 'transcript'), { recursive: true, force: true });
    await life.comment(bottleScript('run cat kept.txt', 'done success two'));
    await life.agentSaid(slug, 2, 'No conversation found with session ID');
    const view = await life.frozen(3, 'done');
    assert.notEqual(view.sessionId, session);
    const prompt = await life.files.prompt(slug, 3);
    assert.match(prompt, /Your last session is lost\./);
    assert.match(prompt, /everything goes/);
    assert.match(prompt, /Turn 1 ended as blocked; you said of it:\n\n> one/);
    const { stdout } = await stack().cli(['orchestrate', 'status', '--json']);
    const { runs } = JSON.parse(stdout) as { runs: { slug: string; session: { sessionId: string } }[] };
    assert.equal(runs.find((run) => run.slug === slug)?.session.sessionId, view.sessionId);
    assert.deepEqual((await readdir(life.files.path(slug, 'turns'))).sort(), ['1', '2', '3']);
  });
});
