import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import type { AnswerMeter } from '../model/answer-meter.js';
import type { BodyPlan } from './answer-body.js';

/**
 * An answer's body on its way to the client, and beside it to the meter, for which nothing waits. It is read to its end
 * whether or not the client is still there: what it costs, its provider says last.
 */
export function passMetered(
  incoming: IncomingMessage,
  { steps, isDecoded }: BodyPlan,
  response: ServerResponse,
  meter: AnswerMeter,
): void {
  const plain = isDecoded ? (steps[0] ?? incoming) : incoming;
  plain.on('data', (chunk: Buffer) => {
    meter.feed(chunk);
  });
  plain.once('end', () => meter.end('whole'));
  pipeline([incoming, ...steps], (error) => {
    if (!error) return;
    meter.end(response.destroyed ? 'left' : 'broken');
    response.destroy();
  });
  pipeOrDrain(steps.at(-1) ?? incoming, response);
}

/** To the client as long as it is there, then to nobody. */
function pipeOrDrain(answer: Readable, response: ServerResponse): void {
  const drain = (): void => {
    answer.unpipe(response);
    answer.resume();
  };
  if (response.destroyed) {
    drain();
    return;
  }
  answer.pipe(response);
  response.once('close', drain);
}
