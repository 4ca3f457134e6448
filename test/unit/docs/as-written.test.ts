import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { useScriptWorld } from '../../support/script/script-world.js';
import { ROOT } from './tree.js';

/** The block of a page that has these words. */
function blockWith(page: string, words: string): string {
  const text = readFileSync(path.join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(/^```\w+\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  const found = blocks.filter((block) => block.includes(words));
  assert.equal(found.length, 1, `${page} has ${String(found.length)} blocks with: ${words}`);
  return found[0] ?? '';
}

describe('what the documents say to run, over stand-ins', () => {
  const world = useScriptWorld();

  describe('to renew the images', () => {
    const IMAGES = [
      'bot-bottle/base:bookworm',
      'bot-bottle/agent-claude:dev',
      'bot-bottle/run:implementer-alice-demo-12-x7k2p.0f3a',
      'debian:bookworm',
    ];
    let removed: string;

    beforeEach(() => {
      world().stub('docker', `[[ $1 != images ]] || printf '%s\\n' ${IMAGES.join(' ')}`);
      world().stub('script/images');
      world().shell(blockWith('docs/upgrade.md', 'docker image rm'));
      removed =
        world()
          .calls()
          .find((call) => call.startsWith('docker image rm')) ?? '';
    });

    it('removes every one, but for what frozen runs go on in', () => {
      assert.equal(removed, 'docker image rm -f bot-bottle/base:bookworm bot-bottle/agent-claude:dev');
    });

    it('makes those of the agents and of the service again, too', () => {
      for (const call of ['images', 'images agents', 'images orchestrator'])
        assert.ok(world().calls().includes(call), world().calls().join('\n'));
    });
  });

  describe('to keep a secret in a file', () => {
    const modeOf = (file: string): number => statSync(path.join(world().root, file)).mode & 0o777;

    it('leaves a token of the HTTP API to its owner', () => {
      world().stub('bot-bottle', 'echo secret');
      world().stub('curl');
      world().shell(`umask 022\n${blockWith('docs/api.md', 'token create')}`);
      assert.equal(world().read('token'), 'secret\n');
      assert.equal(modeOf('token'), 0o600);
    });

    it('leaves the configuration to its owner, and the home', () => {
      world().shell(`umask 002\n${blockWith('README.md', 'config.yaml')}`);
      assert.equal(modeOf('.bot-bottle'), 0o700);
      assert.equal(modeOf('.bot-bottle/config.yaml'), 0o600);
    });

    for (const page of ['README.md', 'docs/install.md'])
      it(`hands a token on as it was typed, in ${page}`, () => {
        world().stub('bot-bottle', 'cat >"$ROOT/${!#}"');
        const [line = ''] = blockWith(page, 'token() {').split('\n');
        world().shell(`${line}\ntoken 'a token' <<<'se\\cret  x' | bot-bottle secret set forge-token`);
        assert.equal(world().read('forge-token'), 'se\\cret  x');
      });

    it('leaves a model’s key to its owner from the beginning', () => {
      world().stub('chmod', '/bin/ls -l "${!#}" >"$ROOT/before"');
      world().shell(`umask 022\n${blockWith('README.md', 'OPENCODE_API_KEY')}`);
      assert.match(world().read('.config/forklift/opencode.env'), /^OPENCODE_API_KEY=.*\n(?:\w+=.*\n){3}$/);
      assert.equal(modeOf('.config/forklift/opencode.env'), 0o600);
      // Already before its chmod, which is for a file that was there.
      assert.match(world().read('before'), /^-rw------- /);
    });
  });

  it('as a systemd unit can be enabled, and starts behind what it needs', () => {
    const unit = new Map<string, string>();
    let section = '';
    for (const line of blockWith('docs/install.md', 'ExecStart').trim().split('\n')) {
      const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
      const [, key, value] = /^(\w+)=(.+)$/.exec(line) ?? [];
      if (name !== undefined) section = name;
      else if (key !== undefined && value !== undefined) unit.set(`${section}.${key}`, value);
      else assert.equal(line, '');
    }
    const needed = 'docker.service network-online.target';
    const wanted = {
      'Unit.Wants': needed,
      'Unit.After': needed,
      'Service.Restart': 'always',
      'Service.RestartSec': '10',
      'Install.WantedBy': 'multi-user.target',
    };
    for (const [key, value] of Object.entries(wanted)) assert.equal(unit.get(key), value, key);
  });
});

describe('what the documents say', () => {
  const read = (page: string): string => readFileSync(path.join(ROOT, page), 'utf8');

  it('of Docker Compose works while the worker has no tokens to start with', () => {
    const block = blockWith('docs/install.md', 'docker compose up');
    assert.match(block, /^token .* \| docker compose run --rm .*worker secret set forge-token$/m);
    assert.match(block, /^docker compose run --rm worker doctor$/m);
    assert.doesNotMatch(block, /compose exec/);
  });

  it('of a pipe into a container has no terminal', () => {
    for (const page of ['docs/install.md', 'docker-compose.yml'])
      for (const [line] of read(page).matchAll(/.*\|\s*docker compose exec.*/g))
        assert.match(line, /exec -T /);
    assert.match(read('docs/install.md'), /docker compose exec -T worker bot-bottle/);
  });

  it('of the removal stops the engine while its record is there', () => {
    const page = read('docs/uninstall.md');
    const stop = page.indexOf('script/bootstrap --stop');
    assert.ok(stop > 0 && stop < page.indexOf('**5. Delete the files**'));
  });
});
