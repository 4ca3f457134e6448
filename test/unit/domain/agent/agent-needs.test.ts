import assert from 'node:assert/strict';
import { agentProvider } from '../../../../src/adapters/agents/registry.js';
import {
  agentNeeds,
  describeProvider,
  noModelKey,
  type AgentNeeds,
  type NeedsWorld,
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
  readonly provider?: NeedsWorld['provider'];
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
  const { secrets = {}, upstreams = {}, routes = [], provider = agentProvider } = operator;
  const asked: SecretNeed[] = [];
  const world = {
    provider,
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

  it('is said of all providers, each reason once, and of routes beside them', () => {
    const unbound = (reason: string): SecretStanding => ({ kind: 'unusable', reason });
    const secrets = { 'anthropic-api-key': unbound('not bound'), 'openai-api-key': unbound('too open') };
    const why = (set: typeof secrets | undefined, ...routes: readonly Route[]): unknown => {
      const { verdict } = needs(several, { secrets: { ...set, 'tracker-token': unbound('gone') }, routes });
      return verdict.kind === 'lacks' && [verdict.why, verdict.isUnset];
    };
    // Claude and pi have the same key.
    assert.deepEqual(why(secrets), ['not bound; too open', false]);
    assert.deepEqual(why(secrets, TRACKER), [
      'not bound; too open; route "tracker" cannot be used: gone',
      false,
    ]);
    const one = needs(several, { secrets: { 'openai-api-key': unbound('too open') } }).verdict;
    assert.deepEqual(one, { kind: 'lacks', why: 'too open', isUnset: false });
  });

  it('is described in a word for each provider', () => {
    assert.equal(describeProvider({ kind: 'ready', provider: 'x', secret: null }), 'needs no key');
    const keys = { kind: 'no_key', provider: 'x', commands: ['set a', 'set b', 'set a'] } as const;
    assert.equal(describeProvider(keys), 'no model key is set: set a, or set b');
    assert.equal(describeProvider({ kind: 'unusable', provider: 'x', reason: 'not bound' }), 'not bound');
    const ready = { kind: 'ready', provider: 'y', secret: 'k' } as const;
    assert.equal(noModelKey([ready, keys]), 'no model key is set: set a, or set b');
  });

  it('is no key for a provider whose model takes none', () => {
    const access = agentProvider('pi').access(null);
    assert.ok(access !== null);
    const keyless = { ...agentProvider('pi'), access: () => ({ ...access, credentials: [] }) };
    const { providers, asked } = needs({ providers: ['pi'] }, { provider: () => keyless });
    assert.deepEqual([providers, asked], [[{ kind: 'ready', provider: 'pi', secret: null }], []]);
  });

  it('is not made up where something is broken', () => {
    const provider = (): never => {
      throw new TypeError('a bug');
    };
    assert.throws(() => needs({ providers: ['pi'] }, { provider }), /a bug/);
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

  it('is nothing for a route that sends no secret', () => {
    const open = { ...TRACKER, auth: null };
    const { verdict, asked } = needs({ providers: ['scripted'] }, { routes: [open] });
    assert.deepEqual([verdict, asked], [{ kind: 'ready', provider: 'scripted' }, []]);
  });

  it('is not the secret of a route that leads elsewhere', () => {
    const { verdict } = needs(
      { providers: ['claude'] },
      { routes: [TRACKER], secrets: { 'tracker-token': READY } },
    );
    assert.ok(verdict.kind === 'lacks' && verdict.isUnset);
    assert.match(verdict.why, /^no model key is set/);
  });

  it('is no key where the bottle’s own route to the model sends none', () => {
    const own = { ...TRACKER, name: 'anthropic', auth: null };
    const { providers } = needs({ providers: ['claude'], model: 'claude-opus-4-1' }, { routes: [own] });
    assert.deepEqual(providers, [{ kind: 'ready', provider: 'claude', secret: null }]);
  });

  it('is a model that the bottle’s own route lets through', () => {
    const model = { api: 'anthropic-messages', maxOutputTokens: 1, allow: [] } as const;
    const own = {
      ...TRACKER,
      name: 'anthropic',
      auth: null,
      model: { ...model, models: ['claude-a', 'claude-b*'] },
    };
    const ask = (name: string) => needs({ providers: ['claude'], model: name }, { routes: [own] }).verdict;
    for (const listed of ['claude-a', 'claude-b2']) assert.equal(ask(listed).kind, 'ready', listed);
    assert.deepEqual(ask('claude-c'), {
      kind: 'lacks',
      why: 'the agent\'s model "claude-c" is not among those of the route "anthropic": claude-a, claude-b*',
      isUnset: false,
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
