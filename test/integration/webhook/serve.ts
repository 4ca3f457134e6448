/** Child process of the crash test: the real door; says its port on standard output and runs until it is killed. */
import { startWebhook } from '../../support/webhook/start-webhook.js';

const [inboxFile = ''] = process.argv.slice(2);
const webhook = await startWebhook({ inboxFile });
process.stdout.write(`${String(webhook.listening.port)}\n`);
