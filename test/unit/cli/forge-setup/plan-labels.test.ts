import assert from 'node:assert/strict';
import { explainSilence } from '../../../../src/cli/forge-setup/explain.js';
import { ownLabels, planLabels, wantedLabels } from '../../../../src/cli/forge-setup/plan-labels.js';
import { printItem } from '../../../../src/cli/forge-setup/report.js';

const label = (name: string, id = 1) => ({ id, name });

describe('the plan for labels', () => {
  const wanted = wantedLabels(['coder', 'tester'], ['default']);

  it('has one for each agent and each bottle, with colour and description', () => {
    assert.deepEqual(
      wanted.map(({ name }) => name),
      ['bot-bottle:coder', 'bot-bottle:tester', 'bot-bottle-bottle:default'],
    );
    for (const { color, description } of wanted) {
      assert.match(color, /^#[0-9a-f]{6}$/);
      assert.ok(description.length > 10 && description.length < 200);
    }
  });

  it('makes what is missing and leaves what is there, or above it in the organization', () => {
    const plan = planLabels(
      wanted,
      [label('bot-bottle:coder'), label('bug')],
      [label('bot-bottle:tester'), label('bot-bottle:coder')],
    );
    assert.deepEqual(
      plan.create.map(({ name }) => name),
      ['bot-bottle-bottle:default'],
    );
    assert.deepEqual(plan.present, ['bot-bottle:coder']);
    assert.deepEqual(plan.inherited, ['bot-bottle:tester']);
  });

  it('knows the product’s own labels, also of agents that are gone, and no other', () => {
    const names = [
      'bot-bottle:gone',
      'bot-bottle-bottle:x',
      'bot-bottle:',
      'bot-bottle: no',
      'bot-bottles',
      'bug',
    ];
    assert.deepEqual(
      ownLabels(names.map((name) => label(name))).map(({ name }) => name),
      ['bot-bottle:gone', 'bot-bottle-bottle:x'],
    );
  });
});

describe('what forge setup says', () => {
  it('is a line for each thing, longer advice indented below, and nothing for a terminal to act on', () => {
    const lines: string[] = [];
    const io = {
      stdout: { write: (text: string) => lines.push(text) },
      stderr: { write: () => undefined },
      stdin: { isTTY: false, read: () => Promise.resolve(new Uint8Array()) },
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
