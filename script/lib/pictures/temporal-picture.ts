/** Temporal's page of a run that is over: its head and its timeline, in the order in which things happened. */
import type { Page } from 'playwright-core';

/** How long a part of the page may take to appear, milliseconds. */
const PATIENCE_MS = 30_000;
/** Tall enough for all of it: what is outside of the window is not drawn. */
const WINDOW = { width: 1400, height: 2400 };
const MARGIN = 24;
/** Of the graph: what stays empty below its last line. */
const EMPTY = 60;

/** Waits for what has to be there; the page polls, so it never gets idle. */
export async function temporalPicture(
  page: Page,
  ui: string,
  workflowId: string,
  file: string,
): Promise<void> {
  page.setDefaultTimeout(PATIENCE_MS);
  await page.setViewportSize(WINDOW);
  await page.goto(`${ui}/namespaces/default/workflows/${encodeURIComponent(workflowId)}`, {
    waitUntil: 'domcontentloaded',
  });
  await page.getByText('Completed').filter({ visible: true }).first().waitFor();
  await page.getByRole('button', { name: 'Descending' }).click();
  await page.getByRole('button', { name: 'Ascending' }).waitFor();
  // The run's input is long, and says nothing about what happened.
  await page.addStyleTag({ content: '[data-testid="input-and-result"] { display: none !important; }' });
  const graph = page.locator('#event-history-timeline-graph');
  await graph.getByText('launchBottle').waitFor();
  await graph.getByText('rehydrateBottle').waitFor();
  await page.mouse.move(0, 0);
  const head = await page.getByRole('heading', { name: workflowId }).boundingBox();
  const body = await graph.boundingBox();
  if (head === null || body === null) throw new Error('Temporal’s page has no title or no timeline');
  // Below the way back, which is not cut in two.
  const [x, y] = [body.x - MARGIN, head.y - MARGIN / 4];
  await page.screenshot({
    path: file,
    clip: { x, y, width: body.width + 2 * MARGIN, height: body.y + body.height - EMPTY - y },
    animations: 'disabled',
  });
}
