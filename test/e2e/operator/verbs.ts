import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperatorCommandRow } from '../../../src/domain/run/rows.js';
import type { Life } from '../../support/stack/life.js';
import { proposed } from '../../support/stack/proposed.js';
import { operatorStack } from './stack.js';

const CURRENT = '/etc/bot-bottle/current-config/allowlist';

/** Asks for a host, and holds its call until the test lets the agent go on. */
function asksFor(host: string): string {
  const params = `{"name":"pipelock-block","arguments":{"proposed_file":"${host}\\\\n","justification":"x","current_file_hash":"%s"}}`;
  const call = `printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}\\n' "$1"`;
  const held = 'until [ -e /run/bottle/turn/go ]; do sleep 0.1; done';
  return `run set -- $(sha256sum ${CURRENT}); { ${call}; ${held}; } | node /opt/bottle/mcp-stdio.mjs /supervise/mcp`;
}

describe('commands that operators type, as processes beside a running `up`', function () {
  this.timeout(120_000);
  const { stack, trigger } = operatorStack();
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'bot-bottle-verbs-'));
  });
  after(() => rm(dir, { recursive: true }));

  const refused = async (what: RegExp, ...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await stack().cli(args);
    assert.equal(code, 4, stderr);
    assert.match(stderr, what);
  };

  describe('on a run whose agent asks for a host', () => {
    let life: Life;
    let slug: string;
    let id: string;

    before(async () => {
      life = await trigger('asks', asksFor('agents.example'), `run cat ${CURRENT}`, 'done success told');
      ({ id } = await proposed(stack(), 'of a host', ({ changes }) =>
        changes.join().includes('agents.example'),
      ));
      ({ slug } = await life.running());
    });

    it('modify lets what the editor, a command with options, leaves take effect in the bottle that runs', async () => {
      const editing = { EDITOR: "sed -i -e 's/agents/own/'" };
      const [code] = (await once(
        stack().service(['proposals', 'modify', id.slice(0, 8)], editing),
        'close',
      )) as [number];
      assert.equal(code, 0, stack().output.slice(-2000));
      assert.match(stack().output, /of \S+: modified, in effect now\n {2}may connect to own\.example\n/);
      await refused(/it was modified by /, 'proposals', 'approve', id);
    });

    it('extend and budget are taken while it runs, extend not when it is frozen', async () => {
      await stack().run(['signal', slug, 'extend', '--by', '5m']);
      await stack().run(['signal', `alice/demo#${String(life.issue)}`, 'budget', '--turns', '1']);
      await life.files.letGo(slug);
      await life.frozen(1, 'done');
      assert.match(await life.files.agentLog(slug, 1), /own\.example/);
      await refused(/no turn is running/, 'signal', slug, 'extend', '--by', '5m');
      const stdout = await stack().run(['orchestrate', 'status', '--commands', '--json']);
      const { commands } = JSON.parse(stdout) as { readonly commands: readonly OperatorCommandRow[] };
      const ours = commands.filter((row) => row.slug === slug);
      assert.deepEqual(ours.map(({ kind }) => kind).toSorted(), ['budget', 'extend']);
    });
  });

  it('notify test hands a message to the command that is set', async () => {
    const told = join(dir, 'told');
    await writeFile(join(dir, 'tell'), `#!/bin/sh\ncat > '${told}'\n`, { mode: 0o755 });
    const hook = { NOTIFY_COMMAND: join(dir, 'tell') };
    const [code] = (await once(stack().service(['notify', 'test'], hook), 'close')) as [number];
    assert.equal(code, 0, stack().output.slice(-2000));
    assert.equal((JSON.parse(await readFile(told, 'utf8')) as { readonly kind: string }).kind, 'test');
  });

  it('config show says where each setting comes from, and no secret', async () => {
    const stdout = await stack().run(['config', 'show']);
    assert.match(stdout, /^FORGE_REPOS +alice\/\* +environment$/m);
    assert.match(stdout, /^FORGE_TRIGGER +collaborators +default$/m);
    for (const secret of [
      stack().gitea.bot.sidecarToken,
      stack().gitea.bot.publisherToken,
      stack().webhookSecret,
    ])
      assert.ok(!stdout.includes(secret));
  });

  it('agents and bottles are shown with what is in effect, and those that come with it are in order', async () => {
    assert.match(await stack().run(['agents', 'show', 'demo']), /^provider +scripted +\S+demo\.md:2$/m);
    assert.match(await stack().run(['bottles', 'show', 'default', 'go']), /^registries +go +\S+go\.md:\d+$/m);
    for (const kind of ['agents', 'bottles'])
      assert.match(await stack().run([kind, 'check']), /^\d+ \w+ checked: ok$/m);
    const { code } = await stack().cli(['agents', 'check', 'nobody']);
    assert.equal(code, 3);
  });
});
