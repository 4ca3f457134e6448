import { SETTING_ROWS } from '../../../src/config/settings.js';
import type { Setting } from '../../../src/config/settings.js';

/** `docs/configuration.md`, whole: `npm run docs:config` writes it, a test compares it. */
export function configurationMarkdown(): string {
  const rows = SETTING_ROWS.map(
    ([name, setting]) =>
      `| \`${name}\` | ${setting.type} | ${fallbackText(setting)} | ${setting.description}${setting.secret ? ' A secret’s file, mode 0600.' : ''} |`,
  );
  return `# Configuration

<!-- Generated from src/config/settings.ts by \`npm run docs:config\`. Don't edit. -->

Settings stand in \`$BOT_BOTTLE_HOME/config.yaml\`, one \`NAME: value\` a line, or in the environment under the same
name; the environment wins. A name that isn't in this table is an error that names its line. \`bot-bottle config show\`
prints what is in effect and where each value comes from. The file is YAML, so a lone star is quoted: \`FORGE_REPOS: '*'\`.

\`BOT_BOTTLE_HOME\` itself comes from the environment only (default \`~/.bot-bottle\`). It is made with mode 0700 and
refused when others can write it.

Durations have a unit: \`500ms\`, \`20s\`, \`30m\`, \`2h\`, \`7d\`. Sizes: \`1048576\`, \`64KiB\`, \`1MiB\`. Relative paths
start at \`$BOT_BOTTLE_HOME\`.

| setting | type | default | what it does |
| --- | --- | --- | --- |
${rows.join('\n')}

Secrets are files that nobody else may read, never values of a setting:
\`bot-bottle secret set <name> < file\` writes \`secrets/<name>\`, mode 0600. An error names a setting, never its value.
`;
}

function fallbackText(setting: Setting<unknown>): string {
  return setting.fallbackText ?? `\`${setting.fallback ?? ''}\``;
}
