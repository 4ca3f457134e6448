/** Labels of the agents and bottles that come with the product, in the order they are made. */
export const BUILT_IN_LABELS: readonly string[] = [
  ...['claude', 'codex', 'implementer', 'opencode', 'pi'].map((name) => `bot-bottle:${name}`),
  ...['default', 'go', 'java', 'node', 'python', 'rust'].map((name) => `bot-bottle-bottle:${name}`),
];
