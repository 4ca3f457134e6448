import assert from 'node:assert/strict';
import { UploadBudget } from '../../../../../src/bundle/egress/forward/upload-budget.js';

describe('what is used of the bytes that may go up', () => {
  let told: number;
  beforeEach(() => (told = 0));
  const budget = (bytes: number): UploadBudget => new UploadBudget(bytes, () => (told += 1));

  it('is told at every sixteenth, however it goes', () => {
    const upload = budget(1600);
    for (const [bytes, times] of [
      [99, 0],
      [1, 1],
      [99, 1],
      [500, 2],
      [99, 2],
      [1, 3],
    ] as const) {
      upload.take(bytes);
      assert.equal(told, times);
    }
  });

  it('is told sixteen times where it goes byte by byte', () => {
    const upload = budget(1600);
    for (let bytes = 0; bytes < 1600; bytes += 1) upload.take(1);
    assert.equal(told, 16);
  });
});
