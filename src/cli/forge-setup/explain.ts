/** What to say when something is missing: every text names the place, the setting and the command. */
import { isIP } from 'node:net';
import type { ForgeHttpError } from '../../domain/base/errors.js';
import type { ListenAddress } from '../../domain/base/listen-address.js';
import { isLoopbackHost } from '../../domain/base/loopback.js';
import { nameOfTarget } from '../../domain/forge/forge-admin.js';
import type { AdminTarget } from '../../domain/forge/forge-admin.js';

const TOKEN_FILE = 'admin-token.txt';

/** What an administrator's token must be allowed: the forge's names of scopes. */
export function scopesFor(target: AdminTarget): readonly string[] {
  return target.kind === 'repo'
    ? ['write:repository', 'write:issue', 'read:organization']
    : ['write:organization', 'write:repository', 'write:issue'];
}

/** The forge refused: which token to make, with which scopes, and how to go on. */
export function explainRefusal(target: AdminTarget, error: ForgeHttpError, withAdminToken: boolean): string {
  const name = nameOfTarget(target);
  const who =
    target.kind === 'repo' ? `somebody who administers ${name}` : `an owner of the organization ${name}`;
  const said = /\(forge: (.*)\)$/s.exec(error.message)?.[1];
  const forgeSaid = said === undefined ? '' : `; the forge says: ${said}`;
  if (error.status === 401) {
    return withAdminToken
      ? `the forge does not accept the token of --admin-token-file: it is wrong, expired or revoked${forgeSaid}`
      : `the forge does not accept the bot's token: it is wrong, expired or revoked; replace it with bot-bottle secret set forge-token < file`;
  }
  if (error.status >= 300 && error.status < 400) {
    return `the forge has ${name} under another name now, or FORGE_GITEA_API is not its final address`;
  }
  if (error.status === 404) {
    return `${name} is not there, or hidden from the token's user: check the name${withAdminToken ? '' : ', and that the bot may read it'}`;
  }
  const reason = withAdminToken
    ? `the token of --admin-token-file may not change webhooks and labels of ${name}${forgeSaid}`
    : `the bot's token may not change webhooks and labels of ${name}, and need not: this takes an administrator's, once`;
  return [
    reason,
    `Make a token of ${who} (in Gitea: Settings, Applications) with the scopes ${scopesFor(target).join(', ')};`,
    `write it to a file that only you can read (umask 077), and run`,
    `  bot-bottle forge setup ${target.kind === 'repo' ? name : `--org ${name}`} --admin-token-file ${TOKEN_FILE}`,
    'It is used for this run and kept nowhere; delete it on the forge afterwards.',
  ].join('\n');
}

/** No test delivery came: what may be in its way, the likeliest first. */
export function explainSilence(
  url: string,
  listen: ListenAddress,
  watch: 'running' | 'own',
  waitedMs: number,
): string {
  const { hostname, protocol, port } = new URL(url);
  const at = `${listen.host}:${String(listen.port)}`;
  const who = watch === 'running' ? `the webhook that runs at ${at}` : `${at}, where this command listened`;
  const lines = [
    `nothing arrived at ${who}, within ${String(waitedMs / 1000)} s; the forge was told to deliver to ${url}`,
    `- Gitea calls only hosts that its app.ini allows, by default public ones: in [webhook] set ALLOWED_HOST_LIST = external, ${allowedName(hostname)} and restart Gitea`,
    isLoopbackHost(hostname)
      ? '- that address is the loopback of the machine or container that Gitea runs in: for a Gitea elsewhere set WEBHOOK_PUBLIC_URL and WEBHOOK_LISTEN'
      : `- where Gitea runs, curl -i ${url} must answer 405; between it and ${at} may stand a proxy, a firewall or a port mapping`,
  ];
  if (protocol === 'https:') {
    lines.push(
      `- Gitea must trust the certificate of ${hostname}${port === '' ? '' : `:${port}`}: put a private CA into the trust store of its machine or container; [webhook] SKIP_TLS_VERIFY = true gives the check up`,
    );
  }
  lines.push(
    "- Gitea's page of this webhook (Settings, Webhooks) shows the delivery and what went wrong",
    'A webhook is not needed: the reconciler reads the forge at FORGE_POLL_INTERVAL (every minute) without one; --no-webhook sets up the rest',
  );
  return lines.join('\n');
}

/** What `ALLOWED_HOST_LIST` calls the host: one of Gitea's words, or the host itself. */
function allowedName(hostname: string): string {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isLoopbackHost(bare)) return 'loopback';
  if (isIP(bare) === 4 && /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(bare)) return 'private';
  return isIP(bare) === 6 && /^f[cd]/i.test(bare) ? 'private' : bare;
}

/** What runs refuses what is signed with the secret that is set. */
export function explainOtherSecret(listen: ListenAddress): string {
  return (
    `the webhook that runs at ${listen.host}:${String(listen.port)} has another secret than the one that is set now: ` +
    'it belongs to another home, or the secret was changed since it was started. Restart up or webhook'
  );
}
