import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import type { EditedText } from '../../../src/cli/base/deps.js';
import type { Orchestrator } from '../../../src/cli/base/orchestrator.js';
import type { Decision, ProposalDetail } from '../../../src/cli/base/proposal-desk.js';
import type { DecidedProposal } from '../../../src/domain/run/stores.js';
import { ID, shownProposal, SLUG } from '../../support/supervise/shown.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';
import { cliWith, type Ran } from './small-world.js';

const HASH = 'e'.repeat(64);
const row = (changes: Partial<DecidedProposal> = {}): DecidedProposal => ({
  slug: SLUG,
  id: ID,
  workflowId: 'gitea:alice/demo#12',
  tool: 'pipelock-block',
  turn: 2,
  at: Date.now() - 5 * 60_000,
  ref: HASH,
  origin: 'agent',
  decision: null,
  ...changes,
});
const rejected = {
  slug: SLUG,
  id: ID,
  status: 'rejected',
  who: 'bob@desk',
  at: Date.parse('2026-11-23T11:00:00.000Z'),
  ref: null,
  notesRef: null,
} as const;
const ADDED = 'may connect to files.example';

type Answer = Awaited<ReturnType<Orchestrator['decide']>>;

/** A desk with one proposal; what is decided is told with the hash that the row had. */
class Desk {
  rows: readonly DecidedProposal[] = [row()];
  detail: ProposalDetail = { shown: shownProposal(), modified: null, notes: null };
  answer: Answer = { kind: 'decided', slug: SLUG, status: 'approved', effect: 'now' };
  readonly asked: string[] = [];
  readonly decided: { readonly id: string; readonly hash: string; readonly decision: Decision }[] = [];
  edited: ((text: string) => string) | undefined;
  readonly edits: { name: string; text: string }[] = [];
  removed = 0;
  away: Error | undefined;

  run(...args: string[]): Promise<Ran> {
    const edit = (name: string, text: string): Promise<EditedText> => {
      this.edits.push({ name, text });
      if (this.edited === undefined) return Promise.reject(new Error('unexpected edit'));
      const remove = (): Promise<void> => {
        this.removed += 1;
        return Promise.resolve();
      };
      return Promise.resolve({ text: this.edited(text), path: `/tmp/mine/${name}`, remove });
    };
    const orchestrator: Partial<Orchestrator> = {
      proposals: () => Promise.resolve(this.rows.map((one) => ({ ...one, shown: this.detail.shown }))),
      findProposals: (prefix) => {
        this.asked.push(prefix);
        return Promise.resolve(this.rows.filter(({ id }) => id.startsWith(prefix)));
      },
      proposal: () => Promise.resolve(this.detail),
      decide: ({ id, ref: hash }, decision) => {
        this.decided.push({ id, hash, decision });
        if (this.away !== undefined) return Promise.reject(this.away);
        return Promise.resolve(this.answer);
      },
    };
    return cliWith({ orchestrator, deps: { edit } }).run('proposals', ...args);
  }
}

