import assert from 'node:assert/strict';
import {
  EXIT,
  exitOfTurn,
  SYNC_EXIT,
  TURN_EXIT,
  type EndedTurn,
  type TurnEnd,
} from '../../../../src/cli/base/exit-codes.js';
import { cliWith } from '../small-world.js';

/** A reason that is added without a line here does not compile. */
const TABLE: Readonly<Record<TurnEnd, number>> = {
  done: 0,
  blocked: 10,
  stuck: 11,
  failed: 12,
  incomplete: 13,
  watchdog: 14,
  timeout: 14,
  budget: 15,
  limited: 15,
  sidecar_died: 16,
  disk: 16,
  queue_flood: 16,
  history: 16,
  paused: 17,
  untriggered: 17,
  unserved: 17,
  closed: 17,
};

const ended = (change: Partial<EndedTurn>): EndedTurn => ({
  exitCode: 0,
  reason: 'incomplete',
  stopped: null,
  doneStatus: null,
  ...change,
});

describe('the exit status of --wait', () => {
  for (const [reason, code] of Object.entries(TABLE) as [TurnEnd, number][])
    it(`is ${String(code)} for an agent that exited with 0 in a turn that ended ${reason}`, () => {
      assert.equal(exitOfTurn(ended({ reason })), code);
    });

  it('is the agent’s own where that is not 0, even of one that says that it is done', () => {
    assert.equal(exitOfTurn(ended({ exitCode: 7 })), 7);
    assert.equal(exitOfTurn(ended({ exitCode: 3, reason: 'done', doneStatus: 'success' })), 3);
    assert.equal(exitOfTurn(ended({ exitCode: 137 })), 137, 'killed, but not by us');
  });

  it('is that of the reason where the orchestrator ended the agent, or its container vanished', () => {
    assert.equal(exitOfTurn(ended({ exitCode: 143, reason: 'watchdog', stopped: 'watchdog' })), 14);
    assert.equal(exitOfTurn(ended({ exitCode: 1, reason: 'budget', stopped: 'budget' })), 15);
    const lingered = { exitCode: 143, reason: 'done', doneStatus: 'success' } as const;
    assert.equal(exitOfTurn(ended(lingered)), 0);
    assert.equal(exitOfTurn(ended({ exitCode: -1 })), 13);
  });

  it('is never 0 for a turn that did not run', () => {
    assert.equal(exitOfTurn(ended({ exitCode: null, reason: 'paused' })), 17);
    assert.equal(exitOfTurn(ended({ exitCode: null, reason: 'done' })), EXIT.failed);
  });

  it('is in the help, and none of its codes is one of the other commands’', async () => {
    const { stdout } = await cliWith({}).run('--help');
    const codes: readonly number[] = Object.values(TURN_EXIT);
    for (const code of codes) assert.match(stdout, new RegExp(`\\b${String(code)} [a-z]`));
    assert.ok(Object.values(EXIT).every((code) => !codes.includes(code)));
  });
});

describe('the exit status of sync', () => {
  it('is 0 for a pull request alone, and tells what else there is apart', () => {
    assert.deepEqual(SYNC_EXIT, { verified: 0, unchanged: 18, stuck: 11, timeout: 14, failed: 12 });
  });

  it('is in the help, of the program and of each way to call it', async () => {
    for (const args of [[], ['sync'], ['sync', 'run']]) {
      const { stdout } = await cliWith({}).run(...args, '--help');
      for (const [status, code] of Object.entries(SYNC_EXIT))
        assert.match(stdout, new RegExp(`\\b${String(code)} ${status}\\b`), args.join(' '));
    }
  });
});
