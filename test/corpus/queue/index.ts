import { CONTENTS } from './contents.js';
import { NAMES } from './names.js';
import { PLACES } from './places.js';
import type { QueueCase } from './queue-case.js';

/** What a sidecar that was taken over leaves in its queue. */
export const HOSTILE_QUEUES: readonly QueueCase[] = [...PLACES, ...NAMES, ...CONTENTS];
