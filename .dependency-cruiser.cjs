/**
 * Who may import whom (docs/architecture.md has the same table in words). A folder's rule names what it MAY import;
 * everything else is a violation, so a new package or folder is forbidden until somebody decides.
 *
 * `import type` counts as an import here (tsPreCompilationDeps): a type of an adapter in an activity is a leak too.
 */

const DOMAIN = '^src/domain/';
/** Processes, files and errors of the operating system: what any adapter may stand on. */
const SYSTEM = '^src/adapters/system/';
const MESSAGES = '^src/workflows/messages\\.ts$';
/** The entries, and wiring/, which puts adapters and activities together. */
const ROOTS = '^src/(wiring/|[^/]+\\.ts$)';

/** A package by name, wherever node_modules is, with its types. */
const npm = (...names) =>
  names.map((name) => `(^|/)node_modules/(@types/)?${name.replace('/', '[/]').replace('.', '\\.')}/`);

/** The vendor packages of each adapter. An adapter that is not here imports the domain and Node, nothing else. */
const VENDOR = {
  docker: npm('dockerode', 'tar-stream'),
  sqlite: npm('better-sqlite3', 'kysely'),
  git: [],
  gitea: [],
  agents: [],
  files: npm('zod'),
  dsse: npm('@sigstore/core'),
  manifests: npm('yaml', 'tldts'),
  gitleaks: npm('zod'),
  temporal: [...npm('@temporalio/[a-z-]+'), MESSAGES],
  otlp: npm(
    '@opentelemetry/[a-z-]+',
    '@temporalio/interceptors-opentelemetry',
    '@temporalio/(client|worker)',
  ),
};

/** What a front (a folder that people or the forge talk to) uses beside the domain, the messages and the client. */
const FRONT = {
  webhook: npm('express', 'zod', 'prom-client'),
  api: npm('express', 'zod'),
  cli: npm('commander'),
  tui: npm('ink', 'react'),
};

/** The command line before a command is known. Who asks Temporal is not among the commands' own files. */
const CLI_FRAME = ['^src/cli\\.ts$', '^src/wiring/(cli/cli-(deps|io)|end-with|version)\\.ts$'];
const COMMANDS = '^src/cli/(?!runs/)';
const TUI = '^src/tui/';

/** Builtins that compute and touch nothing. */
const PURE_BUILTINS = '^(node:)?(crypto|path|path/posix|util|buffer|url|assert|timers/promises|events)$';

/** A folder's whole table line: what is not allowed is forbidden. */
function only(name, from, allowed, { builtins }) {
  return {
    name,
    severity: 'error',
    comment: `${from} may import only: ${allowed.join(', ')}`,
    from: { path: from },
    to: { pathNot: allowed, ...(builtins ? { dependencyTypesNot: ['core'] } : {}) },
  };
}

const adapterRules = [
  ...Object.entries(VENDOR).map(([folder, vendor]) =>
    only(
      `adapter-${folder}`,
      `^src/adapters/${folder}/`,
      [DOMAIN, SYSTEM, `^src/adapters/${folder}/`, ...vendor],
      { builtins: true },
    ),
  ),
  {
    name: 'adapter-never-a-sibling',
    severity: 'error',
    comment:
      'Adapters meet in a composition root, never in each other; system/ is the floor that they share.',
    from: { path: '^src/adapters/([^/]+)/' },
    to: { path: '^src/adapters/', pathNot: ['^src/adapters/$1/', SYSTEM] },
  },
  {
    name: 'sql-in-its-adapter',
    severity: 'error',
    comment:
      'Which database there is, and how it is asked, is known in one place: not even a composition root does.',
    from: { path: '^src/', pathNot: '^src/adapters/sqlite/' },
    to: { path: npm('better-sqlite3', 'kysely') },
  },
  {
    name: 'adapter-without-vendor',
    severity: 'error',
    comment: 'An adapter with no packages listed above has the domain and Node only.',
    from: {
      path: '^src/adapters/',
      pathNot: Object.keys(VENDOR).map((folder) => `^src/adapters/${folder}/`),
    },
    to: { pathNot: [DOMAIN, '^src/adapters/'], dependencyTypesNot: ['core'] },
  },
];

/** The dashboard and the API stand on what the commands ask of the orchestrator and read of its logs. */
const BESIDE = { tui: ['^src/cli/base/'], api: ['^src/cli/(base|logs)/'] };

