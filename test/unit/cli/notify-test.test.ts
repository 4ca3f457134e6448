import assert from 'node:assert/strict';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import { cliWith, type Ran } from './small-world.js';

const tried = (
  hooks: readonly { readonly hook: string; readonly problem: string | null }[],
  ...args: string[]
): Promise<Ran> =>
  cliWith({ deps: { notifyTest: () => Promise.resolve(hooks) } }).run('notify', 'test', ...args);
const OK = { hook: 'command', problem: null };
const BAD = { hook: 'webhook', problem: 'answered 401: \u001b[2Jno' };

describe('notify test', () => {
  it('says of each hook whether the message was taken', async () => {
    assert.deepEqual(await tried([OK]), { code: 0, stdout: 'command: ok\n', stderr: '' });
    const { code, stdout } = await tried([OK, BAD]);
    assert.equal(code, EXIT.failed);
    assert.equal(stdout, 'command: ok\nwebhook: answered 401: \\u{1b}[2Jno\n');
    const json = await tried([OK, BAD], '--json');
    assert.deepEqual(JSON.parse(json.stdout), { hooks: [OK, BAD] });
  });

  it('is a usage error where no hook is set', async () => {
    const { code, stderr } = await tried([]);
    assert.equal(code, EXIT.usage);
    assert.match(stderr, /no hook is set: NOTIFY_COMMAND, NOTIFY_WEBHOOK_URL/);
  });
});
