import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ManifestDirectory } from '../../../../src/adapters/manifests/manifest-directory.js';
import { ManifestError } from '../../../../src/domain/manifest/manifest-reader.js';
import { sampleBottle } from '../../../support/manifests/samples.js';
import { withTempDir } from '../../../support/files/temp-home.js';

/** Writes the files and asks for the manifests of that home, without built-in ones. */
function withFiles<T>(
  files: Readonly<Record<string, string | Buffer>>,
  work: (manifests: ManifestDirectory, home: string) => Promise<T>,
): Promise<T> {
  return withTempDir(async (home) => {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(home, name)), { recursive: true });
      await writeFile(join(home, name), content);
    }
    return work(new ManifestDirectory(home, join(home, 'built-in')), home);
  });
}

/** The problems of a manifest as `line: message`. */
async function problems(kind: 'agents' | 'bottles', content: string): Promise<string[]> {
  return withFiles({ [`${kind}/x.md`]: content }, async (manifests, home) => {
    const reading: Promise<unknown> = kind === 'agents' ? manifests.agent('x') : manifests.bottle(['x']);
    const error: unknown = await reading.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ManifestError, `no manifest error: ${String(error)}`);
    const prefix = `${join(home, kind, 'x.md')}:`;
    return error.message.split('\n').map((line) => {
      assert.ok(line.startsWith(prefix), line);
      return line.slice(prefix.length);
    });
  });
}

