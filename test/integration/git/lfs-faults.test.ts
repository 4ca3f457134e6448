import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LfsClient } from '../../../src/adapters/git/lfs-client.js';
import { placeLfsObjects } from '../../../src/adapters/git/lfs-source.js';
import { GitError } from '../../../src/domain/base/errors.js';
import { ForgeServer, type Answer, type SeenRequest } from '../../support/gitea/forge-server.js';

const CONTENT = 'the content';
const OID = createHash('sha256').update(CONTENT).digest('hex');
const FILE = { path: 'a.bin', oid: OID, size: CONTENT.length };

/** Answers that a real forge can't be told to give. */
describe('LFS objects from a forge that misbehaves', () => {
  let dir: string;
  const servers: ForgeServer[] = [];
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'bot-bottle-lfs-test-'));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const start = async (answer: (request: SeenRequest) => Answer): Promise<ForgeServer> => {
    const server = await ForgeServer.start(answer);
    servers.push(server);
    return server;
  };
  const place = async (forge: ForgeServer, otherOrigins: readonly string[] = []) => {
    const cloneUrl = `${forge.url}/alice/demo.git`;
    const client = new LfsClient({ cloneUrl, token: 'canary-token', caFile: undefined, otherOrigins });
    return placeLfsObjects(join(dir, 'mirror'), [FILE], join(dir, 'lfs'), client);
  };
  /** A forge that says that the object is at `href`, and answers there with `answer`. */
  const forgeWith = (answer: Answer, href?: (server: string) => string): Promise<ForgeServer> =>
    start((request) => {
      if (!request.url.endsWith('/objects/batch')) return answer;
      const url = `http://${request.headers.host ?? ''}/object`;
      const download = { href: href?.(url) ?? url };
      return {
        status: 200,
        body: JSON.stringify({ objects: [{ oid: OID, size: CONTENT.length, actions: { download } }] }),
      };
    });
  const reasonOf = async (forge: ForgeServer, others: readonly string[] = []): Promise<string> => {
    const { files, leftOut } = await place(forge, others);
    assert.equal(files, 0);
    assert.deepEqual(readdirSync(join(dir, 'lfs')), []);
    assert.deepEqual(readdirSync(join(dir, 'mirror', 'lfs', 'half')), []);
    return leftOut[0]?.reason ?? '';
  };

  it('are asked for with the token, and only once', async () => {
    const forge = await forgeWith({ status: 200, body: CONTENT });
    assert.deepEqual(await place(forge), { files: 1, leftOut: [] });
    assert.deepEqual(await place(forge), { files: 1, leftOut: [] });
    assert.deepEqual(
      forge.seen.map(({ url }) => url),
      ['/alice/demo.git/info/lfs/objects/batch', '/object'],
    );
    const authorization = `Basic ${Buffer.from('bot-bottle:canary-token').toString('base64')}`;
    assert.deepEqual(
      forge.seen.map(({ headers }) => headers.authorization),
      [authorization, authorization],
    );
  });

  it('are what their pointers name, byte for byte', async () => {
    for (const body of ['the other!!', 'short', `${CONTENT} and more`, ''])
      assert.match(await reasonOf(await forgeWith({ status: 200, body })), /something else/);
  });

  it('are not looked for behind a redirect, nor elsewhere', async () => {
    const other = await start(() => ({ status: 200, body: CONTENT }));
    const redirect = { status: 302, headers: { location: `${other.url}/object` } };
    assert.match(await reasonOf(await forgeWith(redirect)), /redirect/);
    const leads = await forgeWith({ status: 500 }, () => `${other.url}/object`);
    assert.match(await reasonOf(leads), /FORGE_LFS_ORIGINS/);
    assert.equal(other.seen.length, 0);
    assert.equal((await place(leads, [other.url])).files, 1);
    assert.deepEqual(
      other.seen.map(({ headers }) => headers.authorization),
      [undefined],
    );
  });

  it('are left out by a forge without LFS, and waited for with one that is away', async () => {
    for (const status of [403, 404])
      assert.match(await reasonOf(await start(() => ({ status }))), new RegExp(String(status)));
    assert.match(await reasonOf(await start(() => ({ status: 200, body: 'no JSON' }))), /did not answer/);
    const passing = (error: unknown) =>
      error instanceof GitError && error.retryable && !error.message.includes('canary');
    const faults: readonly Answer[] = [{ status: 503 }, { status: 429 }, 'drop'];
    for (const answer of faults) {
      await assert.rejects(place(await start(() => answer)), passing);
      await assert.rejects(place(await forgeWith(answer)), passing);
    }
  });
});
