/** Every setting of this version: one table that reads the configuration, documents it and shows it. */
import { availableParallelism } from 'node:os';
import { DEFAULT_OUTPUT_TOKENS, MOST_OUTPUT_TOKENS } from '../domain/egress/model-rule.js';
import {
  durationBetween,
  filePath,
  hostPort,
  httpUrl,
  integer,
  listOf,
  matching,
  modelAddress,
  modelPrice,
  notifyUrl,
  oneOf,
  orOff,
  sizeBetween,
  usDollars,
} from './values.js';
import type { Kind } from './values.js';

export interface Setting<T> extends Kind<T> {
  /** Text that is parsed like one given by the operator; `null` when it may stay unset. */
  readonly fallback: string | null;
  /** How the documentation calls a default that is computed or absent. */
  readonly fallbackText?: string;
  readonly description: string;
  /** The value is the path of a secret, whose state is shown and never its content. */
  readonly secret?: true;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

const WHO = oneOf('collaborators', 'org', 'anyone');
const FORGE_NAME = matching('name', /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'a user or organisation name');
const LOGIN = matching(
  'login',
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?:\[bot\])?$/,
  'a user name, or an app’s such as name[bot]',
);
const REPOS = matching(
  'pattern',
  /^(?:\*|[A-Za-z0-9][A-Za-z0-9._-]{0,99}\/(?:\*|(?!\.{1,2}$|-$)[A-Za-z0-9._-]{1,100}))$/,
  'patterns like *, owner/* or owner/repo',
);
const MANIFEST = matching('name', /^[a-z0-9][a-z0-9._-]{0,62}$/, 'the name of a manifest (a-z 0-9 . _ -)');
const CODEC_KEY_ID = matching(
  'key id',
  /^[a-z0-9][a-z0-9-]{0,40}$/,
  'ids of keys (a-z 0-9 -), such as 2026-11',
);
const IMAGE = matching(
  'image',
  /^[a-z0-9][a-z0-9._/:@-]{0,254}$/,
  'an image name such as bot-bottle/bundle:dev',
);
const PROGRAM = matching(
  'path or name',
  /^(?:\/[^\p{Cc}]{1,4000}|[A-Za-z0-9][A-Za-z0-9._-]{0,62})$/u,
  'an absolute path, or the name of a program on the PATH',
);
const NETWORK = matching(
  'name',
  /^(?!host$)[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/,
  'the name of a Docker network, and never host: the bundle would reach every service of this machine',
);

const registry = (from: string, more: string) => ({
  ...listOf(httpUrl),
  fallback: null,
  fallbackText: 'none',
  description: `Where bottles with this kind of registry read packages: ${from}. ${more}`,
});

const modelUrl = (vendors: string, what: string) => ({
  ...modelAddress,
  fallback: null,
  fallbackText: `\`${vendors}\``,
  description: `Where ${what} is reached instead, such as a gateway. The key must be bound to its host: \`bot-bottle secret set <name> --host\`.`,
});

export const SETTINGS = {
  FORGE_GITEA_API: {
    ...httpUrl,
    fallback: null,
    fallbackText: 'none; needed by `up`, `worker` and `webhook`',
    description:
      'Address of the forge’s API, such as `https://git.example/api/v1`. A Forgejo’s counts as a Gitea’s.',
  },
  FORGE_ORG: {
    ...FORGE_NAME,
    fallback: 'bot-bottle',
    description: 'An issue assigned to a member of this organization is work for an agent.',
  },
  FORGE_REPOS: {
    ...listOf(REPOS),
    fallback: '*',
    description:
      'Repositories that are served: `*`, `owner/*`, `owner/repo`; separated by commas. One that is named without `*` stays served when it is renamed or transferred.',
  },
  FORGE_REPO_AGENTS: {
    ...orOff(listOf(REPOS)),
    fallback: 'off',
    description:
      'Repositories that may bring agents of their own, in `.bot-bottle/agents/` of the default branch; patterns as above.',
  },
  FORGE_REPO_BOTTLES: {
    ...listOf(MANIFEST),
    fallback: 'default',
    description: 'Bottles that agents of repositories may work in.',
  },
  FORGE_POLL_INTERVAL: {
    ...orOff(durationBetween(SECOND, DAY)),
    fallback: '60s',
    description:
      'How often the forge is asked for what no webhook reported. `off` or `0`: never. Each `owner/repo` in `FORGE_REPOS` costs one or two requests, all patterns together only a few.',
  },
  FORGE_POLL_REQUESTS: {
    ...integer(30, 10_000),
    fallback: '60',
    description: 'Most requests to the forge in one pass; what is left waits for the next.',
  },
  FORGE_TOKEN_FILE: {
    ...filePath,
    fallback: 'secrets/forge-token',
    description:
      'The token the sidecar uses: `write:issue`, `read:repository`, `read:organization`, `read:user`.',
    secret: true,
  },
  FORGE_PUBLISH_TOKEN_FILE: {
    ...filePath,
    fallback: null,
    fallbackText: 'the file of `FORGE_TOKEN_FILE`, with a warning',
    description:
      'The token that commits are pushed with. It never leaves this machine; give the sidecar another one.',
    secret: true,
  },
  FORGE_CA_FILE: {
    ...filePath,
    fallback: null,
    fallbackText: 'none',
    description: 'Additional certificate authorities (PEM) for worker, webhook, git and sidecars.',
  },
  FORGE_TRIGGER: {
    ...WHO,
    fallback: 'collaborators',
    description:
      'Who may start an agent: the person whose act completed the trigger. `collaborators` are people with write access.',
  },
  FORGE_WAKE: {
    ...WHO,
    fallback: 'collaborators',
    description: 'Whose comments and reviews reach a running agent and wake a frozen one.',
  },
  FORGE_WAKE_ON: {
    ...oneOf('comment', 'mention'),
    fallback: 'comment',
    description: 'Whether every comment wakes, or only one that mentions an assignee of the organization.',
  },
  FORGE_WAKE_IGNORE: {
    ...listOf(LOGIN),
    fallback: 'gitea-actions,forgejo-actions',
    description: 'Accounts that never wake an agent, whatever they may do: other bots. Separated by commas.',
  },
  FORGE_ACK: {
    ...oneOf('reactions', 'none'),
    fallback: 'reactions',
    description:
      'Reactions on the issue: eyes when picked up; confused when refused, or frozen as failed, blocked or out of budget. And the comment that failed checks wake a run no more.',
  },
  FORGE_PR_REVIEWER: {
    ...oneOf('trigger', 'none'),
    fallback: 'trigger',
    description: 'Whether whoever triggered is asked to review the pull request.',
  },
  FORGE_PUBLISH: {
    ...oneOf('branch', 'fork'),
    fallback: 'branch',
    description:
      'Where runs push: to branches of the repository itself, where CI runs them as its own, or to a fork in the bot’s account (Gitea and Forgejo).',
  },
  FORGE_SECRET_SCAN: {
    ...oneOf('gitleaks', 'off'),
    fallback: 'gitleaks',
    description:
      'What scans everything that is published or posted for secrets. With `off`, only this machine’s own are looked for.',
  },
  GITLEAKS: {
    ...PROGRAM,
    fallback: 'gitleaks',
    description:
      'The gitleaks program, 8.25 or newer. A name is looked for on the PATH, then where `script/bootstrap` puts it.',
  },
  FORGE_WATCHDOG_TIMEOUT: {
    ...durationBetween(SECOND, 7 * DAY),
    fallback: '30m',
    description: 'An agent that gives no sign of life for this long is stopped and frozen.',
  },
  BOTTLE_TURN_TIMEOUT: {
    ...durationBetween(SECOND, DAY - 60 * MINUTE),
    fallback: '60m',
    description: 'The longest a turn may take; time spent waiting for the operator does not count.',
  },
  BOTTLE_DONE_GRACE: {
    ...durationBetween(0, 10 * MINUTE),
    fallback: '20s',
    description: 'How long an agent that said it is done may take to exit.',
  },
  BOTTLE_HOST_SILENT: {
    ...durationBetween(SECOND, DAY),
    fallback: '2m',
    description:
      'A host whose worker takes nothing for this long is said not to answer, and a run on it may be moved.',
  },
  SUPERVISE_HOLD: {
    ...durationBetween(0, 9 * MINUTE),
    fallback: '4m',
    description:
      'How long a call of an agent that proposes a change waits for an operator; afterwards its next turn tells what came of it.',
  },
  BOTTLE_NUDGES: {
    ...integer(0, 10),
    fallback: '1',
    description: 'Extra turns for an agent that exited cleanly without saying that it is done.',
  },
  BOTTLE_BUDGET_TURNS: {
    ...integer(1, 100_000),
    fallback: '20',
    description: 'Turns that a run may take; after them it is frozen until the operator raises its budget.',
  },
  BOTTLE_BUDGET_TOKENS: {
    ...integer(1, 9_999_999_999),
    fallback: '5000000',
    description: 'Tokens that a run may use of its model, cached ones too.',
  },
  BOTTLE_BUDGET_USD: {
    ...usDollars(1_000_000),
    fallback: '20',
    description: 'US dollars that a run may cost, as the credential proxy meters it.',
  },
  BOTTLE_DAY_BUDGET_TURNS: {
    ...orOff(integer(1, 1_000_000)),
    fallback: 'off',
    description: 'Turns that all runs together may take in a day (UTC).',
  },
  BOTTLE_DAY_BUDGET_TOKENS: {
    ...orOff(integer(1, 9_999_999_999)),
    fallback: 'off',
    description: 'Tokens that all runs together may use in a day.',
  },
  BOTTLE_DAY_BUDGET_USD: {
    ...orOff(usDollars(1_000_000)),
    fallback: '100',
    description: 'US dollars that all runs together may cost in a day.',
  },
  BOTTLE_SESSION_TURNS: {
    ...integer(1, 100_000),
    fallback: '10',
    description: 'Turns after which an agent begins a fresh session, with a summary of what it did.',
  },
  BOTTLE_SESSION_TOKENS: {
    ...integer(1, 9_999_999_999),
    fallback: '3000000',
    description: 'The same, by tokens.',
  },
  BOTTLE_RESUME_LIMITED: {
    ...oneOf('true', 'false'),
    fallback: 'true',
    description: 'Whether a run that hit its provider’s usage limit continues by itself when the limit ends.',
  },
  BOTTLE_SLOTS: {
    ...integer(1, 1_000),
    fallback: String(availableParallelism()),
    fallbackText: 'number of processors',
    description: 'Turns that run at the same time on this machine; others wait.',
  },
  BOTTLE_SWEEP_INTERVAL: {
    ...orOff(durationBetween(SECOND, DAY)),
    fallback: '10m',
    description:
      'How often this machine is searched for things that no longer belong to a run. `off` or `0`: never, and frozen runs keep their containers.',
  },
  FREEZE_ARCHIVE_AFTER: {
    ...orOff(durationBetween(SECOND, 366 * DAY)),
    fallback: '7d',
    description:
      'A run that is frozen for this long gives up its containers; volumes, workspace and session stay.',
  },
  GC_KEEP: {
    ...durationBetween(DAY, 366 * DAY),
    fallback: '90d',
    description:
      'What `bot-bottle gc` leaves alone: files of runs that ended, and everything else that was used, within this time.',
  },
  BOTTLE_RUNTIME: {
    ...matching('name', /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'the name of a container runtime such as runsc'),
    fallback: null,
    fallbackText: 'the engine’s own',
    description: 'Container runtime for the agent, such as `runsc`.',
  },
  REGISTRY_NPM: registry(
    'what `npm config get registry` prints',
    'After a comma: other hosts its files come from.',
  ),
  REGISTRY_PYPI: registry(
    'what `pip config get global.index-url` prints',
    'After a comma: the host its files come from, as links of a page of the index name it.',
  ),
  REGISTRY_GO: registry(
    'what `go env GOPROXY` prints, without `,direct`',
    'After a comma: the checksum database (`go env GOSUMDB`), where the proxy does not speak for it.',
  ),
  REGISTRY_CARGO: registry(
    'the `registry` of the source in `~/.cargo/config.toml`, without `sparse+`',
    'A sparse index. After a comma: the host in `dl` of its `config.json`.',
  ),
  REGISTRY_MAVEN: registry('what `mvn help:effective-settings` prints as a mirror', 'One address.'),
  MODEL_ANTHROPIC_URL: modelUrl('https://api.anthropic.com', 'the Anthropic API'),
  MODEL_OPENAI_URL: modelUrl('https://api.openai.com', 'the OpenAI API'),
  MODEL_MAX_OUTPUT: {
    ...integer(1, MOST_OUTPUT_TOKENS),
    fallback: String(DEFAULT_OUTPUT_TOKENS),
    description:
      'Most output tokens that one request to a model may ask for; a request for more gets this many. Does not apply to a bottle’s own routes.',
  },
  MODEL_PRICES: {
    ...listOf(modelPrice),
    fallback: null,
    fallbackText: 'the vendors’ public prices',
    description:
      'What models cost, before the built-in table: `<model>=<input>:<output>[:<cache read>[:<cache write>]]`, US dollars per million tokens; a `*` at the end of the model for all that begin so. The first that fits counts.',
  },
  BOTTLE_DISK: {
    ...sizeBetween(MIB, 1024 * GIB),
    fallback: '10GiB',
    description: 'What a run may hold in its workspace and home; beyond it the turn is stopped.',
  },
  BOTTLE_INODES: {
    ...integer(100, 1_000_000_000),
    fallback: '1000000',
    description: 'How many files and directories it may hold there.',
  },
  BOTTLE_DISK_FREE: {
    ...sizeBetween(0, 1024 * GIB),
    fallback: '2GiB',
    description:
      'With less free than this where runs write, or less than a twentieth of the inodes, the turn of the run that holds most is stopped.',
  },
  BUNDLE_CALLS_PER_MINUTE: {
    ...integer(1, 100_000),
    fallback: '240',
    description: 'Calls of an agent to its sidecar in a minute; runs that exist keep theirs.',
  },
  BUNDLE_WRITES_PER_MINUTE: {
    ...integer(1, 100_000),
    fallback: '30',
    description: 'How many of them may write to the forge.',
  },
  BUNDLE_NETWORK: {
    ...NETWORK,
    fallback: 'bridge',
    description: 'Docker network of the sidecar bundle. `host` is refused.',
  },
  BUNDLE_IMAGE: {
    ...IMAGE,
    fallback: 'bot-bottle/bundle:dev',
    description: 'Image of the sidecar bundle, as `script/images` builds it.',
  },
  BUNDLE_EGRESS_UPLOAD_BYTES: {
    ...sizeBetween(0, 1024 * 1024 * MIB),
    fallback: '64MiB',
    description:
      'What an agent may send through the forward proxy in a turn; then it is closed. Routes do not count.',
  },
  TRANSCRIPT_MAX: {
    // Held in memory while it is written.
    ...sizeBetween(64 * 1024, 512 * MIB),
    fallback: '64MiB',
    description:
      'Largest snapshot of an agent’s session, kept after a turn. A larger session goes on only while its volume is there.',
  },
  WEBHOOK_SECRET_FILE: {
    ...filePath,
    fallback: 'secrets/webhook-secret',
    description: 'The secret the forge signs its deliveries with.',
    secret: true,
  },
  WEBHOOK_LISTEN: {
    ...hostPort,
    fallback: '127.0.0.1:8080',
    description: 'Where deliveries are taken.',
  },
  WEBHOOK_PUBLIC_URL: {
    ...httpUrl,
    fallback: null,
    fallbackText: '`WEBHOOK_LISTEN`, if both are on loopback',
    description: 'Where the forge reaches the webhook; `/webhooks/gitea` is added. For `forge setup`.',
  },
  WEBHOOK_MAX_BYTES: {
    ...sizeBetween(1024, 64 * MIB),
    fallback: '1MiB',
    description: 'Largest delivery; a larger one is answered with 413.',
  },
  API_LISTEN: {
    ...orOff(hostPort),
    fallback: '127.0.0.1:8085',
    description:
      'Where the HTTP API listens; requests need a token (`bot-bottle token create`). With `off`, `up` starts none. Requests by another name than this or loopback’s are refused.',
  },
  NOTIFY_COMMAND: {
    ...filePath,
    fallback: null,
    fallbackText: 'none',
    description:
      'A program that is started whenever something waits for a person: a proposal of an agent, or a run that froze. It gets JSON on its standard input, and no arguments.',
  },
  NOTIFY_WEBHOOK_URL: {
    ...notifyUrl,
    fallback: null,
    fallbackText: 'none',
    description: 'Where the same JSON is posted, signed; `https`, or `http` to this machine’s loopback.',
  },
  NOTIFY_WEBHOOK_SECRET_FILE: {
    ...filePath,
    fallback: 'secrets/notify-secret',
    description:
      'The secret that these posts are signed with (Standard Webhooks, `whsec_…`); needed with `NOTIFY_WEBHOOK_URL`.',
    secret: true,
  },
  RECONCILE_DOOR: {
    ...httpUrl,
    fallback: null,
    fallbackText: 'where `WEBHOOK_LISTEN` is on this machine',
    description: 'Where the worker finds the webhook process, such as `http://webhook:8080`.',
  },
  TEMPORAL_ADDRESS: {
    ...hostPort,
    fallback: '127.0.0.1:7233',
    description: 'The Temporal server.',
  },
  TEMPORAL_NAMESPACE: {
    ...matching('name', /^[A-Za-z0-9][A-Za-z0-9._-]{0,126}$/, 'a namespace name'),
    fallback: 'default',
    description: 'Its namespace.',
  },
  TEMPORAL_UI_PORT: {
    ...integer(1, 65_535),
    fallback: '8233',
    description: 'Port of Temporal’s web page on 127.0.0.1 when `up` starts a server.',
  },
  TEMPORAL_UI_URL: {
    ...httpUrl,
    fallback: null,
    fallbackText: 'the page of `up`’s own server',
    description:
      'Where the web page of another Temporal server is, such as `https://temporal.example`. Only its origin may ask the codec server.',
  },
  TEMPORAL_CODEC_KEYS: {
    ...orOff(listOf(CODEC_KEY_ID)),
    fallback: 'off',
    description:
      'Encrypts what Temporal keeps of runs (AES-256-GCM). The key of the id `a` is the secret `temporal-codec-a`, 32 bytes in Base64 or hex. The first one encrypts; the others are for what was written with them.',
  },
  TEMPORAL_CODEC_PORT: {
    ...integer(1, 65_535),
    fallback: '8234',
    description: 'Port of `temporal codec-server` on 127.0.0.1.',
  },
  WORKER_METRICS_LISTEN: {
    ...orOff(hostPort),
    fallback: 'off',
    description:
      'Where the worker serves `/metrics` (Prometheus), such as `127.0.0.1:9464`: what Temporal’s SDK counts. No password.',
  },
  LOG_LEVEL: {
    ...oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    fallback: 'info',
    description: 'The least important lines that are written.',
  },
} satisfies Readonly<Record<string, Setting<unknown>>>;

export type SettingName = keyof typeof SETTINGS;

/** The table as plain rows, for code that treats every setting alike. */
export const SETTING_ROWS: readonly (readonly [SettingName, Setting<unknown>])[] = Object.entries(
  SETTINGS,
) as [SettingName, Setting<unknown>][];

type ValueOf<S> = S extends Kind<infer T> ? (S extends { readonly fallback: null } ? T | null : T) : never;

/** Settings by their one name, parsed: durations in milliseconds, sizes in bytes, paths absolute. */
export type SettingValues = { readonly [K in SettingName]: ValueOf<(typeof SETTINGS)[K]> };
