import assert from 'node:assert/strict';
import { Ledger } from '../../../../src/bundle/egress/ledger.js';
import { EgressReporter, type EgressReport } from '../../../../src/bundle/egress/report.js';
import { NO_USE, type ModelReport } from '../../../../src/domain/run/model-use.js';
import { until } from '../../../support/bundle/until.js';

describe('what the worker is told of egress', () => {
  let ledger: Ledger;
  let model: ModelReport | null;
  let sent: EgressReport[];
  let logged: unknown[][];
  let fault: Error | undefined;
  let reporter: EgressReporter;

  beforeEach(() => {
    ledger = new Ledger(() => 5);
    [model, sent, logged, fault] = [null, [], [], undefined];
    reporter = make();
  });
  afterEach(() => reporter.stop());

  const make = (everyMs = 60_000): EgressReporter =>
    new EgressReporter({
      ledger,
      model: () => model,
      send: (report) => {
        if (fault !== undefined) return Promise.reject(fault);
        sent.push(report);
        return Promise.resolve();
      },
      log: (...line) => logged.push(line),
      everyMs,
    });
  const told = (count: number): Promise<true> =>
    until('a report', () => (sent.length >= count ? true : undefined));

  it('is nothing where nothing was asked', async () => {
    await reporter.stop();
    assert.deepEqual(sent, []);
  });

  it('is all of it at the end, once', async () => {
    ledger.open('a.example', null).sent(3);
    ledger.refuse('b.example');
    ledger.succeed();
    model = { use: NO_USE, trouble: null };
    await reporter.stop();
    assert.deepEqual(sent, [{ ...ledger.totals(), lastSuccessAt: 5, model }]);
    await reporter.stop();
    assert.equal(sent.length, 1);
  });

  it('is told again and again while it changes', async () => {
    reporter = make(1);
    reporter.start();
    reporter.start();
    ledger.refuse('a.example');
    await told(1);
    ledger.refuse('a.example');
    await told(2);
    assert.deepEqual(sent.at(-1)?.refusals, [{ host: 'a.example', count: 2 }]);
    await reporter.stop();
    assert.equal(sent.length, 2, 'and not while it does not');
  });

  it('is told soon where it must not be lost, with what comes meanwhile, and soon again', async () => {
    ledger.refuse('a.example');
    reporter.soon();
    reporter.soon();
    ledger.refuse('a.example');
    await told(1);
    assert.deepEqual(sent[0]?.refusals, [{ host: 'a.example', count: 2 }]);
    ledger.refuse('a.example');
    reporter.soon();
    await told(2);
  });

  it('is told at once where waiting would lose too much', async () => {
    ledger.open('a.example', null).sent(3);
    void reporter.atOnce();
    await new Promise(setImmediate);
    assert.deepEqual(
      sent.map(({ hosts }) => hosts[0]?.bytesUp),
      [3],
    );
  });

  it('is told again when it could not be written, which is said', async () => {
    ledger.refuse('a.example');
    fault = new Error('disk full');
    await reporter.stop();
    assert.match(JSON.stringify(logged), /"error","egress totals cannot be written",\{"error":"disk full"/);
    fault = undefined;
    await reporter.stop();
    assert.equal(sent.length, 1);
  });
});
