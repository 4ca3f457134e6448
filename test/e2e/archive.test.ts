import assert from 'node:assert/strict';
import { dockerBottleRuntime } from '../../src/adapters/docker/docker-runtime.js';
import type { HomeUsage } from '../../src/domain/upkeep/home-usage.js';
import { agentRuns, outputOf } from '../support/stack/agent-runs.js';
import { bottleScript } from '../support/stack/bottle-script.js';
import { orphansOf } from '../support/stack/orphans.js';
import { waitUntil } from '../support/stack/stack.js';
import { useStack } from '../support/stack/use-stack.js';

describe('a frozen run that is put away', function () {
  this.timeout(300_000);
  const runtime = dockerBottleRuntime();
  const { stack, trigger } = useStack({
    // Every freeze is long at once.
    env: { FREEZE_ARCHIVE_AFTER: '1s', BOTTLE_SWEEP_INTERVAL: '2s' },
  });

  const names = async (slug: string): Promise<string[]> =>
    (await runtime.list(slug)).map(({ type, role }) => `${type} ${role}`).sort();

  async function archived(slug: string, left: readonly string[]): Promise<void> {
    await waitUntil('the containers to go', async () =>
      (await names(slug)).every((name) => name.startsWith('volume')),
    );
    assert.deepEqual(await names(slug), left);
  }

  it('goes on with session and workspace from its volumes, and leaves nothing when it is closed', async () => {
    const life = await trigger(
      'put away',
      'write work.txt first',
      'commit the work of the first turn',
      'run touch .git/in-workspace "$HOME/in-home"',
      'done success one',
    );
    const first = await life.frozen(1, 'done');
    const { slug, sessionId } = first;
    assert.equal(first.prs.length, 1);
    await archived(slug, ['volume home', 'volume sock']);
    assert.deepEqual(await orphansOf(stack()), []);
    const gc = await stack().run(['gc', '--json']);
    const { usage, outcomes } = JSON.parse(gc) as {
      readonly usage: HomeUsage;
      readonly outcomes: readonly unknown[];
    };
    const [run] = usage.runs;
    assert.equal(run?.slug, slug);
    assert.ok((run.workspace ?? 0) > 0 && (run.home ?? 0) > 0, JSON.stringify(run));
    assert.deepEqual(outcomes, []);

    // From volumes and workspace.
    const look = 'run ls -a "$HOME" .git; git log --format=%s; cat work.txt';
    await life.comment(bottleScript(look, 'done success again'));
    const second = await life.frozen(2, 'done');
    assert.deepEqual([second.slug, second.sessionId], [slug, sessionId]);
    const seen = outputOf(agentRuns(await life.files.agentLog(slug, 2)), 'ls -a');
    for (const part of ['in-home', 'in-workspace', 'the work of the first turn', 'first'])
      assert.ok(seen.includes(part), seen);
    assert.equal((await life.files.session(slug)).turns.length, 2);
    await life.close();
    assert.deepEqual(await names(slug), []);
    assert.deepEqual(await orphansOf(stack()), []);
  });
});