const frontRules = Object.entries(FRONT).map(([folder, libraries]) =>
  only(
    `front-${folder}`,
    `^src/${folder}/`,
    [
      DOMAIN,
      MESSAGES,
      `^src/${folder}/`,
      ...npm('@temporalio/client', '@temporalio/common'),
      ...libraries,
      ...(BESIDE[folder] ?? []),
    ],
    { builtins: true },
  ),
);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    only('domain-only-itself', '^src/domain/(?!provenance/)', [DOMAIN], { builtins: false }),
    // What is hashed is part of the record's format. Nothing of it runs in a workflow.
    only(
      'provenance-hashes',
      '^src/domain/provenance/',
      [DOMAIN, ...npm('canonicalize'), '^(node:)?crypto$'],
      { builtins: false },
    ),

    only(
      'workflows-are-deterministic',
      '^src/workflows/(?!interceptors/traces\\.ts$)',
      [DOMAIN, '^src/workflows/', '^src/activities/', ...npm('@temporalio/workflow', '@temporalio/common')],
      { builtins: false },
    ),
    only(
      'trace-interceptors',
      '^src/workflows/interceptors/traces\\.ts$',
      npm('@temporalio/(workflow|common)', '@temporalio/interceptors-opentelemetry', '@opentelemetry/api'),
      { builtins: false },
    ),
    {
      name: 'workflows-see-activity-types-only',
      severity: 'error',
      comment: 'A workflow that imports an activity runs it inside the sandbox.',
      from: { path: '^src/workflows/' },
      to: { path: '^src/activities/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'workflows-are-private',
      severity: 'error',
      comment:
        'Only messages.ts is for others; composition roots and the builder of the workflow bundle excepted.',
      from: { path: '^src/', pathNot: ['^src/workflows/', '^src/adapters/temporal/', ROOTS] },
      to: { path: '^src/workflows/', pathNot: MESSAGES },
    },

    only(
      'activities-over-ports',
      '^src/activities/',
      [
        DOMAIN,
        '^src/activities/',
        MESSAGES,
        ...npm('@temporalio/activity', '@temporalio/common', 'tar-stream'),
        PURE_BUILTINS,
      ],
      { builtins: false },
    ),

    ...adapterRules,

    only('bundle-over-ports', '^src/bundle/', [DOMAIN, '^src/bundle/'], { builtins: true }),
    {
      name: 'bundle-holds-nothing-of-the-host',
      severity: 'error',
      comment:
        'The bundle may be taken over by what it parses: no Temporal, no Docker, no SQLite, no adapter but a forge’s.',
      from: { path: '^src/bundle(\\.ts$|/)' },
      to: {
        path: [
          ...npm('@temporalio/[a-z-]+', 'dockerode', 'better-sqlite3', 'kysely'),
          '^src/adapters/(?!gitea/)',
        ],
        reachable: true,
      },
    },

    ...frontRules,
    {
      name: 'webhook-process-has-no-engine',
      severity: 'error',
      comment: 'Only the worker has the Docker socket and runs workflows and activities.',
      from: { path: '^src/webhook(\\.ts$|/)' },
      to: {
        path: [...npm('dockerode', '@temporalio/worker'), '^src/(adapters/docker|activities)/'],
        reachable: true,
      },
    },
    {
      name: 'commands-load-late',
      severity: 'error',
      comment:
        'What a command needs is an import() in cli-deps.ts: `bot-bottle --help` waits for none of it.',
      from: { path: [...CLI_FRAME, COMMANDS] },
      to: {
        pathNot: [...CLI_FRAME, COMMANDS, DOMAIN, ...npm('commander')],
        dependencyTypesNot: ['core', 'dynamic-import', 'type-only'],
      },
    },

    {
      name: 'dashboard-loads-by-itself',
      severity: 'error',
      comment: 'Its libraries are large: only the command that shows it may load it, and late.',
      from: { path: '^src/', pathNot: TUI },
      to: { path: TUI, dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },

    only('config-and-log-stand-alone', '^src/config/', [DOMAIN, '^src/config/', ...npm('yaml', 'pino')], {
      builtins: true,
    }),
    {
      name: 'roots-are-roots',
      severity: 'error',
      comment: 'Nothing imports a composition root, nor config/ except a root: what is in them is passed in.',
      from: { path: '^src/', pathNot: [ROOTS, '^src/config/'] },
      to: { path: '^src/([^/]+\\.ts$|wiring/|config/)' },
    },

    {
      name: 'no-circular',
      severity: 'error',
      comment: 'Files that need each other are one file, or a third one is missing.',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'Nothing uses it and it uses nothing.',
      from: { orphan: true, path: '^src/', pathNot: [ROOTS, '\\.d\\.ts$'] },
      to: {},
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      comment: 'An import that cannot be followed cannot be judged either.',
      from: { path: '^src/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'no-dev-packages',
      severity: 'error',
      comment: 'What runs must not import what only development installs.',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'types', 'default'],
      mainFields: ['module', 'main', 'types', 'typings'],
    },
  },
};
