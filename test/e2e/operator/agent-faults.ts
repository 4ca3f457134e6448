import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { AgentReport } from '../../../src/domain/run/turn.js';
import type { Life } from '../../support/stack/life.js';
import { operatorStack } from './stack.js';

/** Seconds: known by their number among all processes of the machine. */
const ORPHAN = '98765';

/** What a CLI may do that no CLI should: each ends in a clear state, with its log kept. */
describe('an agent process that misbehaves', function () {
  this.timeout(180_000);
  const { trigger } = operatorStack();

  /** What the rows have of the turn's output, and its log. */
  async function ended(life: Life, slug: string): Promise<{ agent: AgentReport; log: string }> {
    const [row] = await life.files.endedTurns(slug);
    assert.ok(row !== undefined);
    return { agent: row.detail['agent'] as AgentReport, log: await life.files.agentLog(slug, 1) };
  }

  it('is killed when it ignores SIGTERM, also after it said that it is done', async () => {
    const life = await trigger('spins', 'write a.txt x', 'commit Work', 'done success all of it', 'spin');
    const view = await life.frozen(1, 'done');
    assert.equal(view.lastTurn?.exitCode, 137);
    const { agent } = await ended(life, view.slug);
    assert.equal(agent.outcome, 'stopped');
  });

  it('leaves no zombie or orphan behind that outlives its turn', async () => {
    const life = await trigger(
      'orphans',
      // A child that ends unwaited for, and one in a session of its own that would stay.
      `run for i in 1 2 3 4 5 6 7 8; do (sleep 0.1 & exec true); done; setsid -f sh -c 'trap : TERM; sleep ${ORPHAN}' </dev/null >/dev/null 2>&1`,
      'done success left some',
    );
    const view = await life.frozen(1, 'done');
    const { status } = await life.container(view.slug, 'agent');
    assert.equal(status, 'exited');
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
    assert.ok(!stdout.includes(ORPHAN));
  });

  it('prints binary data and half of an event, and the log has it, on its own lines', async () => {
    const life = await trigger(
      'binary',
      'run sh -c \'head -c 65536 /dev/urandom >/proc/1/fd/1; printf "\\\\033[2J\\\\000" >/proc/1/fd/1; echo >/proc/1/fd/1\'',
      'print {"type":"result","is_error"',
      'print {"type":"assistant","message":7}',
      'exit 0',
    );
    // Its nudge has no script, and then it does what it always does.
    const view = await life.frozen(2, 'done');
    assert.match(await life.files.prompt(view.slug, 2), /signal_done/);
    const { agent, log } = await ended(life, view.slug);
    assert.equal(agent.outcome, 'finished', 'its own last word still counts');
    assert.ok(log.includes('{"type":"result","is_error"'));
    const strange = log.split('\n').filter((line) => !/^(?:\S+ (?:stdout|stderr) |- host |$)/.test(line));
    assert.deepEqual(strange, []);
  });
});
