/** Where the egress plane is, seen from inside the containers. */

/** Forward proxy: what `HTTP_PROXY` and `HTTPS_PROXY` name. */
export const EGRESS_SOCKET = '/run/bottle/sock/egress.sock';
export const EGRESS_PORT = 3128;
/** Credential proxy: what base URLs of providers and registries name. */
export const CREDENTIAL_SOCKET = '/run/bottle/sock/credentials.sock';
export const CREDENTIAL_PORT = 3129;

/** Read-only in the agent, what its bottle lets it do: `routes.json`, `allowlist`, `Dockerfile`. */
export const CURRENT_CONFIG_DIR = '/etc/bot-bottle/current-config';
