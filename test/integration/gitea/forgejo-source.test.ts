import assert from 'node:assert/strict';
import { z } from 'zod';
import { botOwnership } from '../../../src/adapters/gitea/bot-ownership.js';
import { giteaFeed } from '../../../src/adapters/gitea/feed.js';
import { GiteaForks } from '../../../src/adapters/gitea/forks.js';
import { GiteaAdmin } from '../../../src/adapters/gitea/gitea-admin.js';
import type { GiteaClient } from '../../../src/adapters/gitea/gitea-client.js';
import { eventsForEdit } from '../../../src/adapters/gitea/hook-events.js';
import { giteaForgeFor } from '../../../src/adapters/gitea/gitea-forge.js';
import { checkTokenRights } from '../../../src/adapters/gitea/token-rights.js';
import { WANTED_EVENTS } from '../../../src/cli/forge-setup/plan-hook.js';
import type { RepoRef } from '../../../src/domain/forge/issue.js';
import { TIME } from '../../support/forgejo/api-document.js';
import { DocumentedForge } from '../../support/forgejo/documented-forge.js';
import { ADMIN_CALLS, FEED_CALLS, FORGE_CALLS, type Calls } from '../../support/forgejo/forge-calls.js';
import { forgejoSource, type ForgejoSource } from '../../support/forgejo/forgejo-source.js';
import { eventTypesOf, HANDLED, isHandled, unreadable } from '../../support/forgejo/deliveries.js';

const REF: RepoRef = { forge: 'gitea', owner: 'text', repo: 'text' };

/** Texts that mean something to the client. */
const VALUES = {
  StateType: 'open',
  ReviewStateType: 'APPROVED',
  CommitStatusState: 'failure',
  'TimelineComment.type': 'label',
  'Hook.config': { url: 'http://127.0.0.1/webhook', content_type: 'json' },
  'ContentsResponse.type': 'file',
  'ContentsResponse.encoding': 'base64',
  'ContentsResponse.content': 'YQ==',
  'Team.units_map': { 'repo.code': 'read' },
};

const TIMELINE = [
  'label',
  'assignees',
  'close',
  'merge_pull',
  'reopen',
  'change_title',
  'change_issue_ref',
  'pull_push',
  'pull_ref',
];

/** What this Forgejo has not, and what becomes of it. */
const KNOWN: readonly (readonly [problem: RegExp, consequence: string])[] = [
  [
    /^GET \/repos\/text\/text\/actions\/jobs\/1: is asked for$/,
    'a failed check comes without the end of its log',
  ],
  [/\.content_version is read$/, 'as of a Gitea before 1.26: the times of an edit decide'],
  [
    /hooks(?:\/\{id\})?: (?:the body has name|(?:\[\])?\.name is read)$/,
    'a webhook is known by its address alone',
  ],
  [
    /^POST .*\/pulls: the body has allow_maintainer_edit$/,
    'only an edit takes it: writers can’t push to the branch in the fork',
  ],
  [/\/issues\/\{index\}\/comments: the query has (?:page|limit)$/, 'all come at once, which ends the paging'],
];
/** Of these types it sends none: failed checks are found by polling. */
const NEVER_SENT = ['status'];

