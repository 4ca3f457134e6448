import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { loadConfig } from '../../../src/config/load-config.js';
import { writeSecret } from '../../../src/config/secrets.js';
import type { Observed } from '../../../src/domain/run/events.js';
import { operatorTrigger } from '../../../src/wiring/operator/operator-trigger.js';
import { temporalClient } from '../../../src/wiring/temporal-client.js';
import { closeServer, listenLocally, urlOf } from '../../support/http/loopback.js';

const REPOSITORY = {
  ...{ id: 7, name: 'x', owner: { login: 'bob' } },
  ...{ default_branch: 'main', permissions: { push: true, admin: false } },
};
const ISSUE = {
  ...{
    number: 1,
    title: 'Work',
    body: '',
    state: 'open',
    ref: '',
    is_locked: false,
    labels: [],
    assignees: [],
  },
  ...{ user: { id: 3, login: 'bob' }, html_url: 'http://forge/bob/x/issues/1', closed_at: null },
  ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
};

describe('orchestrate start --issue', () => {
  let aheadMs = 0;
  const forge = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString());
    response.end(JSON.stringify(request.url?.includes('/issues/') ? ISSUE : REPOSITORY));
  });
  let home = '';
  before(async () => {
    home = mkdtempSync(path.join(tmpdir(), 'bb-operator-trigger-'));
    chmodSync(home, 0o700);
    writeSecret(home, 'forge-token', new TextEncoder().encode('token-0123456789'));
    await listenLocally(forge);
  });
  after(async () => {
    await closeServer(forge);
    rmSync(home, { recursive: true, force: true });
  });

  /** Why it was refused. The issue has no label, so one of a repository that is served is refused for that. */
  async function refusal(repos: string, repo = 'x'): Promise<string> {
    const { config } = loadConfig({
      ...{ BOT_BOTTLE_HOME: home, FORGE_REPOS: repos },
      FORGE_GITEA_API: `${urlOf(forge)}/api/v1`,
    });
    const client = temporalClient(config);
    try {
      const answer = await operatorTrigger(
        { config, client, by: 'op@host', storePrompt: () => assert.fail('nothing begins') },
        { forge: 'gitea', owner: 'bob', repo, number: 1 },
        { agent: null, bottles: [], prompt: null, label: null },
      );
      return answer.kind === 'refused' ? answer.reason : answer.kind;
    } finally {
      await client.connection.close();
    }
  }

  it('is an act by the forge’s clock, since it is compared with what people do there', async () => {
    const sent: Observed[] = [];
    const client = {
      withDeadline: <T>(_until: number, call: () => Promise<T>): Promise<T> => call(),
      workflow: {
        signalWithStart: (_type: string, { signalArgs }: { signalArgs: [Observed] }) =>
          Promise.resolve(void sent.push(...signalArgs)),
      },
    } as unknown as Client;
    const { config } = loadConfig({
      ...{ BOT_BOTTLE_HOME: home, FORGE_REPOS: 'bob/*' },
      FORGE_GITEA_API: `${urlOf(forge)}/api/v1`,
    });
    for (const by of [0, -3_600_000]) {
      aheadMs = by;
      await operatorTrigger(
        { config, client, by: 'op@host', storePrompt: () => assert.fail('there is no prompt') },
        { forge: 'gitea', owner: 'bob', repo: 'x', number: 1 },
        { agent: 'demo', bottles: [], prompt: null, label: null },
      );
    }
    aheadMs = 0;
    const [same, behind] = sent;
    assert.equal(same?.aheadMs, undefined);
    assert.ok((same?.trigger?.actAt ?? 0) > Date.now() - 60_000);
    assert.ok((behind?.aheadMs ?? 0) < -3_590_000, String(behind?.aheadMs));
    assert.ok((behind?.trigger?.actAt ?? Infinity) < Date.now() - 3_590_000);
  });

  it('is refused for a repository that FORGE_REPOS does not serve', async () => {
    assert.match(await refusal('alice/demo'), /^bob\/x is not served: name it in FORGE_REPOS/);
    assert.match(await refusal('alice/demo,Bob/*'), /no label names an agent/);
  });

  it('is refused for a name in other case than the forge has, which would be another run', async () => {
    assert.equal(await refusal('bob/x', 'X'), 'the forge calls it bob/x#1: give that name');
  });

  it('knows a repository that was renamed since, as the webhook does', async () => {
    const known = { version: 1, ids: { 'alice/demo': [REPOSITORY.id] } };
    writeFileSync(path.join(home, 'repositories.json'), JSON.stringify(known));
    assert.match(await refusal('alice/demo'), /no label names an agent/);
  });
});
