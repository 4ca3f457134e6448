import { CONTENTS } from './contents.js';
import type { HostileCommits } from './hostile-commits.js';
import { MESSAGES } from './messages.js';
import { PACKS } from './packs.js';
import { TREES } from './trees.js';

/** Commits, trees and packs that are made to hold the orchestrator up. */
export const HOSTILE_COMMITS: readonly HostileCommits[] = [...MESSAGES, ...TREES, ...PACKS, ...CONTENTS];
