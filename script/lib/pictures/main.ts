/**
 * The pictures of the README, of a demo that is up.
 *
 *     main.ts <what the demo printed> <its outcome, JSON> <directory for the pictures>
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { temporalPicture } from './temporal-picture.js';
import { storyOf, terminalPage } from './terminal-page.js';

/** The README loads them each time somebody looks at it. */
const MAX_BYTES = 300_000;

const [story = '', outcome = '', to = ''] = process.argv.slice(2);
const { workflow_id: workflowId, addresses } = JSON.parse(readFileSync(outcome, 'utf8')) as {
  readonly workflow_id: string;
  readonly addresses: { readonly temporal_ui: string };
};

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? 'chromium',
  // Root has no sandbox, and both pages are this machine's own.
  args: ['--no-sandbox', '--disable-quic', '--disable-background-networking'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  const terminal = join(to, 'demo.png');
  await page.setContent(terminalPage('script/demo', storyOf(readFileSync(story, 'utf8'))));
  await page.locator('main').screenshot({ path: terminal });
  say(terminal);
  const temporal = join(to, 'temporal.png');
  await temporalPicture(page, addresses.temporal_ui, workflowId, temporal);
  say(temporal);
} finally {
  await browser.close();
}

function say(file: string): void {
  const { size } = statSync(file);
  if (size > MAX_BYTES) throw new Error(`${file} has ${String(size)} bytes, more than ${String(MAX_BYTES)}`);
  process.stdout.write(`wrote ${file}, ${String(size)} bytes\n`);
}
