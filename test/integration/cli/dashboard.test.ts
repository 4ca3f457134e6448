import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageFile } from '../../../src/domain/supervise/image-change.js';
import { PATIENCE } from '../../support/scale/patience.js';
import { waitUntil } from '../../support/stack/stack.js';
import { IMAGE } from '../../support/supervise/shown.js';
import { compileDashboard, type CompiledDashboard } from '../../support/tui/compiled-dashboard.js';
import { DeskHome } from '../../support/tui/desk-home.js';
import { Tmux } from '../../support/tui/tmux.js';

const SLUG = 'coder-alice-demo-12-abcde';
const OTHER = 'writer-alice-docs-7-qwert';
const idOf = (n: number): string => `${n.toString(16).padStart(4, '0')}9c1e`.padEnd(32, '0');

describe('the dashboard in a terminal', function () {
  this.timeout(60_000);
  let compiled: CompiledDashboard;
  let dashboard: string;
  let home: DeskHome;
  let tmux: Tmux | undefined;

  before(() => {
    compiled = compileDashboard();
    dashboard = `${compiled.command} dashboard`;
  });
  after(() => {
    compiled.remove();
  });
  beforeEach(async () => {
    home = await DeskHome.make();
    await home.run(SLUG, 12);
    await home.run(OTHER, 7);
  });
  afterEach(async () => {
    await tmux?.stop();
    tmux = undefined;
    await home.remove();
  });

  /** The dashboard below a shell that says how it ended. */
  async function started(env: Readonly<Record<string, string>> = {}, first = 'clear'): Promise<Tmux> {
    tmux = await Tmux.start({ ...home.env, ...env });
    await tmux.paste(`${first}; (exec ${dashboard}); echo "ended with $?"\n`);
    await tmux.sees(/\d+ runs, \d+ proposals? waits?/, 30_000);
    return tmux;
  }

  /** An editor that replaces the file by a text. */
  async function editor(text: string): Promise<string> {
    const file = join(home.dir, 'editor');
    await writeFile(file, `#!/bin/sh\ncat > "$1" <<'END'\n${text}END\n`);
    await chmod(file, 0o755);
    return file;
  }

  const restored = async (terminal: Tmux): Promise<void> => {
    // The shell's own screen, with a cursor, and with lines that are wrapped.
    assert.equal(await terminal.fact('#{alternate_on} #{cursor_flag} #{wrap_flag}'), '0 1 1');
    await terminal.paste('stty -a | tr ";" "\\n" | grep -c -w -e "icanon" -e "-echo"; echo "x$((40 + 2))"\n');
    assert.match(await terminal.sees(/x42/), /^1$/m);
  };

  it('shows runs and what waits, opens one, and approves it after a yes', async () => {
    await home.proposal(SLUG, idOf(1));
    const terminal = await started();
    const screen = await terminal.sees(/may connect to files\.example/);
    assert.equal(screen.split('\n').length, 23);
    assert.match(screen, /coder-alice-demo-12-abcde +!1 │/);
    assert.match(screen, /running {2}[4-9]m {2}turn 2 {2}\$1\.23 +│/);
    assert.match(screen, /│ > 00019c1e pipelock-block +([6-9]\ds|[2-9]m)/);
    await terminal.keys('Enter');
    const opened = await terminal.sees(/\+files\.example # for the wheels/);
    assert.ok(opened.indexOf('may connect to') < opened.indexOf('The build needs wheels.'));
    await terminal.keys('a');
    await terminal.sees(/approve it\? y\/n/);
    // Pasted, or anything but y: it is no yes.
    await terminal.paste('yy');
    const isAskedNoMore = async (): Promise<boolean> => {
      // Once more where it came together with what was pasted.
      await terminal.keys('n');
      return /a approve {2}m modify/.test(await terminal.seen());
    };
    await waitUntil('the question to be gone', isAskedNoMore, 15_000);
    assert.equal((await home.database.proposals.open()).length, 1);
    await terminal.keys('a', 'y');
    await terminal.sees(/00019c1e of coder-alice-demo-12-abcde: approved, in effect now/);
    await terminal.sees(/decided: approved by me@here, 20/);
    await terminal.keys('Escape');
    await terminal.sees(/no proposal waits/);
    await terminal.keys('q');
    await terminal.sees(/ended with 0/);
    await restored(terminal);
  });

  it('does not wait for a decision, and asks before it leaves one behind', async () => {
    await home.proposal(SLUG, idOf(1));
    await home.proposal(OTHER, idOf(2));
    const terminal = await started({ BOT_BOTTLE_TEST_DECIDES_IN: String(5000 * PATIENCE) });
    await terminal.keys('Enter');
    await terminal.sees(/The build needs wheels/);
    await terminal.keys('a', 'y', 'Escape');
    await terminal.sees(/approving …/);
    await terminal.keys('j', 'Enter');
    await terminal.sees(/proposal 00029c1e/);
    await terminal.keys('q');
    await terminal.sees(/a decision is under way/);
    await terminal.sees(/00019c1e of .*: approved/);
  });

  it('asks before an image is built with a network, and says that it builds', async () => {
    const proposed_file = `${imageFile({ id: IMAGE, dockerfile: null, steps: [] })}RUN apt-get install -y jq\n`;
    await home.proposal(SLUG, idOf(1), { tool: 'capability-block', proposed_file });
    const terminal = await started({ BOT_BOTTLE_TEST_DECIDES_IN: String(3000 * PATIENCE) });
    await terminal.keys('Enter');
    await terminal.sees(/a approve .*n /);
    await terminal.keys('n');
    await terminal.sees(/build it WITH A NETWORK: its steps run as root/);
    await terminal.keys('y', 'Escape');
    await terminal.sees(/building its image …/);
    await terminal.sees(/00019c1e of coder-alice-demo-12-abcde: approved/);
  });

  it('rejects with the reason that is typed', async () => {
    await home.proposal(SLUG, idOf(1));
    const terminal = await started();
    await terminal.keys('Enter');
    await terminal.sees(/The build needs wheels/);
    await terminal.keys('r', 'Enter');
    await terminal.sees(/type one/);
    await terminal.paste('Use the quay');
    await terminal.keys('BSpace', 'BSpace', 'BSpace', 'BSpace');
    await terminal.paste('mirror.');
    await terminal.sees(/reason: Use the mirror\._/);
    await terminal.keys('Enter');
    await terminal.sees(/rejected, nothing changes/);
    assert.equal((await home.database.proposals.find(idOf(1)))[0]?.decision?.status, 'rejected');
  });

  it('gives the terminal to the editor, shows what is wrong with the file, and loses nothing of it', async () => {
    await home.proposal(SLUG, idOf(1));
    const terminal = await started({ EDITOR: await editor('own.example\n*:1\n') });
    await terminal.keys('Enter');
    await terminal.sees(/The build needs wheels/);
    await terminal.keys('m');
    const wrong = await terminal.sees(/your version cannot be used/);
    const [, file = ''] = /it is (\S+allowlist)/.exec(wrong) ?? assert.fail(wrong);
    assert.match(wrong, /line 2: "\*:1" must/);
    assert.equal(await readFile(file, 'utf8'), 'own.example\n*:1\n');
    assert.doesNotMatch(wrong, /y\/n/);
    await editor('pypi.org\nown.example\n');
    await terminal.keys('m');
    const right = await terminal.sees(/let your version take effect\? y\/n/);
    assert.match(right, /with your changes it would do this\n {2}may connect to own\.example\n/);
    assert.match(right, /^ {2}\+own\.example$/m);
    await terminal.keys('y');
    await terminal.sees(/modified, in effect now/);
    const left = (await readdir(tmpdir())).filter((name) => file.includes(`/${name}/`));
    assert.deepEqual([left, existsSync(file)], [[], false]);
    // The keys are the dashboard's again.
    await terminal.keys('Escape', 'q');
    await terminal.sees(/ended with 0/);
    await restored(terminal);
  });

  it('shows what a terminal would obey or hide, and obeys nothing of it', async () => {
    const hostile =
      'x\u001b[2J\u001b]0;owned\u0007\u001b]52;c;aGk=\u0007\u001b]8;;http://x\u0007\u202etxt\u200b \u009b31m ' +
      `${'wide 漢字 '.repeat(12)}\n> e${'\u0301'.repeat(40)} \u2764\ufe0f\n${'x'.repeat(300)}`;
    await home.proposal(SLUG, idOf(1), {
      justification: hostile,
      proposed_file: `pypi.org\nevil.example # \u001b[31m${'漢'.repeat(120)}\n`,
    });
    const terminal = await started({ NO_COLOR: '1' });
    await terminal.keys('Enter');
    const first = await terminal.sees(/the agent says/);
    await terminal.keys('Space');
    const second = await terminal.sees(/\+evil\.example/);
    // What was too long for a line is in one again.
    const both = (first + second).replace(/\n {2}/g, '');
    for (const shown of ['\\u{1b}[2J', '\\u{1b}]52;c;aGk=\\u{7}', '\\u{202e}txt\\u{200b}', '\\u{9b}31m'])
      assert.ok(both.includes(shown), `${shown}\n${both}`);
    assert.match(both, /e\u0301\u0301\\u\{301\}\\u\{301\}/);
    assert.match(both, /\u2764\\u\{fe0f\}/);
    // Nothing moved: title, keys and every line between are where they were.
    for (const screen of [first, second]) {
      const lines = screen.split('\n');
      assert.equal(lines.length, 23, screen);
      assert.match(lines[0] ?? '', /^ bot-bottle dashboard /);
      assert.match(lines.at(-1) ?? '', /^ a approve {2}m modify/);
    }
    assert.doesNotMatch(await terminal.fact('#{pane_title}'), /owned/);
    // Without colour every line of the difference has its sign, and nothing is coloured.
    for (const line of second.split('\n').filter((one) => one.includes('漢'.repeat(9))))
      assert.match(line, /^ {2}\+/);
    assert.doesNotMatch(await terminal.seen({ looks: true }), /\u001b/);
  });

  it('has colours where the terminal has, and follows its size', async () => {
    await home.proposal(SLUG, idOf(1));
    const terminal = await started();
    await terminal.keys('Enter');
    await terminal.sees(/\+files\.example/);
    assert.match(await terminal.seen({ looks: true }), /\u001b\[32m {2}\+files\.example/);
    await terminal.keys('Escape');
    await terminal.resize(120, 40);
    const large = await terminal.sees(/j\/k move/);
    await terminal.resize(40, 10);
    await terminal.sees(/40×10 is too small/);
    await terminal.resize(80, 24);
    const again = await terminal.sees(/j\/k move/);
    for (const screen of [large, again]) assert.equal(screen.match(/\[Proposals\]/g)?.length, 1, screen);
    await terminal.keys('?');
    await terminal.sees(/Only an open proposal can be decided/);
  });

  it('says who decided meanwhile, and then decides nothing itself', async () => {
    await home.proposal(SLUG, idOf(1));
    await home.proposal(SLUG, idOf(2));
    const terminal = await started();
    await terminal.keys('Enter');
    await terminal.sees(/a approve/);
    await terminal.keys('a');
    await terminal.sees(/approve it\?/);
    const at = Date.parse('2026-11-23T11:00:00.000Z');
    const decision = { slug: SLUG, id: idOf(1), status: 'rejected', who: 'bob@desk', at } as const;
    await home.database.proposals.decide({ ...decision, ref: null, notesRef: null });
    const screen = await terminal.sees(/decided: rejected by bob@desk, 2026-11-23T11:00:00\.000Z/);
    assert.doesNotMatch(screen, /approve it\?/);
    await terminal.keys('y', 'a');
    await terminal.sees(/it is decided already/);
    assert.equal((await home.database.proposals.open()).length, 1);
  });

  it('loses no proposal, and decides nothing, when it is killed before the yes', async () => {
    await home.proposal(SLUG, idOf(1));
    const terminal = await started();
    await terminal.keys('Enter');
    await terminal.sees(/The build needs wheels/);
    await terminal.keys('a');
    await terminal.sees(/approve it\? y\/n/);
    await terminal.stop();
    assert.equal((await home.database.proposals.open()).length, 1);
    const again = await started();
    await again.keys('Enter');
    const screen = await again.sees(/a approve {2}m modify/);
    assert.doesNotMatch(screen, /approve it\?/);
    await again.keys('a', 'y');
    await again.sees(/approved, in effect now/);
    assert.equal((await home.database.proposals.find(idOf(1)))[0]?.decision?.status, 'approved');
  });

  it('is read without colour on a terminal that is said to have none', async () => {
    await home.proposal(SLUG, idOf(1));
    const terminal = await started({ TERM: 'dumb' });
    await terminal.keys('Enter');
    await terminal.sees(/\+files\.example/);
    assert.doesNotMatch(await terminal.seen({ looks: true }), /\u001b\[3/);
  });

  it('is seen in a shell of a CI, on a terminal that tells no size, and says where an unsent version is', async () => {
    await home.proposal(SLUG, idOf(1));
    const env = { CI: 'true', CONTINUOUS_INTEGRATION: 'true', EDITOR: await editor('own.example\n') };
    const terminal = await started(env, 'clear; stty rows 0 columns 0');
    await terminal.keys('Enter');
    await terminal.sees(/The build needs wheels/);
    await terminal.keys('m');
    await terminal.sees(/let your version take effect\? y\/n/);
    await terminal.keys('n');
    await terminal.sees(/a approve yours/);
    await terminal.keys('q');
    const kept = new RegExp(`your version of 00019c1e of ${SLUG} is kept: (/\\S+allowlist)`);
    const [, file = ''] = kept.exec((await terminal.sees(/ended with 0/)).replaceAll('\n', '')) ?? [];
    assert.equal(await readFile(file, 'utf8'), 'own.example\n');
  });

  it('keeps the chosen one when others come and go', async () => {
    await home.proposal(SLUG, idOf(1));
    await home.proposal(SLUG, idOf(2));
    const terminal = await started();
    await terminal.keys('j');
    await terminal.sees(/> 00029c1e/);
    const at = Date.now();
    const decision = { slug: SLUG, id: idOf(1), status: 'rejected', who: 'bob@desk', at } as const;
    await home.database.proposals.decide({ ...decision, ref: null, notesRef: null });
    await terminal.sees(/1 proposal waits/);
    assert.match(await terminal.seen(), /> 00029c1e/);
  });

  it('lists a thousand proposals of a hundred runs, a page at a time', async function () {
    this.timeout(120_000);
    const slugs = Array.from({ length: 100 }, (_, n) => `coder-alice-many-${String(n + 100)}-abcde`);
    for (const [n, slug] of slugs.entries()) await home.run(slug, n + 100);
    for (let n = 0; n < 1_000; n += 1) {
      const proposed_file = `pypi.org\nh${String(n)}.example\n`;
      await home.proposal(slugs[n % 100] ?? '', idOf(n + 1), { proposed_file });
    }
    const terminal = await started();
    await terminal.sees(/102 runs, 1000 proposals wait/);
    await terminal.sees(/may connect to h0\.example/);
    await terminal.keys('G');
    await terminal.sees(/991–1000 of 1000|may connect to h999\.example/);
    const before = performance.now();
    await terminal.keys('g');
    await terminal.sees(/> 00019c1e/);
    assert.ok(performance.now() - before < 1_000);
  });

  it('goes on while Temporal is away, and gives the terminal back when it is ended from outside', async () => {
    await home.proposal(SLUG, idOf(1));
    const terminal = await started();
    await terminal.sees(/Temporal or its worker does not answer/);
    await terminal.keys('C-c');
    await terminal.sees(/ended with 0/);
    await restored(terminal);
    await terminal.stop();
    const other = await started();
    const shell = await other.fact('#{pane_pid}');
    process.kill(Number(await readFile(`/proc/${shell}/task/${shell}/children`, 'utf8')), 'SIGTERM');
    await other.sees(/ended with 0/);
    await restored(other);
  });

  it('says what to use instead where there is no terminal', async () => {
    tmux = await Tmux.start(home.env);
    await tmux.paste(`${dashboard} | cat; echo ov"er"\n`);
    assert.match(await tmux.sees(/^over/m), /without one, bot-bottle\s+proposals/);
  });
});
