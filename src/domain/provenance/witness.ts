/** Whose word a field of the record is. The signature says that it was recorded, not that it is true. */
import type { RecordSource, RunRecord } from './record.js';

/** `observed`: the worker's. `bundle`: the sidecar's, which runs beside the agent. `agent`: what that says of itself, or asks for. */
export type Witness = 'observed' | 'bundle' | 'agent';

/** By column, and in the `detail` of a turn by its fields. Each column and field that is not named was observed. */
export const WITNESSES: Readonly<Record<RecordSource, Readonly<Record<string, Witness>>>> = {
  run: {},
  turn: {
    'detail.done': 'agent',
    'detail.agent': 'agent',
    'detail.sessionId': 'agent',
    'detail.model': 'bundle',
    'detail.egress': 'bundle',
    'detail.egressRef': 'bundle',
    'detail.offers': 'bundle',
    'detail.operationsRef': 'bundle',
    'detail.lastCheckinAt': 'bundle',
  },
  operation: {
    id: 'bundle',
    at: 'bundle',
    operation: 'bundle',
    target: 'bundle',
    outcome: 'bundle',
    text: 'bundle',
  },
  operatorCommand: {},
  proposal: { tool: 'agent', ref: 'agent' },
  proposalDecision: {},
};

/** As it is given to others. */
export interface MarkedRecord extends RunRecord {
  readonly witnesses: typeof WITNESSES;
}

export function markedRecord(record: RunRecord): MarkedRecord {
  return { ...record, witnesses: WITNESSES };
}
