import assert from 'node:assert/strict';
import { withDecision, withEdited, withProgress, withRows, withSize } from '../../../src/tui/model/arrive.js';
import { modifiedProposal } from '../../../src/domain/supervise/modified-proposal.js';
import { press } from '../../../src/tui/model/press.js';
import { keyOf as proposalKey } from '../../../src/tui/model/state.js';
import { detail, NOW, openedState, pressed, proposal, run, someState } from './some-state.js';

const three = [proposal(1), proposal(2, 'b'), proposal(3)] as const;
const approve = { verdict: 'approve', notes: null };

describe('keys of the dashboard', () => {
  it('move the choice, within the list', () => {
    const at = (...keys: string[]): string | null => pressed(someState(three), ...keys).state.proposal.key;
    assert.equal(at(), proposalKey(three[0]));
    assert.equal(at('j'), proposalKey(three[1]));
    assert.equal(at('down', 'k', 'up'), proposalKey(three[0]));
    assert.equal(at('G', 'j'), proposalKey(three[2]));
    assert.equal(at('jjj'), proposalKey(three[2]));
    assert.equal(at('end', 'g'), proposalKey(three[0]));
  });

  it('choose a run, whose proposals are then the list', () => {
    const { state } = pressed(someState(three), 'tab', 'j', 'j', 'enter');
    assert.deepEqual([state.pane, state.run.key], ['proposals', 'b']);
    assert.equal(state.proposal.key, proposalKey(three[1]));
    assert.equal(pressed(state, 'enter').state.opened?.row, three[1]);
  });

  it('decide what is open, as the row that was read, and only after a yes', () => {
    const { commands } = pressed(openedState(), 'a', 'y');
    assert.deepEqual(commands, [{ kind: 'decide', row: proposal(1), decision: approve }]);
    for (const other of ['n', 'escape', 'x', 'yy', 'enter', 'Y'])
      assert.deepEqual(pressed(openedState(), 'a', other).commands, [], other);
    assert.deepEqual(pressed(openedState(), 'ay').commands, []);
    assert.deepEqual(pressed(openedState(), 'y').commands, []);
    // In the lists nothing is decided.
    for (const key of ['a', 'r', 'm', 'y']) assert.deepEqual(pressed(someState(three), key).commands, []);
  });

  it('decide nothing that is not read, decided, or under way', () => {
    const unread = pressed(someState(three), 'enter').state;
    const decision = { slug: 'a', id: '1', status: 'approved', who: 'bob@desk', at: NOW } as const;
    const decided = withDecision(pressed(openedState(), 'a').state, proposal(1), {
      ...{ ...decision, ref: null, notesRef: null },
    });
    const underWay = withProgress(openedState(), proposal(1), { kind: 'under_way', text: 'approving …' });
    for (const [state, why] of [
      [unread, 'it is not read yet'],
      [decided, 'it is decided already'],
      [underWay, 'your decision is under way'],
    ] as const)
      for (const key of ['a', 'm', 'r']) {
        const after = pressed(state, key);
        assert.equal(after.state.notice, why);
        assert.deepEqual(pressed(after.state, 'y', 'enter').commands, []);
      }
    const failed = withProgress(openedState(), proposal(1), { kind: 'failed', text: 'refused' });
    assert.equal(pressed(failed, 'a', 'y').commands.length, 1);
  });

  it('stay with the proposal that is open when the list changes under it', () => {
    const open = pressed(openedState(three), 'a').state;
    const rows = { runs: [run('a')], waiting: [three[2]] };
    const { commands } = pressed(withRows(open, rows, NOW), 'y');
    assert.deepEqual(commands, [{ kind: 'decide', row: three[0], decision: approve }]);
    // And the choice stays with its proposal while that is there.
    const chosen = pressed(someState(three), 'G').state;
    assert.equal(withRows(chosen, rows, NOW).proposal.key, proposalKey(three[2]));
  });

  it('reject with a reason, in which every key is text', () => {
    const { state, commands } = pressed(openedState(), 'r', 'q?a', 'y', 'backspace', ' no\u001b\n', 'enter');
    assert.deepEqual(commands, [
      { kind: 'decide', row: proposal(1), decision: { verdict: 'reject', notes: 'q?a no' } },
    ]);
    assert.equal(state.opened?.step.kind, 'read');
    // A key that is held down over a slow line comes several times at once, also behind text.
    const step = pressed(openedState(), 'r', 'the quay\u007f\u007f', '\b\n\u007f\bmirror').state.opened?.step;
    assert.equal(step?.kind === 'reason' && step.text, 'the mirror');
    const empty = pressed(openedState(), 'r', ' ', 'enter');
    assert.deepEqual(empty.commands, []);
    assert.match(empty.state.notice ?? '', /type one/);
    const long = pressed(openedState(), 'r', 'x'.repeat(4_000), 'y').state.opened?.step;
    assert.equal(long?.kind === 'reason' && long.text.length, 4_000);
  });

  it('open the editor on plain text, then on what was edited before', () => {
    const { shown } = detail;
    const [first] = pressed(openedState(), 'm').commands;
    assert.deepEqual(first, { kind: 'edit', row: proposal(1), shown, text: 'pypi.org\nfiles.example\n' });
    const edited = (text: string): Parameters<typeof withEdited>[2] => ({
      ...{ text, path: '/tmp/mine', read: modifiedProposal(shown, text) },
    });
    const wrong = withEdited(openedState(), proposal(1), edited('*:1\n'));
    assert.deepEqual(pressed(wrong, 'y').commands, []);
    const [again] = pressed(wrong, 'm').commands;
    assert.equal(again?.kind === 'edit' && again.text, '*:1\n');
    assert.match(pressed(wrong, 'escape').state.notice ?? '', /\/tmp\/mine/);
    const right = withEdited(openedState(), proposal(1), edited('own.example\n'));
    const [sent] = pressed(right, 'y').commands;
    assert.equal(sent?.kind === 'decide' && sent.decision.verdict, 'modify');
    // Of another proposal than the one that is open: nobody asked for it any more.
    assert.equal(withEdited(openedState(), proposal(2), edited('own.example\n')).opened?.edited, null);
  });

  it('approve what stands on the screen: the operator’s own version where there is one', () => {
    const { shown } = detail;
    const path = '/tmp/mine';
    const read = modifiedProposal(shown, 'own.example\n');
    const modified = read.kind === 'modified' ? read.shown : assert.fail();
    const refused = pressed(
      withEdited(openedState(), proposal(1), { text: 'own.example\n', path, read }),
      'x',
    ).state;
    assert.deepEqual(pressed(refused, 'a', 'y').commands, [
      { kind: 'decide', row: proposal(1), decision: { verdict: 'modify', modified, notes: null } },
    ]);
    // Where the version cannot be used, the agent's stands there.
    const wrong = { text: '*:1\n', path, read: modifiedProposal(shown, '*:1\n') };
    const { commands } = pressed(withEdited(openedState(), proposal(1), wrong), 'a', 'y');
    assert.deepEqual(commands, [{ kind: 'decide', row: proposal(1), decision: approve }]);
    // An image of the operator's own is built as theirs, so without a network.
    const image = { ...proposal(1), tool: 'capability-block' as const };
    const own = withEdited(openedState([image]), image, { text: 'own.example\n', path, read });
    const network = pressed(own, 'x', 'n');
    assert.match(network.state.notice ?? '', /without a network/);
    assert.deepEqual(pressed(network.state, 'y').commands, []);
    assert.deepEqual(pressed(openedState([image]), 'n', 'y').commands, [
      { kind: 'decide', row: image, decision: { ...approve, withNetwork: true } },
    ]);
  });

  it('quit, but not at once while a decision is under way', () => {
    for (const key of ['q', 'interrupt'])
      assert.deepEqual(pressed(someState([]), key).commands, [{ kind: 'quit' }]);
    const busy = withProgress(someState(three), three[0], { kind: 'under_way', text: '' });
    assert.deepEqual(pressed(busy, 'q').commands, []);
    assert.deepEqual(pressed(busy, 'q', 'q').commands, [{ kind: 'quit' }]);
    assert.deepEqual(pressed(busy, 'q', 'j', 'q').commands, []);
    const small = withSize(someState([]), { columns: 20, rows: 5 });
    assert.deepEqual(press(small, { name: 'text', text: 'q' }).command, { kind: 'quit' });
  });

  it('show help, and any key takes it away', () => {
    const { state } = pressed(someState(three), '?');
    assert.ok(state.help);
    const after = pressed(state, 'enter');
    assert.deepEqual([after.state.help, after.state.opened], [false, null]);
  });
});
