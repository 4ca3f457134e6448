/** The worker as a process of its own: workflows, turns, containers, until a signal. */
import { enter } from './wiring/run-service.js';
import { serveWorker } from './wiring/serve-worker.js';

await enter(serveWorker);
