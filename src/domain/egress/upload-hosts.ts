import { isAtOrBelow } from './vendors.js';

/**
 * Hosts where anybody may leave data for others to fetch: paste sites, object stores, forges, services that take messages. An
 * entry counts for all names below it. No list is whole; it is there so that an operator looks twice at the best known ones.
 */
const TAKE_UPLOADS: readonly string[] = [
  // Forges and registries
  ...['github.com', 'githubusercontent.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org', 'sr.ht'],
  ...[
    'huggingface.co',
    'npmjs.org',
    'pypi.org',
    'rubygems.org',
    'crates.io',
    'docker.io',
    'ghcr.io',
    'quay.io',
  ],
  // Object stores and clouds
  ...['amazonaws.com', 'googleapis.com', 'windows.net', 'azurewebsites.net', 'cloudfront.net'],
  ...['digitaloceanspaces.com', 'backblazeb2.com', 'wasabisys.com', 'r2.dev', 'workers.dev', 'pages.dev'],
  ...['vercel.app', 'netlify.app', 'herokuapp.com', 'firebaseio.com', 'web.app'],
  // Files and pastes
  ...[
    'dropbox.com',
    'dropboxapi.com',
    'box.com',
    'mega.nz',
    'wetransfer.com',
    'transfer.sh',
    'file.io',
    '0x0.st',
  ],
  ...[
    'pastebin.com',
    'paste.rs',
    'ix.io',
    'termbin.com',
    'hastebin.com',
    'dpaste.org',
    'rentry.co',
    'imgur.com',
  ],
  // Messages, and catchers of requests
  ...[
    'slack.com',
    'discord.com',
    'telegram.org',
    'webhook.site',
    'requestbin.com',
    'pipedream.net',
    'ngrok.io',
  ],
  ...['ngrok-free.app', 'trycloudflare.com', 'interact.sh', 'oastify.com', 'ntfy.sh', 'google.com'],
];

/** @param host lower-case, without a port; of a wildcard, what stands after `*.` */
export function takesUploads(host: string): boolean {
  return TAKE_UPLOADS.some((known) => isAtOrBelow(host, known));
}
