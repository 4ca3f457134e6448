import { readRepositoryAgent } from '../../domain/manifest/manifest-agent.js';
import type { AgentManifest } from '../../domain/manifest/manifests.js';
import { decodeText } from './decode-text.js';
import { parseManifest } from './parse-manifest.js';

/** Anybody's who can write there, so nobody shall make us read long; an agent has little to say there. Characters. */
const MAX_FRONT_MATTER = 4 * 1024;

/**
 * An agent as a repository brings it: read like the operator's, with less to say.
 * Errors: `ManifestError`.
 * @param file name for messages
 */
export function parseRepositoryAgent(
  file: string,
  name: string,
  content: Uint8Array,
  bottles: readonly string[],
): AgentManifest {
  const document = parseManifest(file, name, decodeText(file, content), MAX_FRONT_MATTER);
  return readRepositoryAgent(document, bottles);
}
