export interface AppIni {
  readonly dir: string;
  readonly port: number;
  readonly staticRoot: string;
  readonly secretKey: string;
  readonly runUser: string;
  /** Where people reach it, with a slash at the end; by default its own port. */
  readonly rootUrl?: string;
  /** Hosts its webhooks may call; `loopback` by default. */
  readonly allowedHosts?: string;
  /** Repositories have Actions; there is no runner. */
  readonly actions?: boolean;
}

/** Configuration of a server for tests: loopback only, no mail, no indexer, no scheduled jobs, cheap password hashes. */
export function appIni(options: AppIni): string {
  const { dir, port, staticRoot, secretKey, runUser, allowedHosts = 'loopback', actions = false } = options;
  const rootUrl = options.rootUrl ?? `http://127.0.0.1:${String(port)}/`;
  return `APP_NAME = forge
RUN_MODE = prod
RUN_USER = ${runUser}
WORK_PATH = ${dir}
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true

[server]
PROTOCOL = http
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${String(port)}
DOMAIN = 127.0.0.1
ROOT_URL = ${rootUrl}
${staticRoot === '' ? '' : `STATIC_ROOT_PATH = ${staticRoot}\n`}OFFLINE_MODE = true
DISABLE_SSH = true

[database]
DB_TYPE = sqlite3
PATH = ${dir}/gitea.db
SQLITE_JOURNAL_MODE = WAL
LOG_SQL = false

[repository]
ROOT = ${dir}/repositories
DEFAULT_BRANCH = main

[security]
INSTALL_LOCK = true
SECRET_KEY = ${secretKey}
INTERNAL_TOKEN = ${secretKey}
PASSWORD_HASH_ALGO = pbkdf2$1000$50
PASSWORD_CHECK_PWN = false
MIN_PASSWORD_LENGTH = 8

[service]
DISABLE_REGISTRATION = true
DEFAULT_KEEP_EMAIL_PRIVATE = true

[webhook]
ALLOWED_HOST_LIST = ${allowedHosts}
DELIVER_TIMEOUT = 5

[indexer]
ISSUE_INDEXER_TYPE = db

[log]
MODE = file
LEVEL = Warn
ROOT_PATH = ${dir}/log

[mailer]
ENABLED = false

[actions]
ENABLED = ${String(actions)}

[packages]
ENABLED = false

[cron]
ENABLED = false

[other]
SHOW_FOOTER_VERSION = false

[git]
DISABLE_PARTIAL_CLONE = false
HOME_PATH = ${dir}/home
`;
}
