import assert from 'node:assert/strict';
import type { LogEntry } from '@temporalio/worker';
import { sdkLog } from '../../../../src/adapters/temporal/runtime.js';
import { createLogger } from '../../../../src/config/log.js';

describe('what the SDK logs', () => {
  const linesOf = (...entries: readonly Pick<LogEntry, 'level' | 'message' | 'meta'>[]): unknown[] => {
    const lines: unknown[] = [];
    const destination = { write: (line: string) => lines.push(JSON.parse(line)) };
    const log = sdkLog(
      createLogger({ level: 'info', name: 'worker', secrets: () => new Set(), destination }),
    );
    for (const entry of entries) log({ timestampNanos: 0n, ...entry });
    return lines;
  };

  it('has the message and the stack of an error, which say why a workflow’s tasks fail', () => {
    const error = new TypeError('no such thing', { cause: new Error('gone') });
    const [line] = linesOf({ level: 'WARN', message: 'Workflow failed', meta: { workflowId: 'w', error } });
    const { level, sdk, workflowId, msg, err } = line as {
      readonly err: { readonly type: string; readonly message: string; readonly stack: string };
    } & Record<string, unknown>;
    assert.deepEqual([level, sdk, workflowId, msg], ['warn', true, 'w', 'Workflow failed']);
    assert.deepEqual([err.type, err.message], ['TypeError', 'no such thing: gone']);
    assert.match(err.stack, /sdk-log\.test/);
  });

  it('keeps its level and its fields, and leaves out what is expected', () => {
    const lines = linesOf(
      { level: 'ERROR', message: 'no fields' },
      { level: 'WARN', message: 'No workflows registered: x' },
    ) as Record<string, unknown>[];
    assert.deepEqual(
      lines.map(({ level, sdk, msg }) => [level, sdk, msg]),
      [['error', true, 'no fields']],
    );
  });
});
