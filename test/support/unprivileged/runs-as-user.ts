import assert from 'node:assert/strict';

/** Whether this suite runs here. As root it does not: `unprivileged.test.ts` runs it, as its only test then says. */
export function runsAsUser(): boolean {
  if (process.getuid?.() !== 0) return true;
  it('runs in unprivileged.test.ts: this is root', () => {
    assert.equal(process.getuid?.(), 0);
  });
  return false;
}
