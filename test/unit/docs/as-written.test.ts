import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ScriptWorld } from '../../support/script/script-world.js';
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
  let world: ScriptWorld;
  beforeEach(() => {
    world = new ScriptWorld();
  });
  afterEach(() => {
    world.remove();
  });

  describe('to renew the images', () => {
    const IMAGES = [
      'bot-bottle/base:bookworm',
      'bot-bottle/agent-claude:dev',
      'bot-bottle/run:implementer-alice-demo-12-x7k2p.0f3a',
      'debian:bookworm',
    ];
    let removed: string;

    beforeEach(() => {
      world.stub('docker', `[[ $1 != images ]] || printf '%s\\n' ${IMAGES.join(' ')}`);
      world.stub('script/images');
      world.shell(blockWith('docs/upgrade.md', 'docker image rm'));
      removed = world.calls().find((call) => call.startsWith('docker image rm')) ?? '';
    });

    it('removes every one, but for what frozen runs go on in', () => {
      assert.equal(removed, 'docker image rm -f bot-bottle/base:bookworm bot-bottle/agent-claude:dev');
    });

    it('makes those of the agents again, too', () => {
      assert.ok(world.calls().includes('images agents'), world.calls().join('\n'));
    });
  });
});
