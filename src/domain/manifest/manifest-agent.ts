import type { ManifestDocument } from './manifest-document.js';
import { mailAddress, manifestName, personName, word } from './manifest-checks.js';
import { ManifestReader } from './manifest-reader.js';
import type { AgentManifest } from './manifests.js';
import { cleanText } from '../text/untrusted-text.js';

export const DEFAULT_BOTTLE = 'default';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** `agents/<name>.md`. Errors: `ManifestError` with file and line of everything that is wrong. */
export function readAgentManifest(document: ManifestDocument): AgentManifest {
  return ManifestReader.read(document, (reader) => {
    const git = reader.section('git', (section) =>
      section.section('user', (user) => ({
        name: user.text('name', personName),
        email: user.text('email', mailAddress),
      })),
    );
    return readAgent(document, reader, git);
  });
}

/**
 * An agent that a repository brings: only bottles that the operator lists, and no
 * name of its own on commits. Errors: `ManifestError`.
 * @param bottles `FORGE_REPO_BOTTLES`
 */
export function readRepositoryAgent(document: ManifestDocument, bottles: readonly string[]): AgentManifest {
  return ManifestReader.read(document, (reader) => {
    if (reader.has('git')) reader.wrong('git', 'is not for an agent of a repository to set');
    const agent = readAgent(document, reader, undefined);
    if (!bottles.includes(agent.bottle))
      reader.wrong('bottle', `must be one of FORGE_REPO_BOTTLES: ${bottles.join(', ')}`);
    // Whoever reads the file on the forge's page must have seen all that the agent is told.
    return { ...agent, prompt: cleanText(agent.prompt).text.trim() };
  });
}

function readAgent(
  document: ManifestDocument,
  reader: ManifestReader,
  git: { readonly name: string | undefined; readonly email: string | undefined } | undefined,
): AgentManifest {
  const limits = reader.section('limits', (section) => ({
    turnTimeoutMs: section.duration('turn_timeout', SECOND, 23 * HOUR),
    watchdogMs: section.duration('watchdog', SECOND, 7 * 24 * HOUR),
  }));
  return {
    name: document.name,
    providers: readProviders(reader),
    model: reader.text('model', word) ?? null,
    variant: reader.text('variant', word) ?? null,
    limits: { turnTimeoutMs: limits?.turnTimeoutMs ?? null, watchdogMs: limits?.watchdogMs ?? null },
    bottle: reader.text('bottle', manifestName) ?? DEFAULT_BOTTLE,
    gitUser: {
      name: git?.name ?? `bot-bottle ${document.name}`,
      // RFC 2606: an address that is nobody's.
      email: git?.email ?? `${document.name}@bot-bottle.invalid`,
    },
    prompt: document.body,
  };
}

/** One name, or a list of them. What only one provider understands cannot be said of several. */
function readProviders(reader: ManifestReader): readonly string[] {
  const providers = reader.texts('provider', word) ?? [];
  if (!reader.has('provider')) reader.missing('provider');
  else if (reader.itemsOf('provider') === 0) reader.wrong('provider', 'names no provider');
  if (new Set(providers).size < providers.length) reader.wrong('provider', 'names a provider twice');
  if (providers.length > 1)
    for (const key of ['model', 'variant'])
      if (reader.has(key)) reader.wrong(key, 'belongs to one provider, and "provider" lists several');
  return providers;
}
