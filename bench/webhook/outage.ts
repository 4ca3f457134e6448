/**
 * How long the webhook takes to answer while Temporal is away: it runs as its own process, as in production, a real
 * forge's own deliveries come at a fixed rate, and no Temporal server answers until the last of them is accepted. Then
 * one is started, and the figure counts only if everything that was accepted reaches its workflow.
 */
import type { SignedDelivery } from '../../test/support/deliveries/signed-delivery.js';
import { Stack } from '../../test/support/stack/stack.js';
import { cleaningUp } from '../base/clean-up.js';
import { withDevServer } from '../base/dev-server.js';
import { plainFigure, short, type Figure } from '../base/figure.js';
import { SECRET, startServer } from './ingest.js';
import { percentile, spread } from '../base/interleave.js';
import { untilApplied } from './outage-applied.js';
import { makeLoad } from './outage-load.js';
import { postAtRate, signedAnew, type PacedPosts } from './paced-posts.js';
import { withWebhook } from '../base/with-service.js';

const PER_SECOND = 50;
const OUTAGE_SECONDS = 30;
const WARM_UP_SECONDS = 1;
const FLOOR_SECONDS = 10;

export async function outageFigure(): Promise<Figure> {
  const stack = await Stack.prepare();
  return cleaningUp(
    () => stack.remove(),
    async () => {
      const load = await makeLoad(stack, {
        warmUp: PER_SECOND * WARM_UP_SECONDS,
        measured: PER_SECOND * OUTAGE_SECONDS,
      });
      const floor = await rawExpress(load.deliveries.slice(0, PER_SECOND * FLOOR_SECONDS));
      return withWebhook(stack, async () => {
        await temporalIsAway(stack);
        const warmUp = allAccepted(await postAtRate(stack.webhookUrl, load.warmUp, PER_SECOND));
        const posts = allAccepted(await postAtRate(stack.webhookUrl, load.deliveries, PER_SECOND));
        await temporalIsAway(stack);
        const applied = await withDevServer(
          (client) => untilApplied(stack.home, load, client),
          Number(new URL(`http://${stack.temporalAddress}`).port),
        );
        return plainFigure([percentile(posts.answerMs, 0.99)], {
          goal: 50,
          unit: 'ms',
          better: 'less',
          notes: [
            `${String(posts.answerMs.length)} deliveries, ${String(PER_SECOND)} a second: ${spread(posts.answerMs)}; the client was at most ${short(posts.mostLateMs)} ms late`,
            `raw express at the same rate, ${String(FLOOR_SECONDS)} s: ${spread(floor.answerMs)}; the client was at most ${short(floor.mostLateMs)} ms late`,
            `the first second of the webhook's process, not counted: ${spread(warmUp.answerMs)}`,
            ...applied,
          ],
        });
      });
    },
  );
}

/** By the webhook's own word: it is no outage otherwise. */
async function temporalIsAway(stack: Stack): Promise<void> {
  const answer = await fetch(new URL('/readyz', stack.webhookUrl));
  const { temporal } = (await answer.json()) as { readonly temporal?: unknown };
  if (temporal !== 'unreachable') throw new Error(`the webhook says that Temporal is ${String(temporal)}`);
}

function allAccepted(posts: PacedPosts): PacedPosts {
  const refused = posts.answers.filter(({ status }) => status !== 202);
  const [first] = refused;
  if (first === undefined) return posts;
  throw new Error(
    `${String(refused.length)} deliveries were not accepted, such as with ${String(first.status)} ${first.text}`,
  );
}

/** The same bodies at the same rate to a server that only verifies signatures. */
async function rawExpress(deliveries: readonly SignedDelivery[]): Promise<PacedPosts> {
  const express = startServer('express', '');
  return cleaningUp(
    () => express.stop(),
    async () => {
      const url = `http://127.0.0.1:${String(await express.port)}/webhooks/gitea`;
      const signed = deliveries.map((delivery) => signedAnew(delivery, SECRET));
      return allAccepted(await postAtRate(url, signed, PER_SECOND));
    },
  );
}
