/** The HTTP API as a process of its own, until a signal; it has no engine. */
import { enter } from './wiring/services/run-service.js';
import { serveApi } from './wiring/services/serve-api.js';

await enter(serveApi);
