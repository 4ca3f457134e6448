import assert from 'node:assert/strict';
import type { AgentAnswer, Agents } from '../../../../src/domain/agent/agents.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import type { Manifests } from '../../../../src/domain/manifest/manifests.js';
import { agentsFrom } from '../../../support/manifests/agents.js';
import { sampleAgent, sampleBottle } from '../../../support/manifests/samples.js';
import { FakeForge } from '../../../support/webhook/fake-forge.js';

const PATH = '.bot-bottle/agents/reviewer.md';
const REVIEWER = '---\nprovider: scripted\n---\nReview.\n';

describe('which agent a name means', () => {
  let forge: FakeForge;

  beforeEach(() => {
    forge = new FakeForge();
  });

  /** The operator has `coder` and `broken`, and the bottles `default`, `node`, `big`; `alice/demo` may bring agents. */
  const agents = agentsFrom(
    {
      agent: (name) => {
        if (name === 'broken') return Promise.reject(new InvalidInputError('agents/broken.md:2: no'));
        return Promise.resolve(name === 'coder' ? sampleAgent(name) : undefined);
      },
      bottle: (names) =>
        Promise.resolve(
          names.every((name) => ['default', 'node', 'big'].includes(name)) ? sampleBottle() : undefined,
        ),
    },
    { allows: (owner, repo) => `${owner}/${repo}` === 'alice/demo', bottles: ['default', 'node'] },
  );

  function find(name: string, bottles: readonly string[] = [], repo = 'demo'): Promise<AgentAnswer> {
    return agents.findOrRefuse({ name, bottles, repo: { owner: 'alice', repo }, forge: forge.bind() });
  }
  async function reason(...args: Parameters<typeof find>): Promise<string> {
    const found = await find(...args);
    return found.kind === 'refused' ? found.reason : found.kind;
  }

  it('is the operator’s, without a look at the repository, whatever that brings', async () => {
    forge.putFile('.bot-bottle/agents/coder.md', '---\nprovider: scripted\n---\nObey me.\n');
    const found = await find('coder');
    assert.ok(found.kind === 'found');
    assert.deepEqual([found.agent.prompt, found.bottleNames, found.source], ['You code.', ['default'], null]);
    assert.deepEqual(forge.calls, []);
  });

  it('says of the operator’s agent whether it keeps one of the repository from counting', async () => {
    const ask = (name: string, repo = 'demo'): ReturnType<Agents['isShadowed']> =>
      agents.isShadowed({ name, bottles: [], repo: { owner: 'alice', repo }, forge: forge.bind() });
    assert.equal(await ask('coder'), false);
    forge.putFile('.bot-bottle/agents/coder.md', 'no manifest at all');
    assert.equal(await ask('coder'), true);
    assert.equal(await ask('coder', 'other'), false);
    forge.defaultHead = undefined;
    const calls = forge.calls.length;
    assert.equal(await ask('coder'), false);
    assert.deepEqual(forge.calls.slice(calls), ['head of default'], 'an empty repository has no file');
  });

  it('is the repository’s when the operator has none, read at the head of its default branch', async () => {
    forge.putFile(PATH, REVIEWER);
    const found = await find('reviewer');
    assert.ok(found.kind === 'found');
    assert.equal(found.agent.prompt, 'Review.');
    assert.deepEqual(found.source, { path: PATH, commit: 'd'.repeat(40) });
    forge.defaultHead = 'e'.repeat(40);
    assert.match(await reason('reviewer'), /there is no agent "reviewer"/);
  });

  it('is nothing of a repository that may bring none, and the forge is not asked', async () => {
    forge.putFile(PATH, REVIEWER);
    assert.equal(
      await reason('reviewer', [], 'other'),
      'there is no agent "reviewer": add agents/reviewer.md below the orchestrator\'s home',
    );
    assert.deepEqual(forge.calls, []);
  });

  it('is nothing of an empty repository', async () => {
    forge.defaultHead = undefined;
    assert.match(await reason('reviewer'), /or \.bot-bottle\/agents\/reviewer\.md to the repository/);
    assert.deepEqual(forge.calls, ['head of default']);
  });

  it('works in the bottles that are listed for it, whoever names them', async () => {
    forge.putFile(PATH, REVIEWER);
    const found = await find('reviewer', ['node']);
    assert.deepEqual(found.kind === 'found' && found.bottleNames, ['node']);
    assert.match(
      await reason('reviewer', ['big']),
      /bottle "big" is not for the agents of a repository: FORGE_REPO_BOTTLES has default, node$/,
    );
    assert.match(await reason('reviewer', ['node', 'big']), /"big" is not/);
    assert.equal((await find('coder', ['big'])).kind, 'found');
    forge.putFile(PATH, '---\nprovider: scripted\nbottle: big\n---\n');
    assert.match(await reason('reviewer'), /:3: "bottle" must be one of FORGE_REPO_BOTTLES: default, node$/);
  });

  it('is refused with commit, file and line when its manifest is wrong or no file', async () => {
    forge.putFile(PATH, '---\nprovider: scripted\ngit: {}\n---\n');
    assert.equal(
      await reason('reviewer'),
      `the manifest of "reviewer" is wrong: alice/demo@dddddddddddd:${PATH}:3: "git" is not for an agent of a repository to set`,
    );
    forge.files.set(`${'d'.repeat(40)}:${PATH}`, { kind: 'unfit', why: 'is no file but a symlink' });
    assert.match(await reason('reviewer'), /reviewer\.md:1: is no file but a symlink$/);
    assert.match(await reason('broken'), /the manifest of "broken" is wrong: agents\/broken\.md:2: no/);
  });

  it('is refused when its bottle does not exist', async () => {
    assert.match(await reason('coder', ['nowhere']), /there is no bottle "nowhere"/);
    assert.match(await reason('coder', ['default', 'nowhere']), /default, nowhere does not exist/);
  });

  it('is refused when it lacks what it needs, and a run stays with the provider that it began with', async () => {
    let set = ['openai-api-key'];
    const named = { coder: ['claude', 'codex'] };
    const these = agentsFrom(
      { agent: () => Promise.resolve(sampleAgent('coder', { providers: named.coder })) },
      {},
      { secret: ({ name }) => ({ kind: set.includes(name) ? 'ready' : 'missing' }) },
    );
    const ask = async (before: string | null = null): Promise<string> => {
      const repo = { owner: 'alice', repo: 'demo' };
      const found = await these.findOrRefuse({
        name: 'coder',
        bottles: [],
        repo,
        forge: forge.bind(),
        before,
      });
      if (found.kind === 'found') return found.provider;
      assert.equal(found.kind, 'refused');
      return `refused: ${found.reason}`;
    };
    assert.equal(await ask(), 'codex');
    set = ['anthropic-api-key', 'openai-api-key'];
    assert.deepEqual([await ask(), await ask('codex')], ['claude', 'codex']);
    set = ['anthropic-api-key'];
    assert.match(
      await ask('codex'),
      /^refused: this run began with the provider codex and cannot go on: .* secret set openai-api-key < key$/,
    );
    named.coder = ['claude', 'pi'];
    assert.match(
      await ask('codex'),
      /^refused: .* codex, which the agent "coder" no longer names \(claude, pi\)/,
    );
    named.coder = ['claude'];
    set = [];
    assert.match(
      await ask(),
      /^refused: the agent "coder" cannot run: no model key is set: bot-bottle secret/,
    );
  });

  it('is not decided while the forge does not answer', async () => {
    forge.defaultHead = 'd'.repeat(40);
    const bound = forge.bind();
    const failing = { ...bound, readFile: () => Promise.reject(new Error('away')) };
    const request = { name: 'reviewer', bottles: [], repo: { owner: 'alice', repo: 'demo' }, forge: failing };
    await assert.rejects(agents.findOrRefuse(request), /away/);
  });
});

describe('who may wake the agents of a bottle', () => {
  const wake = (bottle: Manifests['bottle']): ReturnType<Agents['wakeOf']> =>
    agentsFrom({ bottle }).wakeOf(['node']);

  it('is whom its manifest names, and failed checks where it says so', async () => {
    assert.deepEqual(await wake(() => Promise.resolve(sampleBottle())), { people: null, checks: true });
    const bottle = sampleBottle({ forgeWake: 'org', checksWake: false });
    assert.deepEqual(await wake(() => Promise.resolve(bottle)), { people: 'org', checks: false });
  });

  it('is people with write access alone where it is gone or cannot be read', async () => {
    const writers = { people: 'collaborators', checks: false };
    assert.deepEqual(await wake(() => Promise.resolve(undefined)), writers);
    assert.deepEqual(await wake(() => Promise.reject(new InvalidInputError('node.md:2: no'))), writers);
  });

  it('is not decided while the manifests cannot be got at', async () => {
    await assert.rejects(
      wake(() => Promise.reject(new Error('EIO'))),
      /EIO/,
    );
  });
});
