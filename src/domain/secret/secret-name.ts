const SECRET_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const OWN = new Set(['forge-token', 'publish-token', 'webhook-secret', 'notify-secret']);
const CODEC_KEY = 'temporal-codec-';

/** A secret's name is a file's name in `secrets/`. */
export function isSecretName(text: string): boolean {
  return SECRET_NAME.test(text);
}

/** The orchestrator's own, by their usual names: no route may send one, whatever the settings say. */
export function isOwnSecret(name: string): boolean {
  return OWN.has(name) || name.startsWith(CODEC_KEY);
}

/** The secret that is the codec's key of this id. */
export function codecSecret(keyId: string): string {
  return `${CODEC_KEY}${keyId}`;
}
