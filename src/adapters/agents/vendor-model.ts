import type { ModelAccess } from '../../domain/agent/agent-provider.js';
import { isListedModel } from '../../domain/egress/model-rule.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import { isModelName } from './launch-checks.js';
import { ANTHROPIC, OPENAI } from './model-vendors.js';

/** A model of one of the vendors, for CLIs that know both and call them as their routes are called. */
export interface VendorModel {
  /** The vendor's name of it; `null` for the CLI's own choice. */
  readonly id: string | null;
  readonly access: ModelAccess;
}

/**
 * What an agent's `model` means: `anthropic/claude-…`, `openai/gpt-…`, or without the vendor; Anthropic's where there is
 * none. Errors: `InvalidInputError` for a model that neither route lets through.
 */
export function vendorModel(provider: string, model: string | null): VendorModel {
  if (model === null) return { id: null, access: ANTHROPIC };
  for (const access of [ANTHROPIC, OPENAI]) {
    const id = model.startsWith(`${access.route}/`) ? model.slice(access.route.length + 1) : model;
    if (isModelName(id) && isListedModel(access.rule, id)) return { id, access };
  }
  const known = [...ANTHROPIC.rule.models, ...OPENAI.rule.models].join(', ');
  throw new InvalidInputError(
    `provider ${provider} has no model ${model}: it takes anthropic/<model> and openai/<model> with ${known}`,
  );
}
