import assert from 'node:assert/strict';
import type { ForgeReaction } from '../../../../src/domain/forge/forge.js';
import { createAcknowledger, type Acknowledger } from '../../../../src/webhook/dispatch/acknowledge.js';

const SUBJECT = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;
const OTHER = { ...SUBJECT, number: 13 };

describe('telling people on the forge what became of a trigger', () => {
  let left: string[];
  let rejected: string[];
  let errors: string[];
  /** What goes wrong is rejected with. */
  let fault: Error | undefined;

  beforeEach(() => {
    [left, rejected, errors, fault] = [[], [], [], undefined];
  });

  const done = (): Promise<void> => (fault === undefined ? Promise.resolve() : Promise.reject(fault));
  const forge = {
    react: (number: number, reaction: ForgeReaction): Promise<void> => {
      left.push(`${String(number)} ${reaction}`);
      return done();
    },
  };
  const acknowledger = (ack = true): Acknowledger =>
    createAcknowledger({
      ack,
      onRejected: ({ number }, reason, at) => {
        rejected.push(`${String(number)} ${reason} ${String(at)}`);
        return done();
      },
      onError: (message, error) => errors.push(`${message}: ${String(error)}`),
    });

  it('is done once for each act, of each subject', () => {
    const tell = acknowledger();
    const act = { actAt: 5, actId: 1 };
    tell.pickedUp(forge, SUBJECT, act);
    tell.pickedUp(forge, SUBJECT, { ...act });
    assert.deepEqual(left, ['12 eyes']);
    tell.pickedUp(forge, SUBJECT, { ...act, actId: 2 });
    tell.pickedUp(forge, SUBJECT, { ...act, actAt: 6 });
    tell.pickedUp(forge, OTHER, act);
    assert.deepEqual(left, ['12 eyes', '12 eyes', '12 eyes', '13 eyes']);
  });

  it('is done once for each refusal, which is recorded too', () => {
    const tell = acknowledger();
    tell.refused(forge, SUBJECT, 'no', 5);
    tell.refused(forge, SUBJECT, 'no', 5);
    assert.deepEqual([left, rejected], [['12 confused'], ['12 no 5']]);
    tell.refused(forge, SUBJECT, 'never', 5);
    tell.refused(forge, SUBJECT, 'no', 6);
    tell.refused(forge, OTHER, 'no', 5);
    assert.deepEqual(rejected, ['12 no 5', '12 never 5', '12 no 6', '13 no 5']);
    assert.equal(left.length, 4);
  });

  it('leaves no reaction with FORGE_ACK=none, and records refusals all the same', () => {
    const tell = acknowledger(false);
    tell.pickedUp(forge, SUBJECT, { actAt: 5, actId: 1 });
    tell.refused(forge, SUBJECT, 'no', 5);
    assert.deepEqual([left, rejected], [[], ['12 no 5']]);
  });

  it('is in nobody’s way when it fails, and says what failed and for whom', async () => {
    fault = new Error('away');
    const tell = acknowledger();
    tell.pickedUp(forge, SUBJECT, { actAt: 5, actId: 1 });
    tell.refused(forge, OTHER, 'no', 5);
    await tell.drained();
    assert.deepEqual(errors.sort(), [
      'a refusal could not be recorded for gitea:alice/demo#13: Error: away',
      'no reaction could be left on gitea:alice/demo#12: Error: away',
      'no reaction could be left on gitea:alice/demo#13: Error: away',
    ]);
  });

  it('is drained when the last of it is done, and not before', async () => {
    let finish: () => void = () => undefined;
    const slow = { react: () => new Promise<void>((resolve) => (finish = resolve)) };
    const tell = acknowledger();
    tell.pickedUp(slow, SUBJECT, { actAt: 5, actId: 1 });
    let isDrained = false;
    const drained = tell.drained().then(() => (isDrained = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(!isDrained);
    finish();
    await drained;
  });
});
