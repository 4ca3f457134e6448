import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ManifestDirectory } from '../../../src/adapters/manifests/manifest-directory.js';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { manifestLibrary } from '../../../src/wiring/manifest-library.js';
import { needsWorld } from '../../../src/wiring/needs-world.js';
import { withTempDir } from '../../support/files/temp-home.js';
import { cliWith, type Ran } from './small-world.js';

type Run = (...args: string[]) => Promise<Ran>;

/** The commands over a home with these files and no built-in manifests. */
function withHome(
  files: Readonly<Record<string, string>>,
  work: (run: Run, home: string) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  return withTempDir(async (home) => {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(home, name)), { recursive: true });
      await writeFile(join(home, name), content, { mode: 0o600 });
    }
    const library = manifestLibrary(
      new ManifestDirectory(home, join(home, 'built-in')),
      needsWorld(loadConfig({ BOT_BOTTLE_HOME: home, ...env }).config),
    );
    const { run } = cliWith({ deps: { manifests: () => library } });
    await work(async (...args) => {
      const ran = await run(...args);
      const shorten = (text: string): string => text.replaceAll(`${home}/`, '');
      return { ...ran, stdout: shorten(ran.stdout), stderr: shorten(ran.stderr) };
    }, home);
  });
}

const AGENT = '---\nprovider: scripted\n---\nYou \u001b[2Jcode.\n';
const BASE =
  '---\nimage: reg.example/base:1\nenv: { A: one, B: two }\negress: { allow: [a.example.org] }\n---\n';
const MID = `---
extends: base
dockerfile: mid.Dockerfile
env: { A: three }
egress:
  allow: [b.example.org, a.example.org]
routes:
  - name: model
    upstream: https://api.example.org
    auth: { secret: model-key }
---
For people.
`;
const GOOD = {
  'agents/coder.md': AGENT,
  'bottles/default.md': '---\n---\n',
  'bottles/base.md': BASE,
  'bottles/mid.md': MID,
  'bottles/mid.Dockerfile': 'FROM bot-bottle/base:dev\nRUN true\n',
};
const lines = (text: string): string[] => text.trimEnd().split('\n');

