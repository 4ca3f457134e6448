/** The webhook as a process of its own: takes deliveries of the forge until a signal, and has no engine. */
import { enter } from './wiring/services/run-service.js';
import { serveWebhook } from './wiring/services/serve-webhook.js';

await enter(serveWebhook);
