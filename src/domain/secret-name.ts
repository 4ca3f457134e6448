const SECRET_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const OWN = new Set(['forge-token', 'publish-token', 'webhook-secret']);

/** A secret's name is a file's name in `secrets/`. */
export function isSecretName(text: string): boolean {
  return SECRET_NAME.test(text);
}

/** The orchestrator's own, by their usual names: no route may send one, whatever the settings say. */
export function isOwnSecret(name: string): boolean {
  return OWN.has(name);
}
