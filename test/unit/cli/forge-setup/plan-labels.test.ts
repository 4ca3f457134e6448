import assert from 'node:assert/strict';
import { ownLabels, planLabels, wantedLabels } from '../../../../src/cli/forge-setup/plan-labels.js';

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
