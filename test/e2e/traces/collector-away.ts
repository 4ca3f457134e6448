import assert from 'node:assert/strict';
import { once } from 'node:events';
import { freePort } from '../../support/ports/free-port.js';
import { waitUntil } from '../../support/stack/stack.js';
import { tracedStack, WORK } from './stack.js';

describe('traces that nobody takes', function () {
  this.timeout(240_000);
  const { stack, open } = tracedStack();

  it('hold up no run and no stop when the collector is away, which is told once a process', async () => {
    const before = stack().output.length;
    const nobody = `http://127.0.0.1:${String(await freePort())}`;
    await stack().stopUp();
    Object.assign(stack().env, { OTEL_EXPORTER_OTLP_ENDPOINT: nobody, OTEL_EXPORTER_OTLP_HEADERS: '' });
    await stack().start();
    const life = await open('Notes', WORK);
    await life.frozen(1, 'done');
    await life.close();
    const told = (): number => stack().output.slice(before).split('the collector takes no traces').length - 1;
    await waitUntil('both to say so', () => told() >= 2);
    const up = stack().upProcess;
    const asked = Date.now();
    await stack().stopUp();
    if (up.exitCode === null) await once(up, 'exit');
    assert.ok(Date.now() - asked < 15_000, `${String(Date.now() - asked)} ms`);
    assert.equal(up.exitCode, 0);
    assert.equal(told(), 2, 'once by the worker and once by the webhook');
  });
});
