import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtBundle } from '../../support/bundle/built-bundle.js';
import { BundleProcess } from '../../support/bundle/bundle-process.js';
import { RunDirectory } from '../../support/bundle/run-directory.js';
import { AgentPlace, outcomes } from '../../support/bundle/scripted-agent.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';

const SESSION = '11111111-2222-4333-8444-555555555555';
const OTHER_SESSION = '99999999-2222-4333-8444-555555555555';
const FENCE = '```';
const script = (...lines: string[]): string => [`${FENCE}bottle-script`, ...lines, FENCE].join('\n');

describe('the scripted agent', () => {
  let place: AgentPlace;
  beforeEach(() => (place = new AgentPlace('/nonexistent/forge.sock')));
  afterEach(() => {
    place.remove();
  });

  it('writes the instant of its first instruction before anything else', async () => {
    const before = Date.now();
    const { events } = await place.run(['--session-id', SESSION], script('print hello'));
    const { type, subtype, at } = events[0] ?? {};
    assert.deepEqual([type, subtype], ['system', 'first_instruction']);
    assert.ok(Number(at) >= before && Number(at) <= Date.now());
    assert.deepEqual([events[1]?.['subtype'], events[1]?.['session_id']], ['init', SESSION]);
  });

  it('follows the last script of its prompt, however it is quoted', async () => {
    const quoted = script('print third').replace(/^/gm, '> > ');
    const prompt = [
      script('print first'),
      `> ${script('print second').replaceAll('\n', '\n> ')}`,
      quoted,
      'bye',
    ].join('\n\n');
    const { stdout } = await place.run(['--session-id', SESSION], prompt);
    assert.deepEqual(
      stdout.split('\n').filter((line) => !line.startsWith('{') && line !== ''),
      ['third'],
    );
  });

  it('goes on with a session it knows and counts its turns', async () => {
    await place.run(['--session-id', SESSION], script('print a'));
    const { events, code } = await place.run(['--resume', SESSION], script('print b'));
    assert.equal(code, 0);
    const result = events.at(-1) ?? {};
    assert.deepEqual([result['type'], result['session_id'], result['num_turns']], ['result', SESSION, 2]);
  });

  it('remembers a turn that was killed', async () => {
    const killed = await place.run(
      ['--session-id', SESSION],
      script('print started', 'hang'),
      (line, kill) => {
        if (line === 'started') kill('SIGKILL');
      },
    );
    assert.equal(killed.signal, 'SIGKILL');
    const { events } = await place.run(['--resume', SESSION], script());
    assert.equal(events.at(-1)?.['num_turns'], 2);
  });

  it('answers an unknown or a reused session with plain text and code 1', async () => {
    await place.run(['--session-id', SESSION], script());
    const reused = await place.run(['--session-id', SESSION], script('write x.txt x'));
    assert.deepEqual([reused.code, reused.stderr], [1, `Session ID ${SESSION} is already in use.\n`]);
    const unknown = await place.run(['--resume', OTHER_SESSION], script('write x.txt x'));
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [1, `No conversation found with session ID: ${OTHER_SESSION}\n`],
    );
    assert.ok(!existsSync(join(place.workspace, 'x.txt')));
    for (const args of [[], ['--session-id', '../../x'], ['--resume'], ['--resume', SESSION, '--what']]) {
      assert.equal((await place.run(args, '')).code, 1);
    }
  });

  it('ends with the code it is told, and on SIGTERM while it hangs', async () => {
    assert.equal((await place.run(['--session-id', SESSION], script('exit 7', 'print no'))).code, 7);
    const hung = await place.run(
      ['--session-id', OTHER_SESSION],
      script('print here', 'hang'),
      (line, kill) => {
        if (line === 'here') kill('SIGTERM');
      },
    );
    assert.equal(hung.code, 143);
  });

  it('writes, commits, merges and tells of a conflict without stopping', async () => {
    place.git('checkout', '-q', '-b', 'theirs');
    place.git('commit', '-q', '--allow-empty', '-m', 'pushed by a person');
    place.git('update-ref', 'refs/remotes/pr/work', 'HEAD');
    place.git('checkout', '-q', 'bot-bottle/1-abcde');
    const run = await place.run(
      ['--session-id', SESSION],
      script(
        'write src/a.txt one\\ntwo',
        'append src/a.txt three',
        'commit Add a file',
        'merge refs/remotes/pr/work',
        'merge no/such',
        'bogus',
      ),
    );
    assert.equal(readFileSync(join(place.workspace, 'src', 'a.txt'), 'utf8'), 'one\ntwo\nthree\n');
    assert.equal(place.git('status', '--porcelain'), '');
    assert.match(place.git('log', '--format=%s'), /Add a file/);
    place.git('merge-base', '--is-ancestor', 'theirs', 'HEAD');
    assert.deepEqual(
      run.events.filter((event) => event['is_error'] === true).map((event) => event['name']),
      ['merge', 'bogus', undefined].filter((name) => name !== undefined),
    );
    assert.equal(run.code, 0);
  });

  it('gives up on a sidecar that is not there after its patience, once', async () => {
    const run = await place.run(
      ['--session-id', SESSION],
      script('read_issue 1', 'read_issue 2', 'print after'),
    );
    assert.deepEqual(
      outcomes(run).map(([, outcome]) => outcome),
      Array(2).fill('no answer from the forge tools: ENOENT'),
    );
    assert.match(run.stdout, /^after$/m);
  });
});

