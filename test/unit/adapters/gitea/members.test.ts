import assert from 'node:assert/strict';
import { GiteaClient } from '../../../../src/adapters/gitea/gitea-client.js';
import { giteaForgeFor } from '../../../../src/adapters/gitea/gitea-forge.js';
import { ForgeServer, type Answer } from '../../../support/gitea/forge-server.js';

const REPO = { forge: 'gitea', owner: 'acme', repo: 'tools' } as const;

/** What the forge tells a bot that is no admin of the repository, whose exact question it does not answer. */
describe('what somebody may do, by signs', () => {
  let server: ForgeServer;
  let client: GiteaClient;

  async function permissionOf(
    login: string,
    answers: (path: string) => Answer | Promise<Answer>,
  ): Promise<string> {
    server = await ForgeServer.start(({ url }) => {
      const path = url.replace(/^.*\/repos\/acme\/tools/, '');
      return path.endsWith('/permission') ? { status: 403, body: '{}' } : answers(path);
    });
    client = new GiteaClient({ baseUrl: server.url, token: 't', timeoutMs: 5_000, retry: { tries: 1 } });
    return giteaForgeFor(client)(REPO).permissionOf(login);
  }

  afterEach(async () => {
    client.close();
    await server.stop();
  });

  it('asks for the teams beside the assignees', async () => {
    let teamsAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (teamsAsked = resolve));
    const may = await permissionOf('alice', async (path) => {
      if (path === '/teams') {
        teamsAsked();
        return { status: 405 };
      }
      await asked;
      return { status: 200, body: '[{"login":"alice"}]' };
    });
    assert.equal(may, 'write');
  });

  it('needs no team of somebody whom nothing can be assigned to', async () => {
    const may = await permissionOf('mallory', (path) => {
      if (path === '/teams') return { status: 500 };
      return { status: 200, body: path === '/assignees' ? '[]' : '{"private":false}' };
    });
    assert.equal(may, 'read');
  });

  it('is nothing in a private repository for who has no account any more', async () => {
    const may = await permissionOf('ghost', (path) => {
      if (path === '/teams') return { status: 405 };
      if (path === '/collaborators/ghost') return { status: 422, body: '{"message":"user does not exist"}' };
      return { status: 200, body: path === '/assignees' ? '[]' : '{"private":true}' };
    });
    assert.equal(may, 'none');
  });

  it('is nothing for an answer that the forge does not give', async () => {
    const odd = { status: 200, body: '{"status":"maintenance"}' };
    assert.equal(
      await permissionOf('mallory', (path) => {
        if (path === '/teams') return { status: 405 };
        if (path === '/collaborators/mallory') return odd;
        return { status: 200, body: path === '/assignees' ? '[]' : '{"private":true}' };
      }),
      'none',
    );
    await assert.rejects(giteaForgeFor(client)(REPO).isOrgMember('acme', 'mallory'));
  });

  it('is what a team may do only for who is named as one of it', async () => {
    const of = (member: string) => (path: string) => {
      if (path === '/teams')
        return { status: 200, body: '[{"id":1,"permission":"write"},{"id":2,"permission":"read"}]' };
      return { status: 200, body: path === '/assignees' ? '[{"login":"alice"}]' : member };
    };
    assert.equal(await permissionOf('alice', of('{"login":"Alice"}')), 'write');
    client.close();
    await server.stop();
    await assert.rejects(permissionOf('alice', of('{"status":"maintenance"}')));
  });
});
