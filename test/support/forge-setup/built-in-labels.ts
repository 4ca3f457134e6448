/** Labels that are made where every model's key is set, in the order they are made. */
export const BUILT_IN_LABELS: readonly string[] = [
  ...['claude', 'codex', 'implementer', 'opencode', 'pi'].map((name) => `bot-bottle:${name}`),
  ...['default', 'go', 'java', 'node', 'python', 'rust'].map((name) => `bot-bottle-bottle:${name}`),
];

/** The stand-in of demos and tests is offered to nobody. */
export const STAND_IN_LABEL = 'bot-bottle:demo';