describe('an agent manifest', () => {
  it('has its body as prompt and its file name as key', async () => {
    const text =
      '---\nprovider: claude\nmodel: provider/model-4.5\nvariant: high\nlimits: { turn_timeout: 45m, watchdog: 5m }\nbottle: big\ngit:\n  user: { name: Ann O, email: ann@example.org }\n---\n\n# Do it\n\nWell.\n';
    await withFiles({ 'agents/impl.md': text }, async (manifests) => {
      assert.deepEqual(await manifests.agent('impl'), {
        name: 'impl',
        providers: ['claude'],
        model: 'provider/model-4.5',
        variant: 'high',
        limits: { turnTimeoutMs: 2_700_000, watchdogMs: 300_000 },
        bottle: 'big',
        gitUser: { name: 'Ann O', email: 'ann@example.org' },
        prompt: '# Do it\n\nWell.',
      });
    });
  });

  it('needs nothing but a provider', async () => {
    await withFiles({ 'agents/impl.md': '---\r\nprovider: scripted\r\n---\r\n' }, async (manifests) => {
      assert.deepEqual(await manifests.agent('impl'), {
        name: 'impl',
        providers: ['scripted'],
        model: null,
        variant: null,
        limits: { turnTimeoutMs: null, watchdogMs: null },
        bottle: 'default',
        gitUser: { name: 'bot-bottle impl', email: 'impl@bot-bottle.invalid' },
        prompt: '',
      });
    });
  });

  it('is reported with the line of everything that is wrong', async () => {
    assert.deepEqual(
      await problems('agents', '---\nprovider: scripted\n# a comment\nmodle: x\nmodel: "--help"\n---\n'),
      [
        '4: unknown key "modle"; known here: bottle, git, limits, model, provider, variant',
        '5: "model" has characters other than A-Z a-z 0-9 . _ / -, or begins with none of them',
      ],
    );
    assert.deepEqual(
      await problems('agents', '---\nbottle: ../x\ngit:\n  user:\n    name: "a\\nb"\n    shell: x\n---\n'),
      [
        '2: "provider" is missing',
        '2: "bottle" is not a possible name (a-z 0-9 . _ -)',
        '5: "git.user.name" is not a name for commits',
        '6: unknown key "git.user.shell"; known here: email, name',
      ],
    );
    assert.deepEqual(await problems('agents', '---\nprovider: 7\ngit: yes please\n---\n'), [
      '2: "provider" must be a list of texts',
      '3: "git" must be a map',
    ]);
  });

  it('may name several providers, for which it says neither model nor variant', async () => {
    const text = '---\nprovider: [codex, claude]\n---\n';
    await withFiles({ 'agents/impl.md': text }, async (manifests) => {
      assert.deepEqual((await manifests.agent('impl'))?.providers, ['codex', 'claude']);
    });
    const several = 'provider: [codex, claude]\nmodel: gpt-5\nvariant: high\n';
    assert.deepEqual(await problems('agents', `---\n${several}---\n`), [
      '3: "model" belongs to one provider, and "provider" lists several',
      '4: "variant" belongs to one provider, and "provider" lists several',
    ]);
    const one = '---\nprovider: [claude]\nmodel: claude-opus-5\n---\n';
    await withFiles({ 'agents/impl.md': one }, async (manifests) => {
      assert.equal((await manifests.agent('impl'))?.model, 'claude-opus-5');
    });
    for (const [given, wrong] of [
      ['[]', '2: "provider" names no provider'],
      ['[claude, codex, claude]', '2: "provider" names a provider twice'],
      ['[claude, "-x"]', '2: "provider" has characters other than'],
    ] as const)
      assert.ok((await problems('agents', `---\nprovider: ${given}\n---\n`)).join().startsWith(wrong));
  });

  for (const [what, value] of [
    ['a semicolon', 'a;b'],
    ['a space', 'a b'],
    ['a dollar', '$HOME'],
    ['a quote', "a'b"],
    ['a newline', '"a\\nb"'],
    ['nothing', '""'],
  ] as const) {
    it(`is refused with ${what} in a value that reaches a command line`, async () => {
      assert.match(
        (await problems('agents', `---\nprovider: scripted\nmodel: ${value}\n---\n`)).join(),
        /^3: "model" has characters/,
      );
    });
  }

  it('is refused when its front matter is no plain YAML map', async () => {
    assert.deepEqual(await problems('agents', 'provider: scripted\n'), ['1: must begin with a line "---"']);
    assert.deepEqual(await problems('agents', '---\nprovider: scripted\n'), [
      '1: the front matter has no closing line "---"',
    ]);
    assert.deepEqual(await problems('agents', '---\n- provider\n---\n'), [
      '2: the front matter must be a map',
    ]);
    assert.match(
      (await problems('agents', '---\nprovider: a\nprovider: b\n---\n')).join(),
      /^3: Map keys must be unique/,
    );
    assert.match((await problems('agents', '---\nprovider: [\n---\n')).join(), /^[23]: /);
    assert.deepEqual(await problems('agents', '---\nprovider: &a scripted\nmodel: *a\n---\n'), [
      '3: aliases are not supported',
    ]);
    assert.match(
      (await problems('agents', '---\nprovider: scripted\nmodel: !!binary aGk=\n---\n')).join(),
      /^3: /,
    );
  });
});

