/** The worker as a process of its own: workflows, turns, containers, until a signal. */
import { enter } from './wiring/services/run-service.js';
import { serveWorker } from './wiring/services/serve-worker.js';

await enter(serveWorker);
