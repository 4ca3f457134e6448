/** Values as a forge gives them, in whatever the webhook reads. */
import { z } from 'zod';
import { isCommitId, isForgeName, isForgeNumber, isOwnerName } from '../../domain/forge/issue.js';

export const ownerName = z.string().refine(isOwnerName, 'not a possible name');
export const name = z.string().refine(isForgeName, 'not a possible name');
export const forgeNumber = z.number().refine(isForgeNumber, 'not a possible number');
export const commitId = z.string().refine(isCommitId, 'not a commit');
export const id = z.number().int().nonnegative();
