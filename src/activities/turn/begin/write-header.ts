import { amountsOfTurn } from '../../../domain/run/budget.js';
import type { TurnBottle } from '../../../domain/bottle/bottle-setup.js';
import { leftOf } from '../../../domain/run/model-use.js';
import { uploadedBytes } from '../../../domain/egress/totals.js';
import type { HostPorts } from '../../ports/host-ports.js';
import type { RunTurnInput } from '../../ports/inputs.js';
import { readEgress } from '../egress-record.js';

/** What the sidecar reads when it starts. One that is started again in a turn gets what is left of the turn's budgets. */
export async function writeHeader(
  ports: Pick<HostPorts, 'files' | 'queue' | 'settings'>,
  input: RunTurnInput,
  { readers }: Pick<TurnBottle, 'readers'>,
): Promise<void> {
  const { slug, turn, goesOnWith, prNumber, budget } = input;
  const { owner, repo } = input.subject;
  const egress = await readEgress(ports.files, slug, turn);
  await ports.queue.writeTurnHeader(slug, {
    turn,
    ...(goesOnWith === null ? {} : { goesOnWith }),
    prNumber,
    owner,
    repo,
    budget: leftOf(budget, amountsOfTurn(egress.model?.use ?? null)),
    uploadBytes: Math.max(0, ports.settings.egressUploadBytes - uploadedBytes(egress)),
    prices: ports.settings.models.prices,
    ...(readers === null ? {} : { readers }),
  });
}
