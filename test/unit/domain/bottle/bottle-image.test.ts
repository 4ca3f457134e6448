import assert from 'node:assert/strict';
import { ImageBuildError, imageCommand } from '../../../../src/domain/bottle/bottle-image.js';

describe('an image that is missing', () => {
  for (const [image, command] of [
    ['bot-bottle/agent-claude:dev', 'script/images agent-claude'],
    ['bot-bottle/agent-scripted:dev', 'script/images agent'],
    ['bot-bottle/bundle:dev', 'script/images bundle'],
    ['bot-bottle/agent-claude:1.0', 'script/images'],
    ['bot-bottle/agent-claude:dev2', 'script/images'],
    ['registry.example/bot-bottle/agent-claude:dev', 'script/images'],
    ['bot-bottle/agent-;id:dev', 'script/images'],
    ['node:22', 'script/images'],
  ] as const)
    it(`is made by ${command}: ${image}`, () => {
      assert.equal(imageCommand(image), command);
    });
});

describe('an image that cannot be built', () => {
  it('is a final error that keeps the log and the cause', () => {
    const cause = new Error('exit 1');
    const error = new ImageBuildError('step 2 failed', 'the end of it', { cause });
    assert.deepEqual([error.retryable, error.log, error.cause], [false, 'the end of it', cause]);
  });
});
