import type { AgentAnswer, AgentRequest } from '../../domain/agent/agents.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { HomePorts } from '../ports/home-ports.js';
import type { PrepareTurnInput } from '../ports/inputs.js';

/**
 * The agent of a turn, on the provider that the run began with. Errors: as `Agents.find`; `InvalidInputError` with the reason
 * where it is refused after the first turn.
 */
export async function findAgent(
  ports: HomePorts,
  input: PrepareTurnInput,
  request: Omit<AgentRequest, 'before'>,
): Promise<AgentAnswer> {
  const found = await ports.agents.find({ ...request, before: await providerBefore(ports, input) });
  // What a run lacks halfway is a failure that any event tries again, not a trigger that is gone.
  if (found.kind === 'refused' && input.turn > 1) throw new InvalidInputError(found.reason);
  return found;
}

/** Provider of the run's last turn; `null` at the first. */
async function providerBefore(
  { database }: HomePorts,
  { slug, turn }: PrepareTurnInput,
): Promise<string | null> {
  const begun = (await database.runs.turns(slug))
    .filter((row) => row.event === 'begun' && row.turn < turn)
    .at(-1);
  const provider = begun?.detail['provider'];
  return typeof provider === 'string' ? provider : null;
}