describe('a bottle manifest', () => {
  it('is merged with what it extends, and several from left to right', async () => {
    const files = {
      'bottles/base.md':
        '---\nimage: reg.example/base:1\nenv: { A: one, N: 5 }\nresources: { memory: 512m, cpus: 0.5 }\npublish: { allow_paths: [.github/] }\n---\n',
      'bottles/mid.md':
        '---\nextends: base\nenv: { A: two }\nresources: { memory: 1G, pids: 64 }\npublish: { allow_paths: docs/, drafts: true, base: release/1.x }\n---\n',
      'bottles/other.md': '---\nimage: b\npublish: { drafts: false }\n---\nFor people.\n',
    };
    await withFiles(files, async (manifests) => {
      const mid = sampleBottle({
        image: 'reg.example/base:1',
        env: { A: 'two', N: '5' },
        limits: { memoryBytes: 1024 ** 3, cpus: 0.5, pids: 64 },
        publish: { allowPaths: ['.github/', 'docs/'], drafts: true, base: 'release/1.x' },
      });
      assert.deepEqual(await manifests.bottle(['mid']), mid);
      assert.deepEqual(await manifests.bottle(['mid', 'other']), {
        ...mid,
        image: 'b',
        publish: { ...mid.publish, drafts: false },
      });
      assert.equal(await manifests.bottle(['mid', 'absent']), undefined);
    });
  });

  it('says everything that it can say', async () => {
    const text = `---
dockerfile: full.Dockerfile
env: { PYTHON: 3.10, DEBUG: true, HEX: 0x10 }
egress:
  allow: [API.example.org, "*.pages.example.org:8443,443", api.example.org]
routes:
  - name: model
    upstream: https://api.example.org/base/
    methods: [post]
    paths: [/v1/messages, /v1/models/]
    auth: { header: X-Api-Key, secret: model-key }
    base_url_env: MODEL_URL
    key_env: MODEL_KEY
    rewrite: true
  - { name: docs, upstream: http://10.0.0.7:8000, auth: { secret: docs-key } }
registries: [npm, pypi]
resources: { disk: 40g, files: 200000 }
setup: |
  npm ci
workspace: { depth: 50, sparse: [src/, .github], submodules: true, submodule_repos: alice/lib, lfs: true }
forge_wake: org
forge_read: allowed
runtime: runsc
---
`;
    const files = { 'bottles/full.md': text, 'bottles/full.Dockerfile': 'FROM scratch\n' };
    await withFiles(files, async (manifests) => {
      const docs = {
        methods: ['GET', 'HEAD'],
        paths: ['/'],
        baseUrlEnv: null,
        keyEnv: null,
        rewrite: false,
        model: null,
      };
      const expected = sampleBottle({
        dockerfile: 'FROM scratch\n',
        env: { PYTHON: '3.10', DEBUG: 'true', HEX: '0x10' },
        limits: { memoryBytes: 2 * 1024 ** 3, cpus: 2, pids: 512 },
        disk: { bytes: 40 * 1024 ** 3, inodes: 200_000 },
        allow: ['api.example.org', '*.pages.example.org:443,8443'],
        routes: [
          {
            name: 'model',
            upstream: 'https://api.example.org/base',
            methods: ['POST'],
            paths: ['/v1/messages', '/v1/models/'],
            auth: { header: 'x-api-key', prefix: '', secret: 'model-key' },
            baseUrlEnv: 'MODEL_URL',
            keyEnv: 'MODEL_KEY',
            rewrite: true,
            model: null,
          },
          {
            name: 'docs',
            upstream: 'http://10.0.0.7:8000',
            auth: { header: 'authorization', prefix: 'Bearer ', secret: 'docs-key' },
            ...docs,
          },
        ],
        registries: ['npm', 'pypi'],
        setup: 'npm ci\n',
        workspace: {
          depth: 50,
          sparse: ['src', '.github'],
          submodules: true,
          submoduleRepos: ['alice/lib'],
          lfs: true,
        },
        forgeWake: 'org',
        forgeRead: 'allowed',
        runtime: 'runsc',
      });
      assert.deepEqual(await manifests.bottle(['full']), expected);
    });
  });

  // One for each key: what a check refuses beside it is in the tests of the domain.
  for (const line of [
    'resources: { memory: 2x }',
    'resources: { cpus: 0 }',
    'resources: { pids: 20.5 }',
    'resources: { disk: 1k }',
    'resources: { files: 99 }',
    'env: { FORGE_TOKEN: x }',
    'image: "-x"',
    'publish: { base: "a..b" }',
    'publish: { allow_paths: ["a\\nb"] }',
    'publish: { drafts: maybe }',
    'extends: [../x]',
    'dockerfile: ../Dockerfile',
    'egress: { allow: [10.0.0.1] }',
    'egress: { allow: ["*.co.uk"] }',
    'egress: { allow: ["\u212Aernel.org"] }',
    'registries: [npmjs]',
    'setup: "a\\0b"',
    'workspace: { sparse: ["--stdin"] }',
    'workspace: { submodule_repos: [alice/*] }',
    'forge_wake: everybody',
    'runtime: "--privileged"',
    'routes: [{ name: X, upstream: "https://x.example" }]',
    'routes: [{ name: x }]',
    ...[
      'https://u:p@x.example"',
      'https://x.example/?a"',
      'https://x.example/#"',
      'https://x.example", methods: [CONNECT]',
      'https://x.example", paths: [/a%2fb]',
      'https://x.example", auth: {}',
      'https://x.example", key_env: "A-B"',
    ].map((rest) => `routes: [{ name: x, upstream: "${rest} }]`),
  ])
    it(`is refused for ${line}`, async () => {
      assert.match((await problems('bottles', `---\n${line}\n---\n`)).join('\n'), /^2: "/);
    });

  it('has a Dockerfile that is there, is text and not too long', async () => {
    assert.match(
      (await problems('bottles', '---\n\ndockerfile: b\n---\n')).join(),
      /^3: "dockerfile" names .*bottles\/b, and there is no such file$/,
    );
    for (const [content, why] of [
      [Buffer.from('FROM x\n\0'), /D:2: has a NUL character$/],
      [Buffer.from([0x46, 0x0a, 0xff]), /D:2: is not UTF-8$/],
      ['#'.repeat(64 * 1024 + 1), /D:1: longer than 65536 bytes$/],
    ] as const) {
      await withFiles(
        { 'bottles/x.md': '---\ndockerfile: D\n---\n', 'bottles/D': content },
        async (manifests) => {
          await assert.rejects(manifests.bottle(['x']), why);
        },
      );
    }
  });
});

describe('the manifests of a home', () => {
  it('come before built-in ones of the same name, and an edit counts at the next reading', async () => {
    const agent = (prompt: string): string => `---\nprovider: scripted\n---\n${prompt}`;
    await withFiles(
      {
        'built-in/agents/a.md': agent('built in'),
        'built-in/agents/b.md': agent('b'),
        'agents/a.md': agent('mine'),
      },
      async (manifests, home) => {
        assert.equal((await manifests.agent('a'))?.prompt, 'mine');
        assert.equal((await manifests.agent('b'))?.prompt, 'b');
        await writeFile(join(home, 'agents/a.md'), agent('edited'));
        assert.equal((await manifests.agent('a'))?.prompt, 'edited');
      },
    );
  });

  it('know no name that is a path, and nothing that is not there', async () => {
    await withFiles({ 'secret.md': '---\nprovider: scripted\n---\n' }, async (manifests) => {
      for (const name of ['../secret', '/etc/passwd', 'absent', '', 'A'])
        assert.equal(await manifests.agent(name), undefined);
    });
  });

  it('may be links, and what cannot be read is named', async () => {
    await withFiles({ 'kept/a.md': '---\nprovider: scripted\n---\n' }, async (manifests, home) => {
      await mkdir(join(home, 'agents/directory.md'), { recursive: true });
      await symlink('../kept/a.md', join(home, 'agents/link.md'));
      await symlink('/dev/zero', join(home, 'agents/endless.md'));
      assert.equal((await manifests.agent('link'))?.name, 'link');
      await assert.rejects(manifests.agent('directory'), /directory\.md cannot be read$/);
      await assert.rejects(manifests.agent('endless'), /endless\.md cannot be read$/);
    });
  });

  it('have built-in examples that work', () =>
    withTempDir(async (home) => {
      const manifests = new ManifestDirectory(home);
      for (const [name, providers] of [
        ['implementer', ['claude', 'codex', 'pi', 'opencode']],
        ['demo', ['scripted']],
      ] as const) {
        const agent = await manifests.agent(name);
        assert.deepEqual(agent?.providers, providers);
        assert.ok(agent.prompt.length > 100);
        assert.notEqual(await manifests.bottle([agent.bottle]), undefined);
        assert.equal(await manifests.isOwn('agents', name), false);
      }
    }));
});
