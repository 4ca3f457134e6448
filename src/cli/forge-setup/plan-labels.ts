import type { Label, NewLabel } from '../../domain/forge/forge-admin.js';
import { AGENT_LABEL_PREFIX, BOTTLE_LABEL_PREFIX, MANIFEST_KEY } from '../../domain/forge/trigger.js';

const AGENT_COLOR = '#5319e7';
const BOTTLE_COLOR = '#006b75';

/** A label for each agent and each bottle. */
export function wantedLabels(agents: readonly string[], bottles: readonly string[]): NewLabel[] {
  return [
    ...agents.map((name) => ({
      name: AGENT_LABEL_PREFIX + name,
      color: AGENT_COLOR,
      description: `Have the agent ${name} work on this, once it is assigned to the bot`,
    })),
    ...bottles.map((name) => ({
      name: BOTTLE_LABEL_PREFIX + name,
      color: BOTTLE_COLOR,
      description: `Run the agent in the bottle ${name}`,
    })),
  ];
}

export interface LabelPlan {
  readonly create: readonly NewLabel[];
  readonly present: readonly string[];
  /** The organization has them, for all its repositories. */
  readonly inherited: readonly string[];
}

/** Labels that are there stay as they are: colour and description belong to whoever set them. */
export function planLabels(
  wanted: readonly NewLabel[],
  own: readonly Label[],
  inherited: readonly Label[],
): LabelPlan {
  const names = (labels: readonly Label[]): Set<string> => new Set(labels.map(({ name }) => name));
  const [here, above] = [names(own), names(inherited)];
  return {
    create: wanted.filter(({ name }) => !here.has(name) && !above.has(name)),
    present: wanted.map(({ name }) => name).filter((name) => here.has(name)),
    inherited: wanted.map(({ name }) => name).filter((name) => !here.has(name) && above.has(name)),
  };
}

/** Labels that mean something to the product, whether or not their manifest is still there. */
export function ownLabels(labels: readonly Label[]): Label[] {
  return labels.filter(({ name }) => {
    const prefix = [AGENT_LABEL_PREFIX, BOTTLE_LABEL_PREFIX].find((known) => name.startsWith(known));
    return prefix !== undefined && MANIFEST_KEY.test(name.slice(prefix.length));
  });
}
