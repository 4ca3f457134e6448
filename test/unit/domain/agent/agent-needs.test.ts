import assert from 'node:assert/strict';
import { agentProvider } from '../../../../src/adapters/agents/registry.js';
import {
  agentNeeds,
  describeProvider,
  type AgentNeeds,
  type SecretStanding,
} from '../../../../src/domain/agent/agent-needs.js';
import type { Route } from '../../../../src/domain/egress/route.js';
import type { AgentManifest } from '../../../../src/domain/manifest/manifests.js';
import type { SecretNeed } from '../../../../src/domain/secret/secret-need.js';
import { sampleAgent, sampleBottle } from '../../../support/manifests/samples.js';

interface Operator {
  /** Secrets that are not missing. */
  readonly secrets?: Readonly<Record<string, SecretStanding>>;
  readonly upstreams?: Readonly<Record<string, string>>;
  readonly routes?: readonly Route[];
}

const READY: SecretStanding = { kind: 'ready' };
const SET_ANTHROPIC = 'bot-bottle secret set anthropic-api-key < key';
const TRACKER: Route = {
  name: 'tracker',
  upstream: 'https://tracker.example:8443/base',
  methods: ['GET'],
  paths: ['/'],
  auth: { header: 'authorization', prefix: '', secret: 'tracker-token' },
  baseUrlEnv: null,
  keyEnv: null,
  rewrite: false,
  model: null,
};

function needs(agent: Partial<AgentManifest>, operator: Operator = {}): AgentNeeds & { asked: SecretNeed[] } {
  const { secrets = {}, upstreams = {}, routes = [] } = operator;
  const asked: SecretNeed[] = [];
  const world = {
    provider: agentProvider,
    upstreams,
    secret: (need: SecretNeed): SecretStanding => {
      asked.push(need);
      return secrets[need.name] ?? { kind: 'missing' };
    },
  };
  return { ...agentNeeds(world, sampleAgent('a', agent), sampleBottle({ routes })), asked };
}

describe('what an agent needs', () => {
  const several = { providers: ['claude', 'codex', 'pi'] };

  it('is the key of the first of its providers that has one', () => {
    const both = { 'anthropic-api-key': READY, 'openai-api-key': READY };
    assert.deepEqual(needs(several, { secrets: both }).verdict, { kind: 'ready', provider: 'claude' });
    const { verdict, providers } = needs(several, { secrets: { 'openai-api-key': READY } });
    assert.deepEqual(verdict, { kind: 'ready', provider: 'codex' });
    assert.deepEqual(
      providers.map(({ kind }) => kind),
      ['no_key', 'ready', 'no_key'],
    );
  });

  it('may be the second of a provider’s keys', () => {
    const { providers } = needs(several, { secrets: { 'claude-code-oauth-token': READY } });
    const [claude] = providers;
    assert.ok(claude !== undefined);
    assert.equal(describeProvider(claude), 'claude-code-oauth-token is set');
  });

  it('is nothing for a provider without a model', () => {
    const { verdict, asked } = needs({ providers: ['scripted'] });
    assert.deepEqual([verdict, asked], [{ kind: 'ready', provider: 'scripted' }, []]);
  });

  it('is said with the commands, each once, where no key is set', () => {
    const { verdict } = needs({ providers: ['claude', 'pi'] });
    const why = `no model key is set: ${SET_ANTHROPIC}, or bot-bottle secret set claude-code-oauth-token < key`;
    assert.deepEqual(verdict, { kind: 'lacks', why, isUnset: true });
    const elsewhere = needs({ providers: ['codex'] }, { upstreams: { openai: 'http://10.0.0.5:8080/v9' } });
    assert.ok(elsewhere.verdict.kind === 'lacks');
    assert.match(elsewhere.verdict.why, /secret set openai-api-key --host 10\.0\.0\.5:8080 < key$/);
  });

  it('is a key for the address that the settings name, bound to it', () => {
    const { asked } = needs({ providers: ['pi'] }, { upstreams: { anthropic: 'http://10.0.0.5:8080' } });
    const [need] = asked;
    assert.deepEqual([need?.authority, need?.isVendors], ['10.0.0.5:8080', false]);
    assert.deepEqual(
      needs({ providers: ['pi'] }).asked.map(({ authority, isVendors }) => [authority, isVendors]),
      [['api.anthropic.com:443', true]],
    );
  });

  it('says of a key that cannot be used why, and takes the next provider', () => {
    const unbound: SecretStanding = { kind: 'unusable', reason: 'not bound' };
    const secrets = { 'anthropic-api-key': unbound, 'claude-code-oauth-token': READY };
    const { verdict } = needs({ providers: ['claude'] }, { secrets });
    // The turn would take the first that is set.
    assert.deepEqual(verdict, { kind: 'lacks', why: 'not bound', isUnset: false });
    const next = needs(several, { secrets: { ...secrets, 'openai-api-key': READY } });
    assert.deepEqual(next.verdict, { kind: 'ready', provider: 'codex' });
  });

  it('is a provider of this version, and a model of it', () => {
    const unknown = needs({ providers: ['nobodys'] }).verdict;
    assert.ok(unknown.kind === 'lacks' && !unknown.isUnset);
    assert.match(unknown.why, /provider nobodys is not built into this version/);
    const model = needs(
      { providers: ['claude'], model: 'gpt-5' },
      { secrets: { 'anthropic-api-key': READY } },
    );
    assert.ok(model.verdict.kind === 'lacks');
    assert.match(model.verdict.why, /"model" is gpt-5/);
  });

  it('is what its bottle’s routes need, bound to where they lead', () => {
    const secrets = { 'anthropic-api-key': READY };
    const { verdict, asked } = needs({ providers: ['claude'] }, { secrets, routes: [TRACKER] });
    assert.ok(verdict.kind === 'lacks' && !verdict.isUnset);
    assert.equal(
      verdict.why,
      'route "tracker" cannot be used: secret "tracker-token" is not set: bot-bottle secret set tracker-token --host tracker.example:8443 < file',
    );
    assert.deepEqual(asked.at(-1), {
      name: 'tracker-token',
      authority: 'tracker.example:8443',
      isVendors: false,
    });
  });

  it('is the secret of the bottle’s own route to the model, where it has one', () => {
    const own = { ...TRACKER, name: 'anthropic', upstream: 'https://gateway.example' };
    const lacking = needs({ providers: ['claude'] }, { routes: [own] });
    assert.ok(lacking.verdict.kind === 'lacks');
    assert.match(lacking.verdict.why, /route "anthropic" cannot be used: secret "tracker-token"/);
    const having = needs({ providers: ['claude'] }, { routes: [own], secrets: { 'tracker-token': READY } });
    assert.deepEqual(having.verdict, { kind: 'ready', provider: 'claude' });
  });
});
