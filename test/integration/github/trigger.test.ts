import assert from 'node:assert/strict';
import { GithubClient } from '../../../src/adapters/github/github-client.js';
import { githubForgeFor } from '../../../src/adapters/github/github-forge.js';
import { createAccess } from '../../../src/domain/access.js';
import type { Forge } from '../../../src/domain/forge.js';
import { parseGithubDelivery } from '../../../src/webhook/github/parse-delivery.js';
import type { Hint } from '../../../src/webhook/hint.js';
import { observeSubject } from '../../../src/webhook/observe-subject.js';
import { readReferences } from '../../../src/webhook/read-references.js';
import { GithubPerson } from '../../support/github/person.js';
import { issueCommentEvent, issuesEvent, repository, reviewEvent } from '../../support/github/payloads.js';
import { ORG, startGithub } from '../../support/github/start-github.js';
import { agentsFrom } from '../../support/manifests/agents.js';
import type { LocalGithub } from '../../support/github/start-github.js';

const agents = agentsFrom();

describe('a delivery from GitHub, judged by the rules that know no forge', () => {
  let github: LocalGithub;
  let client: GithubClient;
  let forge: Forge;

  beforeEach(async () => {
    github = await startGithub();
    client = new GithubClient({ baseUrl: github.server.url, token: github.bot.token });
    forge = githubForgeFor(client)({ forge: 'github', owner: 'alice', repo: 'demo' });
  });

  afterEach(async () => {
    client.close();
    await github.server.stop();
  });

  const access = () => createAccess(forge, { org: ORG, trigger: 'collaborators', wake: 'collaborators' });

  function hintOf(event: string, payload: object, by: GithubPerson): Hint {
    const { id, owner } = github.repo;
    const here = {
      ...repository,
      id,
      name: 'demo',
      full_name: 'alice/demo',
      owner: { id: owner.id, login: 'alice' },
    };
    const sender = { id: by.user.id, login: by.login };
    const body = JSON.stringify({ ...payload, repository: here, sender });
    const parsed = parseGithubDelivery(event, Buffer.from(body));
    assert.ok(parsed.kind === 'hint', JSON.stringify(parsed));
    return parsed.hint;
  }

  async function observe(number: number, by: GithubPerson, named = agents) {
    const hint = hintOf('issues', issuesEvent({ action: 'assigned', number }), by);
    const { id } = github.repo;
    const place = { repoId: id, owner: 'alice', repo: 'demo' };
    const world = { forge, access: access(), agents: named, org: ORG, bot: forge.whoAmI(), now: Date.now };
    const seen = await observeSubject(world, place, number, undefined, hint);
    assert.ok(seen.kind === 'observed');
    return seen;
  }

  it('triggers when somebody with write access labels and assigns', async () => {
    const { alice, bot } = github;
    const number = await alice.createIssue({
      title: 'x',
      labels: ['bot-bottle:dev'],
      assignees: [bot.login],
    });
    const { event, refusal } = await observe(number, alice);
    assert.equal(refusal, null);
    assert.deepEqual([event.triggered, event.trigger?.agent, event.trigger?.actor], [true, 'dev', 'alice']);
  });

  it('triggers for an agent that the repository brings, where it may, and says which file is wrong', async () => {
    const { alice, bot } = github;
    const none = { agent: () => Promise.resolve(undefined) };
    const number = await alice.createIssue({
      title: 'x',
      labels: ['bot-bottle:own'],
      assignees: [bot.login],
    });
    const path = '.bot-bottle/agents/own.md';
    await alice.createFile({ branch: 'main', path, content: '---\nprovider: scripted\n---\nMine.\n' });
    const { refusal: off } = await observe(number, alice, agentsFrom(none));
    assert.match(off?.reason ?? '', /there is no agent "own"/);
    const allowed = agentsFrom(none, { allows: (owner, repo) => owner === 'alice' && repo === 'demo' });
    const { event } = await observe(number, alice, allowed);
    assert.equal(event.trigger?.agent, 'own');
    const sha = await alice.createFile({ branch: 'main', path, content: '---\nbottle: root\n---\n' });
    const { refusal } = await observe(number, alice, allowed);
    assert.match(refusal?.reason ?? '', new RegExp(`alice/demo@${sha.slice(0, 12)}:${path}:2: "provider"`));
  });

  it('does not when the one who assigned may not, though the one assigned may: GitHub shows the latter as actor', async () => {
    const { alice, mallory, org, repo, server } = github;
    // Another agent's account, and not the one that acts here.
    const other = server.state.addUser('other-bot');
    org.members.add(other);
    repo.roles.set(other, 'write');
    const number = await alice.createIssue({ title: 'x', labels: ['bot-bottle:dev'] });
    await mallory.assign(number, other.login);
    const { event } = await observe(number, mallory);
    assert.equal(event.trigger, null);
  });

  it('wakes by a comment or a review of somebody with write access, and of nobody else', async () => {
    const { alice, mallory, bot, server } = github;
    await alice.createFile({ branch: 'bot-bottle/1-abcde', path: 'a.txt', content: 'a\n' });
    const number = await new GithubPerson(server.state, bot, github.repo).openPr({
      title: 'x',
      head: 'bot-bottle/1-abcde',
    });
    const read = async (event: string, payload: object, by: GithubPerson) => {
      const hint = hintOf(event, payload, by);
      const world = {
        forge,
        access: access(),
        bot: await forge.whoAmI(),
        wakeOn: 'every',
        ignored: new Set<string>(),
      } as const;
      const [found] = await readReferences(world, number, [hint]);
      assert.ok(found !== undefined);
      return found.kind === 'references'
        ? found.references.map(({ kind, author }) => `${kind} ${author}`)
        : found.kind;
    };
    for (const [person, expected] of [
      [alice, true],
      [mallory, false],
    ] as const) {
      const commentId = await person.comment(number, 'please');
      const comment = await read(
        'issue_comment',
        issueCommentEvent({ number, commentId, onPull: true }),
        person,
      );
      assert.deepEqual(comment, expected ? ['comment alice'] : 'not_allowed');
      const reviewId = await person.review(number, { verdict: 'request_changes', body: 'no' });
      const event = reviewEvent({ number });
      const review = await read(
        'pull_request_review',
        { ...event, review: { ...event.review, id: reviewId } },
        person,
      );
      assert.deepEqual(review, expected ? ['review alice'] : 'not_allowed');
    }
  });
});
