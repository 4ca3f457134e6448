import assert from 'node:assert/strict';
import { explainSilence } from '../../../../src/cli/forge-setup/explain.js';
import { printItem } from '../../../../src/cli/forge-setup/report.js';

describe('what forge setup says', () => {
  it('is a line for each thing, longer advice indented below, and nothing for a terminal to act on', () => {
    const lines: string[] = [];
    const io = {
      stdout: { write: (text: string) => lines.push(text) },
      stderr: { write: () => undefined },
      terminal: () => null,
      stdin: { isTTY: false, read: () => Promise.resolve(new Uint8Array()), ask: () => Promise.resolve('') },
    };
    printItem(io, { target: 'a/b', what: 'label', state: 'would_create', name: 'x\u001b[2J' });
    printItem(io, { target: null, what: 'bot', state: 'ok', name: 'bob', detail: 'fine' });
    printItem(io, { target: 'a/b', what: 'delivery', state: 'problem', name: '', detail: 'one\ntwo\u0007' });
    const text = lines.join('');
    assert.match(
      text,
      /^a\/b: would create label x.*\nok bot bob \(fine\)\na\/b: problem delivery: one\n {2}two/,
    );
    assert.ok(!text.includes('\u0007') && !text.includes('\u001b'));
  });

  it('names what the forge must be allowed to call', () => {
    const listen = { host: '127.0.0.1', port: 8080 };
    for (const [url, name] of [
      ['http://127.0.0.1:8080/webhooks/gitea', 'loopback'],
      ['http://192.168.1.7:8080/webhooks/gitea', 'private'],
      ['https://bots.example/webhooks/gitea', 'bots.example'],
    ] as const) {
      const text = explainSilence(url, listen, 'own', 15_000);
      assert.ok(text.includes(`ALLOWED_HOST_LIST = external, ${name} `), text);
      assert.equal(text.includes('trust store'), url.startsWith('https:'));
    }
  });
});
