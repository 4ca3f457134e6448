import type { ReportedUse, StreamSummary } from '../../domain/agent/agent-stream.js';
import { reportedOfTurn } from '../../domain/agent/reported-use.js';
import { CONTAINER_GONE, type AgentReport } from '../../domain/run/turn.js';
import type { TurnRecord } from '../../domain/run/run-files.js';
import { recordBefore } from '../base/record-before.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import type { TurnJournal } from './turn-journal.js';

/** What the agent's output amounted to, for the workflow; what it printed of its use is noted for the turn after. */
export async function agentReport(
  ports: Pick<HostPorts, 'files' | 'blobs'>,
  input: RunTurnInput,
  journal: TurnJournal,
  summary: StreamSummary,
): Promise<AgentReport> {
  const { outcome, error, reported, toolCalls, denials } = summary;
  if (reported !== null) journal.observe({ reported: reported.use });
  const before = reported === null ? null : await reportedBefore(ports, input, journal.record.sessionId);
  return {
    outcome,
    errorRef: error === '' ? null : await ports.blobs.put(error),
    reported: reported === null ? null : reportedOfTurn(reported, before),
    toolCalls,
    denials,
  };
}

/**
 * The session that the next turn goes on with. A CLI may be told the id of a new one and be ended before it begins it: it would
 * not know it then, and a turn would come to nothing.
 */
export function sessionOf(
  input: Pick<RunTurnInput, 'sessionId'>,
  { sessionId, done, setAside }: TurnRecord,
  { sessionId: printed }: Pick<StreamSummary, 'sessionId'>,
  exitCode: number,
): string | null {
  const isThere = input.sessionId !== null || printed !== null || done !== null;
  // An output that nobody reads, or that went with its container, may have told of it.
  const isUnread = setAside !== null || exitCode === CONTAINER_GONE;
  return isThere || isUnread ? sessionId : null;
}

/** By the latest turn of the same session that printed anything. */
async function reportedBefore(
  { files }: Pick<HostPorts, 'files'>,
  input: RunTurnInput,
  sessionId: string | null,
): Promise<ReportedUse | null> {
  if (sessionId === null) return null;
  const isOther = (record: TurnRecord): boolean => record.sessionId !== sessionId;
  const before = await recordBefore(files, input, (record) => isOther(record) || record.reported !== null);
  return before === undefined || isOther(before) ? null : before.reported;
}