describe('agents and bottles', () => {
  it('list names what there is, and says of each what it is about or why it cannot be used', () =>
    withHome({ ...GOOD, 'agents/bad.md': '---\nmodle: x\n---\n' }, async (run) => {
      const agents = await run('agents', 'list');
      assert.equal(agents.code, EXIT.ok);
      assert.deepEqual(lines(agents.stdout), [
        'AGENT  PROVIDER, BOTTLE   NOW         FILE',
        'bad    cannot be used     cannot run  -',
        'coder  scripted, default  scripted    agents/coder.md',
      ]);
      assert.match(agents.stderr, /^agents\/bad\.md:2: "provider" is missing$/m);
      const bottles = JSON.parse((await run('bottles', 'list', '--json')).stdout) as {
        bottles: { name: string; about: string; problem: null }[];
      };
      assert.deepEqual(
        bottles.bottles.map(({ name, about, problem }) => [name, about, problem]),
        [
          ['base', '', null],
          ['default', '', null],
          ['mid', 'base', null],
        ],
      );
    }));

  it('show what is in effect, each value with the lines it comes from', () =>
    withHome(GOOD, async (run) => {
      const { stdout, code } = await run('bottles', 'show', 'mid');
      assert.equal(code, EXIT.ok);
      for (const row of [
        /^mid, from bottles\/base\.md, bottles\/mid\.md$/m,
        /^dockerfile +FROM bot-bottle\/base:dev … \(2 lines\) +bottles\/mid\.md:3$/m,
        /^env\.A +three +bottles\/mid\.md:4$/m,
        /^env\.B +two +bottles\/base\.md:3$/m,
        /^egress\.allow +a\.example\.org, b\.example\.org +bottles\/base\.md:4, bottles\/mid\.md:6$/m,
        /^routes\.model +\{"name":"model".+ +bottles\/mid\.md:8$/m,
        /^resources\.pids +512 +default$/m,
        /^resources\.disk +- +default$/m,
        /^For people\.$/m,
      ])
        assert.match(stdout, row);
      assert.doesNotMatch(stdout, /^image /m, 'the Dockerfile took its place');
    }));

  it('check names the route of a merged bottle that takes another one’s variable', () => {
    const route = (name: string): string =>
      `routes:\n  - { name: ${name}, upstream: "https://${name}.example", key_env: API_KEY }\n`;
    const files = {
      'bottles/low.md': `---\n${route('low')}---\n`,
      'bottles/high.md': `---\nextends: low\n${route('high')}---\n`,
    };
    return withHome(files, async (run) => {
      const { code, stdout, stderr } = await run('bottles', 'check', 'high');
      assert.notEqual(code, EXIT.ok);
      assert.match(
        stdout + stderr,
        /bottles\/high\.md:4: "routes" low and high have one key_env, API_KEY: give each its own/,
      );
    });
  });

  it('show as JSON has all of it, of several bottles merged from left to right', () =>
    withHome(GOOD, async (run) => {
      const { stdout } = await run('bottles', 'show', 'mid', 'base', '--json');
      const shown = JSON.parse(stdout) as {
        name: string;
        layers: { name: string }[];
        values: { key: string; value: unknown; from: string[] }[];
      };
      assert.equal(shown.name, 'mid+base');
      assert.deepEqual(
        shown.layers.map(({ name }) => name),
        ['base', 'mid', 'base'],
      );
      const image = shown.values.find(({ key }) => key === 'image');
      assert.deepEqual(image, { key: 'image', value: 'reg.example/base:1', from: ['bottles/base.md:2'] });
      assert.deepEqual(shown.values.find(({ key }) => key === 'env.A')?.from, ['bottles/base.md:3']);
    }));

  it('show an agent with its prompt, harmless for a terminal', () =>
    withHome(GOOD, async (run) => {
      const { stdout } = await run('agents', 'show', 'coder');
      assert.match(stdout, /^provider +scripted +agents\/coder\.md:2$/m);
      assert.match(stdout, /^limits\.watchdog +- +default$/m);
      assert.match(stdout, /^You \\u\{1b\}\[2Jcode\.$/m);
    }));

  describe('of an agent with several providers', () => {
    const several = { ...GOOD, 'agents/coder.md': '---\nprovider: [claude, codex]\n---\nCode.\n' };
    const setKey = (name: string): Readonly<Record<string, string>> => ({
      ...several,
      [`secrets/${name}`]: 'a-key-that-is-long-enough\n',
    });

    it('say which of them would play it now, and why', () =>
      withHome(setKey('openai-api-key'), async (run) => {
        const { stdout } = await run('agents', 'show', 'coder');
        assert.match(stdout, /^plays it now: codex: openai-api-key is set$/m);
        assert.match(stdout, /^provider +claude, codex +agents\/coder\.md:2$/m);
        const shown = JSON.parse((await run('agents', 'show', 'coder', '--json')).stdout) as { now: unknown };
        assert.deepEqual(shown.now, { provider: 'codex', why: 'openai-api-key is set' });
        const listed = (await run('agents', 'list')).stdout;
        assert.match(listed, /^coder +claude\|codex, default +codex +agents\/coder\.md$/m);
      }));

    it('say that none can, with the commands that set a key', () =>
      withHome(several, async (run) => {
        const why =
          'no model key is set: bot-bottle secret set anthropic-api-key < key, ' +
          'or bot-bottle secret set claude-code-oauth-token < key, or bot-bottle secret set openai-api-key < key';
        const { stdout } = await run('agents', 'show', 'coder');
        assert.ok(stdout.includes(`\nplays it now: none: ${why}\n`), stdout);
        assert.match((await run('agents', 'list')).stdout, /^coder +claude\|codex, default +cannot run /m);
        const checked = await run('agents', 'check');
        assert.equal(checked.code, EXIT.ok);
        assert.equal(checked.stderr, `warning: agents/coder.md:2: cannot run: ${why}\n`);
      }));

    it('say that a key is not bound to the address that the settings name', () =>
      withHome(
        setKey('anthropic-api-key'),
        async (run) => {
          const { stderr } = await run('agents', 'check');
          assert.match(
            stderr,
            /cannot run: .* the secret anthropic-api-key to 10\.0\.0\.5:8080, to which it is not bound .*: bot-bottle secret set anthropic-api-key --host 10\.0\.0\.5:8080 < file$/m,
          );
        },
        { MODEL_ANTHROPIC_URL: 'http://10.0.0.5:8080' },
      ));
  });

  it('say that there is no such manifest, and of a broken one what is wrong', () =>
    withHome({ 'agents/bad.md': '---\nmodle: x\n---\n' }, async (run) => {
      for (const args of [
        ['agents', 'show', 'nobody'],
        ['bottles', 'show', 'nothing'],
        ['agents', 'check', 'nobody'],
      ]) {
        const { code, stderr } = await run(...args);
        assert.equal(code, EXIT.notFound, args.join(' '));
        assert.match(stderr, new RegExp(`: bot-bottle ${args[0] ?? ''} list has them$`, 'm'));
      }
      const ran = await run('agents', 'show', 'bad');
      assert.equal(ran.code, EXIT.usage);
      assert.match(ran.stderr, /agents\/bad\.md:2: unknown key "modle"/);
    }));

  it('say which of several there is not', () =>
    withHome(GOOD, async (run) => {
      const one = await run('bottles', 'show', 'default', 'nosuch');
      assert.equal(one.code, EXIT.notFound);
      assert.equal(
        one.stderr,
        'bot-bottle: no such manifest among the bottles, nosuch: bot-bottle bottles list has them\n',
      );
      const { stderr } = await run('bottles', 'show', 'nor-this', 'mid', 'nosuch');
      assert.match(stderr, /among the bottles, nor-this, nosuch:/);
    }));

  it('check finds nothing wrong with what is right, and warns of a secret that is not set', () =>
    withHome(GOOD, async (run, home) => {
      assert.deepEqual(await run('agents', 'check'), {
        code: 0,
        stdout: '1 agents checked: ok\n',
        stderr: '',
      });
      const before = await run('bottles', 'check');
      assert.deepEqual([before.code, before.stdout], [0, '3 bottles checked: ok\n']);
      assert.equal(
        before.stderr,
        'warning: bottles/mid.md:8: route "model" cannot be used: secret "model-key" is not set: bot-bottle secret set model-key --host api.example.org:443 < file\n',
      );
      await mkdir(join(home, 'secrets'), { mode: 0o700 });
      await writeFile(join(home, 'secrets/model-key'), 'long-enough-key', { mode: 0o600 });
      assert.match((await run('bottles', 'check', 'mid')).stderr, /to which it is not bound/);
      await writeFile(join(home, 'secrets/model-key.hosts'), 'api.example.org:443\n', { mode: 0o600 });
      assert.equal((await run('bottles', 'check', 'mid')).stderr, '');
    }));

  it('check finds what a single file does not show, each with file and line', () =>
    withHome(
      {
        'agents/a.md': '---\nmodel: big\nprovider: scripted\n---\n',
        'agents/b.md': '---\nprovider: scripted\nvariant: high\n---\n',
        'agents/c.md': '---\nprovider: nobodys\nbottle: nowhere\n---\n',
        'agents/d.md': '---\nprovider: scripted\n\nbottle: broken\n---\n',
        'agents/Wrong.md': AGENT,
        'bottles/default.md': '---\n---\n',
        'bottles/broken.md': '---\nextends: gone\n---\n',
        'bottles/heir.md': '---\nextends: lost-file\n---\n',
        'bottles/lost-file.md': '---\ndockerfile: nowhere\n---\n',
      },
      async (run) => {
        const agents = await run('agents', 'check');
        assert.equal(agents.code, EXIT.failed);
        const told = lines(agents.stderr);
        assert.equal(told.length, 6, agents.stderr);
        for (const [index, start] of [
          /^agents\/Wrong\.md:1: no manifest can have this name/,
          /^agents\/a\.md:2: provider scripted has no models/,
          /^agents\/b\.md:3: provider scripted has no variants/,
          /^agents\/c\.md:2: provider nobodys is not built into this version/,
          /^agents\/c\.md:3: "bottle" names "nowhere", and there is no such bottle$/,
          /^agents\/d\.md:4: "bottle" names "broken", which cannot be used: bot-bottle bottles check broken$/,
        ].entries())
          assert.match(told[index] ?? '', start);
        const bottles = await run('bottles', 'check', '--json');
        assert.equal(bottles.code, EXIT.failed);
        assert.deepEqual(JSON.parse(bottles.stdout), {
          ok: false,
          checked: ['broken', 'default', 'heir', 'lost-file'],
          findings: [
            {
              level: 'problem',
              message: 'bottles/broken.md:2: "extends" names "gone", and there is no such bottle',
            },
            {
              level: 'problem',
              message:
                'bottles/lost-file.md:2: "dockerfile" names bottles/nowhere, and there is no such file',
            },
          ],
        });
      },
    ));
});
