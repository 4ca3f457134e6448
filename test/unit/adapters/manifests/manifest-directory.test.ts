import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ManifestDirectory } from '../../../../src/adapters/manifests/manifest-directory.js';
import { ManifestError } from '../../../../src/domain/manifest-reader.js';
import { withTempDir } from '../../../support/files/temp-home.js';

/** Writes the files and asks for the manifests of that home, without built-in ones. */
function withFiles<T>(
  files: Readonly<Record<string, string>>,
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
      '---\nprovider: claude\nmodel: provider/model-4.5\nbottle: big\ngit:\n  user: { name: Ann O, email: ann@example.org }\n---\n\n# Do it\n\nWell.\n';
    await withFiles({ 'agents/impl.md': text }, async (manifests) => {
      assert.deepEqual(await manifests.agent('impl'), {
        name: 'impl',
        provider: 'claude',
        model: 'provider/model-4.5',
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
        provider: 'scripted',
        model: null,
        bottle: 'default',
        gitUser: { name: 'bot-bottle impl', email: 'impl@bot-bottle.invalid' },
        prompt: '',
      });
    });
  });

  it('is reported with the line of everything that is wrong', async () => {
    assert.deepEqual(
      await problems(
        'agents',
        '---\nprovider: scripted\n# a comment\nmodle: x\nmodel: "--help"\nvariant: high\n---\n',
      ),
      [
        '4: unknown key "modle"; known here: bottle, git, model, provider',
        '5: "model" has characters other than A-Z a-z 0-9 . _ / -, or begins with none of them',
        '6: "variant" is not supported by this version',
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
      '2: "provider" must be text',
      '3: "git" must be a map',
    ]);
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
      const mid = {
        name: 'mid',
        image: 'reg.example/base:1',
        env: { A: 'two', N: '5' },
        limits: { memoryBytes: 1024 ** 3, cpus: 0.5, pids: 64 },
        publish: { allowPaths: ['.github/', 'docs/'], drafts: true, base: 'release/1.x' },
      };
      assert.deepEqual(await manifests.bottle(['mid']), mid);
      assert.deepEqual(await manifests.bottle(['mid', 'other']), {
        ...mid,
        name: 'mid+other',
        image: 'b',
        publish: { ...mid.publish, drafts: false },
      });
      assert.equal(await manifests.bottle(['mid', 'absent']), undefined);
    });
  });

  it('is refused for what this version does not do, instead of ignoring it', async () => {
    const text =
      '---\negress:\n  allow: [x.org]\nroutes: []\ndockerfile: x\nsetup: x\nworkspace: {}\nforge_wake: org\nfoo: 1\n---\n';
    const found = await problems('bottles', text);
    assert.deepEqual(found.slice(0, 6), [
      '2: "egress" is not supported by this version',
      '4: "routes" is not supported by this version',
      '5: "dockerfile" is not supported by this version',
      '6: "setup" is not supported by this version',
      '7: "workspace" is not supported by this version',
      '8: "forge_wake" is not supported by this version',
    ]);
    assert.match(found[6] ?? '', /^9: unknown key "foo"/);
  });

  it('is refused for sizes, variables and names that cannot be', async () => {
    const bad = [
      'resources: { memory: 2x }',
      'resources: { memory: 1m }',
      'resources: { cpus: 0 }',
      'resources: { pids: 20.5 }',
      'env: { FORGE_TOKEN: x }',
      'env: { "A-B": x }',
      'env: { A: [1] }',
      'image: "-x"',
      'publish: { base: "a..b" }',
      'publish: { allow_paths: [1] }',
      'publish: { drafts: maybe }',
      'extends: [../x]',
    ];
    for (const line of bad)
      assert.match(
        (
          await problems('bottles', `---\nimage: ok\n${line}\n---\n`.replace('image: ok\nimage', 'image'))
        ).join('\n'),
        /^[23]: "/,
        line,
      );
  });

  it('is refused when what it extends does not exist or leads back to it', async () => {
    const files = {
      'bottles/a.md': '---\nextends: b\n---\n',
      'bottles/b.md': '---\nextends: a\n---\n',
      'bottles/c.md': '---\nextends: gone\n---\n',
    };
    await withFiles(files, async (manifests) => {
      await assert.rejects(manifests.bottle(['a']), /circle: a → b → a/);
      await assert.rejects(manifests.bottle(['c']), /there is no bottle "gone"/);
    });
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

  it('have built-in examples that work', () =>
    withTempDir(async (home) => {
      const manifests = new ManifestDirectory(home);
      const agent = await manifests.agent('implementer');
      assert.ok(agent !== undefined);
      assert.equal(agent.provider, 'scripted');
      assert.ok(agent.prompt.length > 100);
      assert.notEqual(await manifests.bottle([agent.bottle]), undefined);
    }));
});
