/** Composition of `agents` and `bottles`: the manifests, and what they lead to. */
import { routeAddress } from '../domain/egress/agent-env.js';
import { agentProvider } from '../adapters/agents/registry.js';
import type { ManifestDirectory } from '../adapters/manifests/manifest-directory.js';
import type {
  ListedManifest,
  ManifestFinding,
  ManifestKind,
  ManifestLibrary,
  PlayedBy,
  ShownManifest,
} from '../cli/manifests/library.js';
import { describeProvider, routeProblem, type NeedsWorld } from '../domain/agent/agent-needs.js';
import type { AgentStanding } from '../domain/agent/agent-standing.js';
import { InvalidInputError } from '../domain/base/errors.js';
import { lineOfKey, type ManifestDocument } from '../domain/manifest/manifest-document.js';
import { mergeBottleLayers, requireDistinctRoutes } from '../domain/manifest/manifest-merge.js';
import { agentValues, bottleValues, linesOfRoute } from '../domain/manifest/manifest-view.js';
import type { AgentManifest } from '../domain/manifest/manifests.js';
import { standingOfAgent } from './agent-standings.js';

export function manifestLibrary(directory: ManifestDirectory, world: NeedsWorld): ManifestLibrary {
  return {
    list: async (kind) => {
      const names = await directory.names(kind);
      return Promise.all(names.map((name) => listed(directory, world, kind, name)));
    },
    show: (kind, names) =>
      kind === 'agents' ? showAgent(directory, world, names) : showBottle(directory, names),
    check: (kind, name) =>
      orProblems(() =>
        kind === 'agents' ? checkAgent(directory, world, name) : checkBottle(directory, world, name),
      ),
    misnamed: async (kind) =>
      (await directory.misnamed(kind)).map((file) =>
        problem(`${file}:1: no manifest can have this name (a-z 0-9 . _ -): rename the file`),
      ),
  };
}

async function listed(
  directory: ManifestDirectory,
  world: NeedsWorld,
  kind: ManifestKind,
  name: string,
): Promise<ListedManifest> {
  try {
    const file = (await directory.document(kind, name))?.file ?? null;
    if (kind === 'agents') {
      const agent = await directory.agent(name);
      const about = `${agent?.providers.join('|') ?? '-'}, ${agent?.bottle ?? '-'}`;
      const now = playedBy(await standingOfAgent(directory, world, name));
      return { name, file, about, now, problem: null };
    }
    const own = (await directory.layers([name]))?.at(-1)?.layer;
    return { name, file, about: own?.extends.join(', ') ?? '', now: null, problem: null };
  } catch (error) {
    if (error instanceof InvalidInputError)
      return { name, file: null, about: '', now: null, problem: error.message };
    throw error;
  }
}

function playedBy({ verdict, providers }: AgentStanding): PlayedBy {
  if (verdict.kind !== 'ready') return { provider: null, why: verdict.why };
  const chosen = providers.find(({ provider }) => provider === verdict.provider);
  return { provider: verdict.provider, why: chosen === undefined ? '' : describeProvider(chosen) };
}

async function showAgent(
  directory: ManifestDirectory,
  world: NeedsWorld,
  [name = '']: readonly string[],
): Promise<ShownManifest | undefined> {
  const [agent, document] = [await directory.agent(name), await directory.document('agents', name)];
  if (agent === undefined || document === undefined) return undefined;
  const layers = [{ name, file: document.file }];
  const now = playedBy(await standingOfAgent(directory, world, name));
  return { name, layers, values: agentValues(agent, document), now, body: document.body };
}

async function showBottle(
  directory: ManifestDirectory,
  names: readonly string[],
): Promise<ShownManifest | undefined> {
  const layers = await directory.layers(names);
  if (layers === undefined) return undefined;
  const name = names.join('+');
  const documents = layers.map(({ document }) => document);
  return {
    name,
    layers: documents.map(({ name: layer, file }) => ({ name: layer, file })),
    values: bottleValues(mergeBottleLayers(layers.map(({ layer }) => layer)), documents),
    now: null,
    body: documents.at(-1)?.body ?? '',
  };
}

async function checkAgent(
  directory: ManifestDirectory,
  world: NeedsWorld,
  name: string,
): Promise<ManifestFinding[] | undefined> {
  const [agent, document] = [await directory.agent(name), await directory.document('agents', name)];
  if (agent === undefined || document === undefined) return undefined;
  const problems = [
    ...agent.providers.flatMap((provider) => providerProblems(provider, agent, document)),
    ...(await bottleProblems(directory, agent, document)),
  ];
  if (problems.length > 0) return problems;
  const { verdict } = await standingOfAgent(directory, world, name);
  if (verdict.kind === 'ready') return [];
  return [{ level: 'warning', message: `${place(document, 'provider')}: cannot run: ${verdict.why}` }];
}

/** The provider is asked for a command line, so that it says itself what it does not take. */
function providerProblems(
  name: string,
  { model, variant }: AgentManifest,
  document: ManifestDocument,
): ManifestFinding[] {
  let at = 'provider';
  try {
    const provider = agentProvider(name);
    const sessionId = provider.newSessionId('check');
    at = model !== null ? 'model' : 'variant';
    const access = provider.access(model);
    const modelUrl = access === null ? null : routeAddress({ name: access.route });
    provider.launch({ sessionId, resume: false, model, variant: null, modelUrl });
    at = 'variant';
    provider.launch({ sessionId, resume: false, model, variant, modelUrl });
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return [problem(`${place(document, at)}: ${error.message}`)];
  }
}

async function bottleProblems(
  directory: ManifestDirectory,
  { bottle }: AgentManifest,
  document: ManifestDocument,
): Promise<ManifestFinding[]> {
  const at = place(document, 'bottle');
  try {
    if ((await directory.bottle([bottle])) !== undefined) return [];
    return [problem(`${at}: "bottle" names "${bottle}", and there is no such bottle`)];
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return [
      problem(`${at}: "bottle" names "${bottle}", which cannot be used: bot-bottle bottles check ${bottle}`),
    ];
  }
}

async function checkBottle(
  directory: ManifestDirectory,
  world: NeedsWorld,
  name: string,
): Promise<ManifestFinding[] | undefined> {
  const layers = await directory.layers([name]);
  if (layers === undefined) return undefined;
  const bottle = mergeBottleLayers(layers.map(({ layer }) => layer));
  requireDistinctRoutes(bottle, layers);
  const documents = layers.map(({ document }) => document);
  return bottle.routes.flatMap((route): ManifestFinding[] => {
    const lack = routeProblem(world, route);
    if (lack === null) return [];
    const [at = ''] = linesOfRoute(documents, route.name).slice(-1);
    return [{ level: 'warning', message: `${at}: ${lack}` }];
  });
}

async function orProblems(
  look: () => Promise<ManifestFinding[] | undefined>,
): Promise<ManifestFinding[] | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message.split('\n').map(problem);
    throw error;
  }
}

function problem(message: string): ManifestFinding {
  return { level: 'problem', message };
}

function place(document: ManifestDocument, key: string): string {
  return `${document.file}:${String(lineOfKey(document, [key]) ?? document.entries[0]?.line ?? 1)}`;
}