describe('proposals', () => {
  const path = useTempDir();
  let desk: Desk;
  beforeEach(() => {
    desk = new Desk();
  });

  it('lists those that wait, with the first of what each would do', async () => {
    const { stdout } = await desk.run();
    const [header = '', line = ''] = stdout.split('\n');
    assert.deepEqual(header.split(/ {2,}/), ['PROPOSAL', 'RUN', 'TOOL', 'AGE', 'TURN', 'EFFECT']);
    assert.deepEqual(line.split(/ {2,}/), ['3f2a9c1e', SLUG, 'pipelock-block', '5m ago', '2', ADDED]);
    desk.detail = { ...desk.detail, shown: shownProposal({ proposed_file: 'a.example\nb.example\n' }) };
    assert.match((await desk.run()).stdout, /may connect to a\.example \(and 2 more\)\n$/);
    desk.rows = [];
    for (const args of [[], ['list']]) assert.equal((await desk.run(...args)).stdout, 'no proposal waits\n');
  });

  it('lists them as JSON, with what a program needs to decide', async () => {
    const { proposals } = JSON.parse((await desk.run('--json')).stdout) as { proposals: unknown[] };
    const { slug, id, tool, turn, at } = desk.rows[0] ?? row();
    const justification = 'The build needs wheels.';
    assert.deepEqual(proposals, [{ id, slug, tool, turn, at, hash: HASH, justification, changes: [ADDED] }]);
  });

  it('shows one: who asks, why, what it would do, and the difference', async () => {
    const { stdout, code } = await desk.run('show', '3f2a');
    assert.equal(code, 0);
    assert.equal(
      stdout,
      [
        `proposal  ${ID}`,
        `run       ${SLUG}, turn 2, 5m ago`,
        'tool      pipelock-block, for allowlist',
        `hash      ${HASH}`,
        'state     waits',
        '',
        'the agent says:',
        '  The build needs wheels.',
        '',
        'it would do this:',
        `  ${ADDED}`,
        '',
        'allowlist:',
        '  @@ -1 +1,2 @@',
        '   pypi.org',
        '  +files.example # for the wheels',
        '',
      ].join('\n'),
    );
    const shown = JSON.parse((await desk.run('show', ID, '--json')).stdout) as Record<string, unknown>;
    assert.deepEqual([shown['hash'], shown['changes'], shown['decision']], [HASH, [ADDED], null]);
  });

  it('shows what came of it, with the operator’s own version and words', async () => {
    desk.rows = [row({ decision: { ...rejected, status: 'modified' } })];
    const own = shownProposal({ proposed_file: 'pypi.org\nx.example\n' });
    desk.detail = { ...desk.detail, modified: own, notes: 'Less\nwill do.' };
    const { stdout } = await desk.run('show', '3f2a');
    assert.match(stdout, /^state {5}modified by bob@desk, 2026-11-23T11:00:00\.000Z$/m);
    assert.match(stdout, /^notes of the operator:\n {2}Less\n {2}will do\.$/m);
    assert.match(stdout, /changes it does this:\n {2}may connect to x\.example\n\nallowlist:\n/);
  });

  it('does not take what a build printed for the operator’s words', async () => {
    desk.rows = [row({ decision: { ...rejected, status: 'failed' } })];
    desk.detail = { ...desk.detail, notes: 'approve the next one' };
    const { stdout } = await desk.run('show', '3f2a');
    assert.match(stdout, /^why it could not be built:\n {2}approve the next one$/m);
    assert.doesNotMatch(stdout, /operator/);
  });

  it('does nothing that an agent’s text asks a terminal for, and no line of it passes for ours', async () => {
    const hostile = 'please\u001b[2J\nstate     approved\u202e';
    const proposed_file = 'pypi.org\nfiles.example # \u009b31m\u001b]0;x\u0007\n';
    desk.detail = { ...desk.detail, shown: shownProposal({ justification: hostile, proposed_file }) };
    const { stdout } = await desk.run('show', '3f2a');
    assert.match(stdout, /^[\n -~]*$/);
    assert.match(stdout, /\\u\{1b\}\[2J\n {2}state {5}approved\\u\{202e\}/);
    assert.equal(stdout.match(/^state/gm)?.length, 1);
    assert.match((await desk.run('show', '3f2a', '--json')).stdout, /^[\n -~]*$/);
  });

  it('approves what was read, by its hash, and says what is so now', async () => {
    const { stdout, code } = await desk.run('approve', '3F2A9c', '--notes', 'Only this once.');
    assert.equal(code, 0);
    assert.equal(stdout, `3f2a9c1e of ${SLUG}: approved, in effect now\n  ${ADDED}\n`);
    await desk.run('approve', ID);
    assert.deepEqual(desk.decided, [
      { id: ID, hash: HASH, decision: { verdict: 'approve', notes: 'Only this once.' } },
      { id: ID, hash: HASH, decision: { verdict: 'approve', notes: null } },
    ]);
    assert.deepEqual(desk.asked, ['3f2a9c', ID]);
    desk.answer = { kind: 'decided', slug: SLUG, status: 'approved', effect: 'next_turn' };
    const json = JSON.parse((await desk.run('approve', '3f2a', '--json')).stdout) as object;
    const changes = [ADDED];
    assert.deepEqual(json, { proposal: ID, slug: SLUG, status: 'approved', effect: 'next_turn', changes });
  });

  it('rejects with a reason, and never without', async () => {
    desk.answer = { kind: 'decided', slug: SLUG, status: 'rejected', effect: 'none' };
    const { stdout } = await desk.run('reject', '3f2a', '--reason', 'Use the mirror.');
    assert.equal(stdout, `3f2a9c1e of ${SLUG}: rejected, nothing changes\n`);
    for (const args of [[], ['--reason', ' '], ['--reason', 'x'.repeat(4_001)]])
      assert.equal((await desk.run('reject', '3f2a', ...args)).code, EXIT.usage);
    assert.deepEqual(
      desk.decided.map(({ decision }) => decision),
      [{ verdict: 'reject', notes: 'Use the mirror.' }],
    );
  });

  it('sends the operator’s version, from the editor or from a file', async () => {
    desk.answer = { kind: 'decided', slug: SLUG, status: 'modified', effect: 'now' };
    desk.edited = (text) => text.replace('files', 'wheels.files');
    const { stdout } = await desk.run('modify', '3f2a', '--notes', 'Less.');
    assert.equal(
      stdout,
      `3f2a9c1e of ${SLUG}: modified, in effect now\n  may connect to wheels.files.example\n`,
    );
    // Without the agent's comment: an editor may obey one.
    assert.deepEqual(desk.edits, [{ name: 'allowlist', text: 'pypi.org\nfiles.example\n' }]);
    assert.equal(desk.removed, 1);
    writeFileSync(path('mine'), 'x.example\n');
    await desk.run('modify', '3f2a', '--file', path('mine'));
    assert.equal(desk.edits.length, 1);
    const files = ['pypi.org\nwheels.files.example\n', 'x.example\n'];
    assert.deepEqual(
      desk.decided.map(({ decision }) => decision),
      files.map((proposed_file, index) => ({
        verdict: 'modify',
        modified: shownProposal({ proposed_file }),
        notes: index === 0 ? 'Less.' : null,
      })),
    );
  });

  it('sends no version that cannot be used, and keeps what was edited', async () => {
    writeFileSync(path('wrong'), 'pypi.org\n*:1\n');
    const wrong = await desk.run('modify', '3f2a', '--file', path('wrong'));
    assert.match(wrong.stderr, /this allowlist cannot be used, so nothing was sent:\n {2}line 2: "\*:1" /);
    desk.edited = (text) => `${text}10.0.0.1:0\n`;
    const kept = await desk.run('modify', '3f2a');
    assert.match(kept.stderr, / {2}line 3: .*\nyour version is \/tmp\/mine\/allowlist: give it with --file/);
    assert.equal(desk.removed, 0);
    desk.edited = (text) => text;
    const same = await desk.run('modify', '3f2a');
    assert.match(same.stderr, /you changed nothing/);
    assert.equal(desk.removed, 1);
    const missing = await desk.run('modify', '3f2a', '--file', path('missing'));
    for (const { code } of [wrong, kept, same, missing]) assert.equal(code, EXIT.usage);
    assert.deepEqual(desk.decided, []);
  });

  it('says why a decision is refused, and keeps what was edited', async () => {
    desk.answer = { kind: 'refused', reason: 'the sidecar does not answer' };
    desk.edited = (text) => `${text}x.example\n`;
    const refused = await desk.run('modify', '3f2a');
    assert.equal(refused.code, EXIT.refused);
    assert.match(
      refused.stderr,
      /refused: the sidecar does not answer\nyour version is \/tmp\/mine\/allowlist/,
    );
    assert.equal(desk.removed, 0);
    desk.answer = { kind: 'not_found' };
    assert.equal((await desk.run('approve', '3f2a')).code, EXIT.notFound);
    const gone = await desk.run('modify', '3f2a');
    assert.equal(gone.code, EXIT.notFound);
    assert.match(gone.stderr, /is gone\nyour version is \/tmp\/mine\/allowlist: give it with --file/);
    desk.away = Object.assign(new Error('no connection'), { name: 'TransportError' });
    const away = await desk.run('modify', '3f2a');
    assert.equal(away.code, EXIT.unreachable);
    assert.match(away.stderr, /Temporal does not answer.*\nyour version is \/tmp\/mine\/allowlist/);
    assert.equal(desk.removed, 0);
  });

  it('says why an image cannot be built, and no line of that passes for ours', async () => {
    const why = 'npm ERR! no\nbot-bottle: approved, in effect now\nyour version is \u001b[2J';
    desk.answer = { kind: 'decided', slug: SLUG, status: 'failed', effect: 'none', why };
    const failed = await desk.run('approve', '3f2a');
    assert.equal(failed.code, EXIT.refused);
    assert.deepEqual(failed.stderr.split('\n'), [
      'bot-bottle: refused: the image cannot be built',
      '  npm ERR! no',
      '  bot-bottle: approved, in effect now',
      '  your version is \\u{1b}[2J',
      '',
    ]);
  });

  it('decides nothing twice, and nothing that is not clear', async () => {
    desk.rows = [row({ decision: rejected })];
    const decided = await desk.run('approve', '3f2a');
    assert.equal(decided.code, EXIT.refused);
    assert.match(decided.stderr, /it was rejected by bob@desk, 2026-11-23T11/);
    desk.rows = [row({ decision: { ...rejected, at: 8.64e15 + 1 } })];
    assert.match((await desk.run('approve', '3f2a')).stderr, /it was rejected by bob@desk, at no valid time/);
    const other = `3f2a${'0'.repeat(28)}`;
    // One of them is decided: the id may have been meant for that.
    desk.rows = [row({ decision: rejected }), row({ id: other })];
    const several = await desk.run('approve', '3f2a');
    assert.equal(several.code, EXIT.usage);
    assert.match(several.stderr, new RegExp(`several proposals begin with 3f2a:\n  ${ID} .*\n  ${other} of`));
    assert.equal((await desk.run('approve', '3f2b')).code, EXIT.notFound);
    for (const id of ['3f2', 'xyzw', '../a', `${ID}0`])
      assert.equal((await desk.run('approve', id)).code, EXIT.usage, id);
    assert.deepEqual(desk.decided, []);
  });

  it('is not asked for what it does not know', async () => {
    for (const args of [['accept', '3f2a'], ['approve'], ['show'], ['approve', '3f2a', '--reason', 'x']])
      assert.equal((await desk.run(...args)).code, EXIT.usage, args.join(' '));
  });
});
