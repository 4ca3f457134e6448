import type { Method } from '../plane/method.js';
import { readChecks, readComments, readDiff, readIssue, readPr } from './read-methods.js';
import { openPr, postComment, signalDone, updateDescription } from './write-methods.js';

/** The sidecar's forge protocol: the one table that every transport is made from. */
export const FORGE_METHODS: readonly Method[] = [
  readIssue,
  readPr,
  readComments,
  readDiff,
  readChecks,
  postComment,
  updateDescription,
  openPr,
  signalDone,
];
