import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { openInbox } from '../../../src/adapters/sqlite/inbox/open-inbox.js';
import { issueEvent } from '../../support/webhook/payloads.js';
import { deliveryHeaders } from '../../support/webhook/sign.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

const WANTED = 150;

describe('the webhook process, killed with SIGKILL under load', () => {
  const path = useTempDir();
  let child: ChildProcess | undefined;

  afterEach(() => {
    child?.kill('SIGKILL');
  });

  it('has every delivery in the inbox that it had answered with 202, each once', async () => {
    const inboxFile = path('inbox.db');
    const script = new URL('serve.ts', import.meta.url).pathname;
    child = spawn(process.execPath, ['--import', 'tsx', script, inboxFile], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.ok(child.stdout);
    const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
    const exited = once(child, 'exit');

    const promised = new Set<string>();
    let sent = 0;
    const killed = new AbortController();
    const sender = async (): Promise<void> => {
      while (!killed.signal.aborted) {
        const body = JSON.stringify(issueEvent({ number: (sent % 9) + 1, salt: String((sent += 1)) }));
        const headers = deliveryHeaders(body, 'issues');
        try {
          const answer = await fetch(`http://127.0.0.1:${port}/webhooks/gitea`, {
            method: 'POST',
            body,
            headers,
          });
          assert.equal(answer.status, 202);
          promised.add(createHash('sha256').update(body).digest('hex'));
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          return; // killed
        }
        if (promised.size >= WANTED) {
          killed.abort();
          child?.kill('SIGKILL');
        }
      }
    };
    await Promise.all(Array.from({ length: 16 }, sender));
    assert.deepEqual(await exited, [null, 'SIGKILL']);
    assert.ok(promised.size >= WANTED);

    const inbox = openInbox(inboxFile);
    const stored = new Set<string>();
    const { total } = inbox.stats();
    for (let due = inbox.due(Date.now(), 100); due.length > 0; due = inbox.due(Date.now(), 100)) {
      for (const { seq, bodyHash } of due) {
        stored.add(bodyHash);
        inbox.complete([{ seq, outcome: 'signalled', detail: '' }], 0);
      }
    }
    inbox.close();
    assert.deepEqual(
      [...promised].filter((hash) => !stored.has(hash)),
      [],
    );
    assert.equal(stored.size, total);
    assert.ok(total <= sent);
  }).timeout(60_000);
});