describe('the client of Gitea, against the source of Forgejo', () => {
  let source: ForgejoSource;
  let forge: DocumentedForge;
  let client: GiteaClient;
  const met = new Set<string>();
  const opened: (() => void | Promise<void>)[] = [];
  before(async function () {
    const found = forgejoSource();
    if (found === undefined) {
      process.stderr.write(
        '    skipped: script/bootstrap --only forgejo could not bring the source of Forgejo\n',
      );
      this.skip();
    }
    source = found;
    source.document.checkValues(VALUES);
    forge = new DocumentedForge(source.document);
    client = await forge.client();
    opened.push(
      () => client.close(),
      () => forge.close(),
    );
  });
  after(async () => {
    for (const close of opened) await close();
  });
  beforeEach(() => {
    forge.values = VALUES;
    forge.answers = {};
    forge.problems.clear();
  });
  afterEach(() => {
    for (const problem of forge.problems) met.add(problem);
  });
  const agreed = (): void => {
    const isKnown = (problem: string) => KNOWN.some(([pattern]) => pattern.test(problem));
    assert.deepEqual(
      [...forge.problems].filter((problem) => !isKnown(problem)),
      [],
    );
  };
  /** What differs is told first, being the reason of an error. */
  const carriedOut = async (call: () => Promise<unknown>): Promise<void> => {
    const failed = await call().then(
      () => [],
      (error: unknown) => [error],
    );
    agreed();
    assert.deepEqual(failed, []);
  };
  const eachOf = <Port>(calls: Calls<Port>, port: () => Port): void => {
    for (const [name, call] of Object.entries<(port: Port) => Promise<unknown>>(calls))
      it(name, async () => {
        await carriedOut(() => call(port()));
      });
  };

  describe('asks and reads only what its API document has: Forge', () => {
    eachOf(FORGE_CALLS, () => giteaForgeFor(client)(REF));
  });
  describe('asks and reads only what its API document has: ForgeFeed', () => {
    eachOf(FEED_CALLS, () => giteaFeed(client));
  });
  describe('asks and reads only what its API document has: ForgeAdmin', () => {
    eachOf(ADMIN_CALLS, () => new GiteaAdmin(client));
  });

  describe('asks and reads only what its API document has: what depends on the answer', () => {
    const STRANGERS: RepoRef = { ...REF, owner: 'stranger' };
    const PERMISSION = 'GET /repos/{owner}/{repo}/collaborators/{collaborator}/permission';
    const asks = async (call: () => Promise<unknown>, ...operations: readonly string[]): Promise<void> => {
      forge.asked.clear();
      await carriedOut(call);
      assert.deepEqual(
        operations.filter((operation) => !forge.asked.has(operation)),
        [],
        'not asked for',
      );
    };

    it('permissions, to a bot that is no administrator', async () => {
      forge.answers = { [PERMISSION]: 403 };
      const asker = giteaForgeFor(client)(REF);
      await asks(() => asker.permissionOf('text'), 'GET /repos/{owner}/{repo}/teams');
      await asks(() => asker.permissionOf('other'), 'GET /repos/{owner}/{repo}/collaborators/{collaborator}');
    });

    it('members, to a bot that is none', async () => {
      forge.answers = { 'GET /orgs/{org}/members/{username}': 303 };
      const asker = giteaForgeFor(client)(REF);
      await asks(() => asker.isOrgMember('text', 'text'), 'GET /orgs/{org}/public_members/{username}');
    });

    for (const type of TIMELINE)
      it(`the timeline's entry ${type}`, async () => {
        assert.ok(source.timeline.has(type));
        forge.values = { ...VALUES, 'TimelineComment.type': type };
        const asker = giteaForgeFor(client)(REF);
        const acts = await asker.readTimeline(1);
        assert.equal(acts.length + (await asker.readLinkedPulls(1)).length, 1);
        agreed();
      });

    it('a fork that is there, and one that is made', async () => {
      const forks = () => new GiteaForks(client);
      assert.equal((await forks().look(STRANGERS)).kind, 'there');
      await asks(() => forks().ensure(STRANGERS), 'PATCH /repos/{owner}/{repo}');
      forge.values = { ...VALUES, 'Repository.owner': { id: 2, login: 'other' } };
      forge.answers = { 'GET /repos/{owner}/{repo}': 404 };
      await asks(() => forks().ensure(STRANGERS), 'POST /repos/{owner}/{repo}/forks');
    });

    it('the rights of its token, and what the bot owns', async () => {
      const question = { org: 'text', purpose: 'publisher', repos: [STRANGERS], publish: 'fork' } as const;
      await asks(
        () => checkTokenRights(client, question),
        'PATCH /repos/{owner}/{repo}/pulls/{index}',
        'GET /repos/{owner}/{repo}/forks',
      );
      const own = { login: 'text', org: 'other', patterns: ['*/*'] };
      await asks(() => botOwnership(client, own), 'GET /users/{username}/orgs/{org}/permissions');
    });
  });

  describe('reads its deliveries', () => {
    it('of every type that something depends on', () => {
      const sent = eventTypesOf(source.structs);
      assert.deepEqual(
        Object.keys(HANDLED).filter((type) => !sent.includes(type)),
        NEVER_SENT,
      );
      assert.deepEqual([...sent, ...NEVER_SENT].filter(isHandled).sort(), Object.keys(HANDLED).sort());
    });

    it('and can ask for these types', () => {
      const known = new Set([...eventTypesOf(source.structs), ...source.hookEvents]);
      const asked = eventsForEdit(WANTED_EVENTS);
      assert.deepEqual(
        asked.filter((type) => !known.has(type)),
        NEVER_SENT,
      );
    });

    it('by headers that it sends', () => {
      const read = ['X-Gitea-Event-Type', 'X-Gitea-Delivery', 'X-Gitea-Signature'];
      assert.deepEqual(
        read.filter((header) => !source.headers.has(header)),
        [],
      );
    });

    for (const [type, [schema, struct]] of Object.entries(HANDLED))
      it(`all fields of ${type}`, () => {
        if (NEVER_SENT.includes(type)) return;
        const known = (path: string) => path.endsWith('.content_version');
        const missing = unreadable(source.structs, schema, struct);
        assert.deepEqual(
          missing.filter((path) => !known(path)),
          [],
        );
      });
  });

  describe('would be seen', () => {
    it('to ask for, send or read something else', async () => {
      const path = ['repos', 'text', 'text', 'issues'];
      await assert.rejects(client.json({ method: 'GET', path: [...path, 'newest'] }));
      await client.json({ method: 'GET', path, query: { since: TIME, limit: 'all', sorted: 'by' } });
      await client.json({ method: 'POST', path, body: { titel: 'a', closed: 'yes', labels: [1, 'a'] } });
      const answer = (await client.json({ method: 'GET', path: [...path, 1] })) as Record<string, unknown>;
      assert.equal(typeof answer['user'], 'object');
      assert.equal(answer['poster'], undefined);
      const issues = '/repos/{owner}/{repo}/issues';
      assert.deepEqual(
        [...forge.problems],
        [
          'GET /repos/text/text/issues/newest: is asked for',
          `GET ${issues}: the query has limit=all`,
          `GET ${issues}: the query has sorted`,
          `POST ${issues}: the body lacks title`,
          `POST ${issues}: the body has titel`,
          `POST ${issues}: the body.closed is "yes"`,
          `POST ${issues}: the body.labels[] is "a"`,
          `GET ${issues}/{index}: .poster is read`,
        ],
      );
    });

    it('to read another field of a delivery', () => {
      const schema = z.object({ issue: z.object({ user: z.object({ id: z.string(), nick: z.string() }) }) });
      const found = unreadable(source.structs, schema, 'IssuePayload');
      assert.deepEqual(found, ['IssuePayload.issue.user.id is number', 'IssuePayload.issue.user.nick']);
    });

    it('to expect a value that is none', () => {
      assert.throws(() => source.document.checkValues({ ReviewStateType: 'GREAT' }), /ReviewStateType/);
      assert.throws(() => source.document.checkValues({ 'Hook.gone': 1 }), /Hook\.gone/);
    });
  });

  describe('differs from it', () => {
    it('still in all that is known', () => {
      const gone = KNOWN.filter(([pattern]) => ![...met].some((problem) => pattern.test(problem)));
      assert.deepEqual(gone, []);
    });
  });
});
