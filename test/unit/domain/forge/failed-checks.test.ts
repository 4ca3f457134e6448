import assert from 'node:assert/strict';
import { failedChecks, readFailedChecks } from '../../../../src/domain/forge/failed-checks.js';
import type { CheckStatus } from '../../../../src/domain/forge/issue.js';

const check = (context: string, state: CheckStatus['state']): CheckStatus => ({
  ...{ context, state, description: '', url: '' },
});
const names = (checks: readonly CheckStatus[]): string[] => checks.map(({ context }) => context);

describe('the checks that a run has to mend', () => {
  it('are those that failed, by name', () => {
    const states = ['pending', 'success', 'failure', 'error', 'warning', 'skipped'] as const;
    const head = [...states, 'error' as const].map((state, index) =>
      check(`${String(9 - index)} ${state}`, state),
    );
    assert.deepEqual(names(failedChecks(head, [])), ['3 error', '6 error', '7 failure']);
  });

  it('are none that fail on the base branch too', () => {
    const base = [check('build', 'error'), check('lint', 'success')];
    const head = [check('test', 'failure'), check('build', 'failure'), check('lint', 'failure')];
    assert.deepEqual(names(failedChecks(head, base)), ['lint', 'test']);
  });

  it('are read of the head, and of the base only where one fails', async () => {
    const asked: string[] = [];
    const at: Readonly<Record<string, readonly CheckStatus[]>> = {
      good: [check('build', 'success')],
      bad: [check('build', 'failure'), check('test', 'failure')],
      base: [check('test', 'failure')],
    };
    const forge = {
      readStatuses: (sha: string) => {
        asked.push(sha);
        return Promise.resolve([...(at[sha] ?? [])]);
      },
    };
    const pull = (sha: string) => ({
      head: { ref: 'work', sha, fromFork: false },
      base: { ref: 'main', sha: 'base' },
    });
    assert.deepEqual(await readFailedChecks(forge, pull('good')), []);
    assert.deepEqual(asked, ['good']);
    assert.deepEqual(names(await readFailedChecks(forge, pull('bad'))), ['build']);
    assert.deepEqual(asked, ['good', 'bad', 'base']);
  });
});
