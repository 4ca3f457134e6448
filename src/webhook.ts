/** The webhook as a process of its own: takes deliveries of the forge until a signal, and has no engine. */
import { enter } from './wiring/run-service.js';
import { serveWebhook } from './wiring/serve-webhook.js';

await enter(serveWebhook);
