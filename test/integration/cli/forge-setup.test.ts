import assert from 'node:assert/strict';
import { chmod, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { scopesFor } from '../../../src/cli/forge-setup/explain.js';
import { hookName, WANTED_EVENTS } from '../../../src/cli/forge-setup/plan-hook.js';
import { SetupHome } from '../../support/forge-setup/setup-home.js';
import { numberIn } from '../../support/gitea/api.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { BUILT_IN_LABELS, STAND_IN_LABEL } from '../../support/forge-setup/built-in-labels.js';

const USED_LABEL = 'bot-bottle:implementer';

describe('forge setup on a real Gitea', function () {
  this.timeout(60_000);
  let gitea: Gitea;
  let home: SetupHome;
  let count = 0;

  before(async function () {
    this.timeout(90_000);
    gitea = await sharedGitea();
  });
  beforeEach(async () => {
    home = await SetupHome.make(gitea);
  });
  afterEach(() => home.remove());

  /** A repository of its own for a test, as `owner/name`. */
  const repository = (): Promise<string> => gitea.addRepository(gitea.alice, `setup-${String((count += 1))}`);
  /** Gitea lists a webhook's events in any order. */
  const hooks = async (repo: string) =>
    (await gitea.alice.api.list(`/repos/${repo}/hooks`)).map((hook) => ({
      ...hook,
      events: [...(hook['events'] as string[])].sort(),
    })) as (Record<string, unknown> & { events: string[] })[];
  const labels = async (place: string) =>
    (await gitea.admin.api.list(`/${place}/labels`)).map((label) => label['name']);
  const asAlice = (...args: string[]) => home.run(gitea.alice.token, ...args);

  it('makes secret, webhook and labels, and sees its test delivery arrive where no webhook runs yet', async () => {
    const repo = await repository();
    const ran = await asAlice(repo);
    assert.deepEqual(ran.lines, [
      'created secret webhook-secret',
      'ok bot bottle-bot',
      `skipped label ${STAND_IN_LABEL}`,
      `created webhook ${home.url}`,
      ...BUILT_IN_LABELS.map((name) => `created label ${name}`),
      'ok delivery',
    ]);
    assert.equal(ran.code, 0);
    assert.match(ran.items.at(-1)?.detail ?? '', /as no webhook runs, signature right/);
    const [hook, ...more] = await hooks(repo);
    assert.deepEqual(more, []);
    assert.equal(hook?.['active'], true);
    assert.equal(hook['type'], 'gitea');
    assert.deepEqual(hook['config'], { url: home.url, content_type: 'json' });
    assert.deepEqual(hook.events, WANTED_EVENTS);
    assert.deepEqual([...(await labels(`repos/${repo}`))].sort(), [...BUILT_IN_LABELS].sort());
    const secretFile = await stat(join(home.dir, 'secrets/webhook-secret'));
    assert.equal(secretFile.mode & 0o777, 0o600);
  });

  it('changes nothing the second time', async () => {
    const repo = await repository();
    await asAlice(repo, '--no-test');
    const before = await hooks(repo);
    const ran = await asAlice(repo, '--no-test');
    assert.deepEqual(await hooks(repo), before);
    assert.deepEqual(
      ran.items.map(({ state }) => state),
      ['unchanged', 'ok', 'skipped', 'unchanged', ...BUILT_IN_LABELS.map(() => 'unchanged')],
    );
    const tested = await asAlice(repo);
    assert.equal(tested.code, 0);
    const [after] = await hooks(repo);
    assert.equal(after?.['id'], before[0]?.['id']);
    assert.deepEqual(after?.events, before[0]?.events, 'the test took its event away again');
  });

  it('needs no more than the scopes that it asks for', async () => {
    const repo = await repository();
    const scopes = scopesFor({ kind: 'repo', owner: 'alice', repo: 'x' });
    const token = await gitea.addToken('alice', gitea.alice.password, scopes);
    assert.equal((await home.run(token, repo)).code, 0);
    assert.equal((await home.run(token, repo, '--remove')).code, 0);
    const narrow = await gitea.addToken('alice', gitea.alice.password, ['write:issue', 'read:repository']);
    const refused = await home.run(narrow, repo);
    assert.equal(refused.code, 1);
    assert.match(refused.items.at(-1)?.detail ?? '', /forge says: .*write:repository/);
  });

  it('repairs what was damaged and says what differed', async () => {
    const repo = await repository();
    await asAlice(repo, '--no-test');
    const [made] = await hooks(repo);
    const path = `/repos/${repo}/hooks/${String(made?.['id'])}`;
    await gitea.alice.api.call('PATCH', path, {
      active: false,
      config: { url: home.url, content_type: 'form' },
      events: ['push', 'issues_only'],
    });
    const ran = await asAlice(repo);
    const repaired = ran.items.find(({ state }) => state === 'repaired');
    assert.match(repaired?.detail ?? '', /events missing: issue_assign.*pull_request_sync/);
    assert.match(repaired?.detail ?? '', /events nobody wants: push; was not active; content type was form/);
    assert.equal(ran.code, 0, ran.stdout);
    const [hook] = await hooks(repo);
    assert.ok(hook !== undefined);
    assert.equal(hook['id'], made?.['id']);
    assert.deepEqual(hook.events, WANTED_EVENTS);
    assert.deepEqual(hook['config'], { url: home.url, content_type: 'json' });
    assert.equal(hook['active'], true);
  });

  it('moves its webhook to another address instead of adding one', async () => {
    const repo = await repository();
    await asAlice(repo, '--no-test', '--url', 'https://old.example/bots');
    const [old] = await hooks(repo);
    assert.deepEqual(
      (old?.['config'] as Record<string, unknown>)['url'],
      'https://old.example/bots/webhooks/gitea',
    );
    const ran = await asAlice(repo, '--no-test');
    assert.match(ran.stdout, /address was https:\/\/old\.example\/bots\/webhooks\/gitea/);
    const [hook, ...more] = await hooks(repo);
    assert.deepEqual([hook?.['id'], more], [old?.['id'], []]);
    assert.equal((hook?.['config'] as Record<string, unknown>)['url'], home.url);
  });

  it('takes over a webhook made by hand, whose secret nobody knows, and keeps its authorization header', async () => {
    const repo = await repository();
    await gitea.alice.api.call('POST', `/repos/${repo}/hooks`, {
      type: 'gitea',
      active: true,
      authorization_header: 'Bearer of-the-proxy',
      config: { url: home.url, content_type: 'json', secret: 'something else' },
      events: ['issues', 'pull_request'],
    });
    const ran = await asAlice(repo);
    assert.equal(ran.code, 0, ran.stdout);
    assert.match(ran.stdout, /secret not known to be ours/);
    const [hook, ...more] = await hooks(repo);
    assert.deepEqual(more, []);
    assert.equal(hook?.['authorization_header'], 'Bearer of-the-proxy');
    assert.ok(!ran.stdout.includes('of-the-proxy'));
  });

  it('finds out by the test delivery that the forge signs with another secret, and mends it', async () => {
    const repo = await repository();
    await home.write('secrets/webhook-secret', 'the-secret-of-this-home');
    await gitea.alice.api.call('POST', `/repos/${repo}/hooks`, {
      type: 'gitea',
      active: true,
      // As after somebody changed the secret on the forge's page.
      name: hookName('the-secret-of-this-home'),
      config: { url: home.url, content_type: 'json', secret: 'mistyped-secret' },
      events: ['issues', 'pull_request'],
    });
    const ran = await asAlice(repo);
    assert.match(ran.stdout, /the forge signed with another secret/);
    assert.equal(ran.items.at(-1)?.state, 'ok', ran.stdout);
    assert.equal((await hooks(repo)).length, 1);
    const [again] = (await asAlice(repo)).items.filter(({ what }) => what === 'webhook');
    assert.equal(again?.state, 'unchanged');
  });

  it('leaves the webhook of another installation alone and names it', async () => {
    const repo = await repository();
    const other = await SetupHome.make(gitea);
    try {
      await other.run(gitea.alice.token, repo, '--no-test');
      const ran = await asAlice(repo, '--no-test');
      assert.ok(ran.items.some(({ state, name }) => state === 'warning' && name === other.url));
      assert.equal((await hooks(repo)).length, 2);
      await asAlice(repo, '--remove');
      const [left, ...more] = await hooks(repo);
      assert.deepEqual(more, []);
      assert.equal((left?.['config'] as Record<string, unknown>)['url'], other.url);
    } finally {
      await other.remove();
    }
  });

  it('sets up several repositories, and by default those that FORGE_REPOS names one by one', async () => {
    const [one, two] = [await repository(), await repository()];
    home.set('FORGE_REPOS', `${one},acme/*,${two}`);
    const ran = await asAlice();
    assert.equal(ran.code, 0, ran.stdout);
    assert.deepEqual(
      ran.items.filter(({ what }) => what === 'delivery').map(({ target, state }) => [target, state]),
      [
        [one, 'ok'],
        [two, 'ok'],
      ],
    );
    home.set('FORGE_REPOS', 'acme/*');
    const nothing = await home.text(null);
    assert.equal(nothing.code, 2);
    assert.match(nothing.stderr, /names no single repository.*forge setup owner\/repo, or --org/);
  });

  it('goes on with the others when one is not there', async () => {
    const repo = await repository();
    const ran = await asAlice('alice/nowhere', repo, '--no-test');
    assert.equal(ran.code, 1);
    assert.equal((await hooks(repo)).length, 1);
    assert.match(ran.stdout, /alice\/nowhere is not there, or hidden/);
    await gitea.alice.api.call('PATCH', `/repos/${repo}`, { name: `renamed-${String(count)}` });
    assert.match((await asAlice(repo, '--no-test')).stdout, /under another name now/);
  });

  it('sets up an organization once for all its repositories, and tests it through one of them', async () => {
    const { api } = gitea.admin;
    const org = `acme-setup-${String((count += 1))}`;
    await api.call('POST', '/orgs', { username: org });
    const empty = await home.run(gitea.admin.token, '--org', org);
    assert.equal(empty.items.at(-1)?.state, 'skipped');
    assert.match(empty.items.at(-1)?.detail ?? '', /no repository with a commit/);
    await api.call('POST', `/orgs/${org}/repos`, { name: 'tool', auto_init: true });
    const owner = await gitea.addToken('forge-admin', gitea.admin.password, scopesFor({ kind: 'org', org }));
    const ran = await home.run(owner, '--org', org);
    assert.equal(ran.code, 0, ran.stdout);
    assert.match(
      ran.items.at(-1)?.detail ?? '',
      /signature right \(by a webhook that .*\/tool had for the moment\)/,
    );
    assert.equal((await api.list(`/orgs/${org}/hooks`)).length, 1);
    assert.deepEqual(await api.list(`/repos/${org}/tool/hooks`), []);
    assert.deepEqual([...(await labels(`orgs/${org}`))].sort(), [...BUILT_IN_LABELS].sort());
    const inside = await home.run(gitea.admin.token, `${org}/tool`, '--no-webhook');
    assert.match(inside.stdout, /the organization's/);
    assert.deepEqual(await labels(`repos/${org}/tool`), []);

    const [label] = await api.list(`/orgs/${org}/labels`);
    await api.call('POST', `/repos/${org}/tool/issues`, { title: 'x', labels: [label?.['id']] });
    const removed = await home.run(owner, '--org', org, '--remove');
    assert.equal(removed.code, 0, removed.stdout);
    assert.deepEqual(await api.list(`/orgs/${org}/hooks`), []);
    assert.deepEqual(await labels(`orgs/${org}`), [label?.['name']]);
  });

  it('offers labels for agents that can run, says what the others lack, and makes all when asked to', async () => {
    const repo = await repository();
    await rm(join(home.dir, 'secrets/openai-api-key'));
    home.set('MODEL_ANTHROPIC_URL', 'http://10.0.0.5:8080');
    await mkdir(join(home.dir, 'agents'));
    await home.write('agents/mine.md', '---\nprovider: scripted\n---');
    await home.write('agents/lost.md', '---\nprovider: scripted\nbottle: nowhere\n---');
    const ran = await asAlice(repo, '--no-webhook');
    assert.equal(ran.code, 1, 'an agent whose bottle is not there is a mistake');
    assert.match(ran.stdout, /"lost\\?" works in the bottle/);
    const made = (await labels(`repos/${repo}`)).filter((name) => String(name).startsWith('bot-bottle:'));
    assert.deepEqual(made, ['bot-bottle:mine']);
    const skipped = new Map(
      ran.items.filter(({ state }) => state === 'skipped').map(({ name, detail }) => [name, detail]),
    );
    assert.deepEqual(
      [...skipped.keys()],
      [...['claude', 'codex', 'demo', 'implementer', 'opencode', 'pi'].map((name) => `bot-bottle:${name}`)],
    );
    assert.match(
      skipped.get('bot-bottle:codex') ?? '',
      /^no model key is set: bot-bottle secret set openai-api-key < key; or --all-labels$/,
    );
    for (const agent of ['claude', 'implementer'])
      assert.match(
        skipped.get(`bot-bottle:${agent}`) ?? '',
        /anthropic-api-key to 10\.0\.0\.5:8080, to which it is not bound .*--host 10\.0\.0\.5:8080/,
      );
    assert.match(skipped.get(STAND_IN_LABEL) ?? '', /stands in .*; or --all-labels$/);

    const all = await asAlice(repo, '--no-webhook', '--all-labels');
    assert.deepEqual(
      all.items.filter(({ state }) => state === 'skipped'),
      [],
    );
    const every = [...BUILT_IN_LABELS, STAND_IN_LABEL, 'bot-bottle:mine'].sort();
    assert.deepEqual([...(await labels(`repos/${repo}`))].sort(), every);
    // What is there stays.
    await asAlice(repo, '--no-webhook');
    assert.deepEqual([...(await labels(`repos/${repo}`))].sort(), every);
  });

  it('warns when the administrator is the bot itself', async () => {
    const repo = await repository();
    await home.write('secrets/forge-token', gitea.alice.token);
    const ran = await asAlice(repo, '--no-webhook');
    assert.equal(ran.code, 1, 'alice is no agent');
    const warnings = ran.items.filter(({ state }) => state === 'warning').map(({ detail }) => detail);
    assert.match(warnings.join('\n'), /--admin-token-file is of the bot's own account/);
    assert.match(warnings.join('\n'), /alice is the bot and the owner of alice\/.*another one than yours/);
    const other = await SetupHome.make(gitea);
    try {
      assert.doesNotMatch((await other.run(gitea.alice.token, repo, '--no-webhook')).stdout, /own account/);
    } finally {
      await other.remove();
    }
  });

  it('removes webhook and labels, but no label that an issue carries, open or closed', async () => {
    const repo = await repository();
    await asAlice(repo, '--no-test');
    const alice = gitea.alice.on(repo);
    await alice.closeIssue(await alice.createIssue({ title: 'x', labels: [USED_LABEL, 'bug'] }));
    const looked = await asAlice(repo, '--remove', '--dry-run');
    assert.deepEqual(looked.lines, [
      `would_remove webhook ${home.url}`,
      ...[...BUILT_IN_LABELS]
        .sort()
        .map((label) => `${label === USED_LABEL ? 'kept' : 'would_remove'} label ${label}`),
    ]);
    assert.equal((await hooks(repo)).length, 1);
    const ran = await asAlice(repo, '--remove');
    assert.deepEqual(
      ran.lines,
      looked.lines.map((line) => line.replace('would_remove', 'removed')),
    );
    assert.deepEqual(await hooks(repo), []);
    assert.deepEqual(await labels(`repos/${repo}`), [USED_LABEL, 'bug']);
    assert.equal((await asAlice(repo, '--remove')).code, 0);
  });

  it('says which token to make, with which scopes, when the bot may not', async () => {
    const repo = await repository();
    const ran = await home.text(null, repo);
    assert.equal(ran.code, 1);
    assert.match(
      ran.stdout,
      /the bot's token may not change webhooks and labels of alice\/setup-\d+, and need not/,
    );
    assert.match(ran.stdout, /scopes write:repository, write:issue/);
    assert.match(ran.stdout, new RegExp(`bot-bottle forge setup ${repo} --admin-token-file`));
    assert.deepEqual([await hooks(repo), await labels(`repos/${repo}`)], [[], []]);
    const org = await home.text(null, '--org', 'bot-bottle');
    assert.match(org.stdout, /an owner of the organization bot-bottle.*scopes write:organization/s);
    const mallory = await home.text(gitea.mallory.token, repo);
    assert.match(mallory.stdout, /the token of --admin-token-file may not change/);
  });

  it('takes the token from a private file or standard input only, and never repeats it', async () => {
    const repo = await repository();
    const open = await home.write('open-token', gitea.alice.token);
    await chmod(open, 0o644);
    const refused = await home.text(null, repo, '--admin-token-file', open);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /can be read by others: chmod 600/);
    const wrong = await home.text('0123456789abcdef0123456789abcdef01234567', repo);
    assert.match(wrong.stdout, /does not accept the token of --admin-token-file/);
    const right = await home.text(gitea.alice.token, repo);
    const secrets = [
      gitea.alice.token,
      gitea.bot.sidecarToken,
      gitea.bot.publisherToken,
      await home.secret(),
    ];
    for (const { stdout, stderr } of [refused, wrong, right]) {
      for (const secret of [...secrets, '0123456789abcdef'])
        assert.ok(!`${stdout}${stderr}`.includes(secret));
    }
  });

  it('reports a bot that cannot do its work, and sets up all the same', async () => {
    const repo = await repository();
    await home.write('secrets/forge-token', gitea.mallory.token);
    const ran = await asAlice(repo, '--no-test');
    assert.equal(ran.code, 1);
    assert.match(ran.stdout, /mallory may not write to alice/);
    assert.equal((await hooks(repo)).length, 1);
    await home.write('secrets/forge-token', '');
    assert.equal((await asAlice(repo, '--no-test')).items[1]?.state, 'problem');
  });

  it('warns where FORGE_REPOS leaves out what is set up', async () => {
    const repo = await repository();
    home.set('FORGE_REPOS', 'acme/*');
    const ran = await asAlice(repo, '--no-webhook');
    assert.match(ran.stdout, new RegExp(`FORGE_REPOS \\(acme/\\*\\) does not name it.*add ${repo}`));
  });

  it('warns where a pushed branch would run CI', async () => {
    const repo = await repository();
    await gitea.alice.on(repo).createFile({ branch: 'main', path: '.woodpecker/test.yml', content: 'x' });
    await gitea.alice.on(repo).createFile({ branch: 'main', path: '.gitea/issue_template.md', content: 'x' });
    const ran = await asAlice(repo, '--no-webhook');
    assert.equal(ran.code, 0);
    assert.match(
      ran.items.find(({ state }) => state === 'warning')?.detail ?? '',
      /^has CI \(\.woodpecker\):.*FORGE_PUBLISH to fork/,
    );
    home.set('FORGE_PUBLISH', 'fork');
    const forked = await asAlice(repo, '--no-webhook');
    assert.equal(
      forked.items.find(({ state }) => state === 'warning'),
      undefined,
    );
  });

  it('says that an empty repository has nothing to deliver', async () => {
    await gitea.alice.api.call('POST', '/user/repos', { name: `empty-${String((count += 1))}` });
    const ran = await asAlice(`alice/empty-${String(count)}`, '--url', home.url);
    assert.match(ran.items.at(-1)?.detail ?? '', /no commit yet/);
    assert.equal(numberIn((await hooks(`alice/empty-${String(count)}`))[0] ?? {}, 'id') > 0, true);
  });
});
