import { amountsOfTurn } from '../../../domain/run/budget.js';
import type { TurnBottle } from '../../../domain/bottle/bottle-setup.js';
import { leftOf } from '../../../domain/run/model-use.js';
import type { HostPorts } from '../../ports/host-ports.js';
import type { RunTurnInput } from '../../ports/inputs.js';
import { readEgress } from '../egress-record.js';

/** What the sidecar reads when it starts. One that is started again in a turn gets what is left of the turn's budget. */
export async function writeHeader(
  ports: Pick<HostPorts, 'files' | 'queue' | 'settings'>,
  input: RunTurnInput,
  { readers }: Pick<TurnBottle, 'readers'>,
): Promise<void> {
  const { slug, turn, goesOnWith, prNumber, budget } = input;
  const { owner, repo } = input.subject;
  const { model } = await readEgress(ports.files, slug, turn);
  await ports.queue.writeTurnHeader(slug, {
    turn,
    ...(goesOnWith === null ? {} : { goesOnWith }),
    prNumber,
    owner,
    repo,
    budget: leftOf(budget, amountsOfTurn(model?.use ?? null)),
    prices: ports.settings.models.prices,
    ...(readers === null ? {} : { readers }),
  });
}
