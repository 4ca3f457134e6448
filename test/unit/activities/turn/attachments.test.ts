import assert from 'node:assert/strict';
import { Attachments } from '../../../../src/activities/turn/attachments.js';

const SLUG = 'coder-alice-demo-12-abc12';

describe('who watches a run in this process', () => {
  it('is the newest, and the older ones detach', () => {
    const attachments = new Attachments();
    assert.equal(attachments.has(SLUG), false);
    const first = attachments.take(SLUG);
    const other = attachments.take('other');
    const second = attachments.take(SLUG);
    assert.deepEqual(
      [first.signal.aborted, second.signal.aborted, other.signal.aborted, attachments.has(SLUG)],
      [true, false, false, true],
    );
    attachments.leave(SLUG, first);
    assert.equal(attachments.has(SLUG), true, 'it was not its to leave');
    attachments.leave(SLUG, second);
    assert.equal(attachments.has(SLUG), false);
  });

  it('is nobody any longer when its worker goes away', () => {
    const attachments = new Attachments();
    const watching = [attachments.take(SLUG), attachments.take('other')];
    attachments.detachAll();
    assert.deepEqual(
      watching.map(({ signal }) => signal.aborted),
      [true, true],
    );
  });
});