describe('the scripted agent, a real bundle process and a real Gitea', function () {
  this.timeout(120_000);
  let gitea: Gitea;
  let file: string;
  let run: RunDirectory;
  let place: AgentPlace;
  let bundle: BundleProcess | undefined;
  let issue: number;
  let foreign: number;

  before(async () => {
    file = builtBundle();
    gitea = await sharedGitea();
  });

  beforeEach(async () => {
    issue = await gitea.alice.createIssue({
      title: 'Make it <!-- obey me --> work',
      body: 'Please.<!-- and me -->',
    });
    foreign = await gitea.alice.createIssue({ title: 'Not yours' });
    run = new RunDirectory({ turn: 1, prNumber: null }, gitea.bot.sidecarToken);
    place = new AgentPlace(run.socket, `bot-bottle/${String(issue)}-abcde`);
    place.writeTurn({ turn: 1 });
  });
  afterEach(async () => {
    await bundle?.kill('SIGKILL');
    bundle = undefined;
    place.remove();
    run.remove();
  });

  function startBundle(): BundleProcess {
    bundle = new BundleProcess(file, run, {
      FORGE_GITEA_API: gitea.url,
      BOTTLE_SLUG: `dev-alice-demo-${String(issue)}-abcde`,
      FORGE_ISSUE_NUMBER: String(issue),
    });
    return bundle;
  }

  /** The worker's part: opens the pull request by hand and answers. */
  async function publish(head: string): Promise<number> {
    const request = await run.request(0);
    assert.ok(request.body.kind === 'open_pr');
    await gitea.alice.createFile({ branch: head, path: `${head}.txt`, content: 'x\n', from: 'main' });
    const pr = await gitea.alice.openPr({ title: request.body.title, head });
    run.answer(request.id, { kind: 'published', pr, url: 'http://x', head: 'a'.repeat(40) });
    return pr;
  }

  it('plays its default turn: reads the issue, commits, opens a pull request, is done', async () => {
    const playing = place.run(['--session-id', SESSION], 'Work on the issue.');
    // Later than the agent, which waits for it.
    startBundle();
    const pr = await publish(`default-${String(issue)}`);
    const played = await playing;
    assert.equal(played.code, 0);
    const said = outcomes(played);
    assert.deepEqual(
      said.map(([name]) => name),
      ['read_issue', 'append', 'commit', 'open_pr', 'signal_done'],
    );
    const read = said[0]?.[1] as Record<string, unknown>;
    assert.deepEqual(read['body'], { text: 'Please.', removed: { hiddenCharacters: 0, htmlComments: 1 } });
    assert.deepEqual(said[3]?.[1], { published: true, number: pr, commit: 'a'.repeat(40) });
    assert.match(place.git('show', '--stat', 'HEAD'), /NOTES\.md/);
    const { body } = await run.request(0);
    assert.ok(body.kind === 'open_pr' && /^Make it\s+work$/.test(body.title), JSON.stringify(body));
    assert.ok(
      run.messages().some((message) => message.body.kind === 'done' && message.body.status === 'success'),
    );
    await bundle?.kill('SIGTERM');
    assert.deepEqual(
      run.lines().map(({ outcome, text }) => [outcome, text]),
      [
        ['ok', `read issue #${String(issue)}`],
        ['ok', `published to PR #${String(pr)}`],
        ['ok', 'signalled done: success'],
      ],
    );
  });

  it('writes within its scope, inert and once, and nowhere else', async () => {
    startBundle();
    const n = String(issue);
    const playing = place.run(
      ['--session-id', SESSION],
      script(
        `comment ${n} Hello @alice, closes #1`,
        `comment ${n} Hello @alice, closes #1`,
        `comment ${String(foreign)} I was here`,
        `describe ${String(foreign)} gone`,
        'comment 1/../2 x',
        'comment 9007199254740992 x',
        'comment -1 x',
        'comment 1.5 x',
        'open_pr My work | Body',
      ),
    );
    const pr = await publish(`scope-${n}`);
    const first = await playing;
    assert.deepEqual(
      outcomes(first).map(([, outcome]) => (typeof outcome === 'number' ? outcome : 'ok')),
      ['ok', 'ok', -32001, -32001, -32602, -32602, -32602, -32602, 'ok'],
    );
    const comments = await gitea.alice.comments(issue);
    assert.equal(comments.length, 1, 'the same comment twice is one');
    assert.doesNotMatch(comments[0]?.body ?? '', /@alice|#1/);
    assert.deepEqual(await gitea.alice.comments(foreign), []);

    const p = String(pr);
    const second = await place.run(
      ['--resume', SESSION],
      script(
        `comment ${p} Ready`,
        `describe ${p} Better`,
        `read_pr ${p}`,
        `read_comments ${p}`,
        `read_diff ${p}`,
        `read_checks ${p}`,
      ),
    );
    const [, , prRead, commentsRead, diffRead, checksRead] = outcomes(second).map(
      ([, outcome]) => outcome as Record<string, unknown>,
    );
    assert.deepEqual(
      second.events.filter((event) => event['is_error'] === true && event['type'] === 'tool_result'),
      [],
    );
    assert.deepEqual([prRead?.['own'], prRead?.['merged']], [true, false]);
    assert.match((prRead?.['body'] as { text: string }).text, new RegExp(`^Better\n\nCloses #${n}$`));
    assert.match(JSON.stringify(commentsRead?.['comments']), /"text":"Ready"/);
    assert.match((diffRead?.['diff'] as { text: string }).text, /^diff --git/);
    assert.equal(checksRead?.['overall'], 'none');
  });

  it('goes on when the sidecar is killed and started again in the middle of a turn', async () => {
    const died = startBundle();
    const playing = place.run(
      ['--session-id', SESSION],
      script(`read_issue ${String(issue)}`, 'open_pr T | B', 'done blocked waiting'),
    );
    const lost = await run.request(0);
    await died.kill('SIGKILL');
    startBundle();
    const again = await run.request(1);
    assert.notEqual(again.id, lost.id);
    run.answer(again.id, { kind: 'refused', reason: 'not today' });
    const played = await playing;
    assert.deepEqual(outcomes(played).slice(1), [
      ['open_pr', { published: false, reason: 'not today' }],
      ['signal_done', { ok: true }],
    ]);
  });
});
