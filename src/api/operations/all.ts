import type { Operation } from '../base/operation.js';
import { COMMAND_OPERATIONS } from './commands.js';
import { PROPOSAL_OPERATIONS } from './proposals.js';
import { RECORD_OPERATIONS } from './record.js';
import { RUN_OPERATIONS } from './runs.js';
import { STREAMS } from './streams.js';

export const OPERATIONS: readonly Operation[] = [
  ...RUN_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...PROPOSAL_OPERATIONS,
  ...COMMAND_OPERATIONS,
  ...STREAMS,
];
