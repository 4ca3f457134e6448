import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseManifest } from '../../../src/adapters/manifests/parse-manifest.js';
import type { ManifestDocument } from '../../../src/domain/manifest/manifest-document.js';
import { readAgentManifest } from '../../../src/domain/manifest/manifest-agent.js';
import { readBottleLayer } from '../../../src/domain/manifest/manifest-bottle.js';
import { ManifestError } from '../../../src/domain/manifest/manifest-reader.js';
import { ROOT } from './tree.js';

const PAGE = readFileSync(path.join(ROOT, 'docs/manifests.md'), 'utf8');

/** The keys in the first column of the section's table. */
function documented(section: string): string[] {
  const [, text = ''] = PAGE.split(`\n## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  return [...own.matchAll(/^\| `([^`]+)`/gm)].map(([, key = '']) => key).sort();
}

/** Every key that is taken: a key that no map has makes the reader name those that it knows there. */
function taken(read: (document: ManifestDocument) => unknown, maps: string): string[] {
  let message = '';
  try {
    read(parseManifest('x.md', 'x', `---\n${maps}\n---\n`));
  } catch (error) {
    assert.ok(error instanceof ManifestError);
    ({ message } = error);
  }
  const found = [...message.matchAll(/unknown key "(.*)odd"; known here: (.*)$/gm)];
  const all = found.flatMap(([, where = '', known = '']) =>
    known.split(', ').map((key) => where.replace('[0]', '[]') + key),
  );
  const isMap = (key: string): boolean =>
    all.some((other) => /^(?:\[\])?\./.test(other.slice(key.length)) && other.startsWith(key));
  return all.filter((key) => !isMap(key)).sort();
}

describe('the documented keys of manifests', () => {
  it('are those that an agent’s reader takes', () => {
    const maps = 'git: { user: { odd: 1 }, odd: 1 }\nlimits: { odd: 1 }\nodd: 1';
    assert.deepEqual(documented('Agents'), taken(readAgentManifest, maps));
  });

  it('are those that a bottle’s reader takes', () => {
    const maps = [
      ...['egress', 'resources', 'workspace', 'publish'].map((key) => `${key}: { odd: 1 }`),
      'routes: [{ auth: { odd: 1 }, model: { odd: 1 }, odd: 1 }]',
      'odd: 1',
    ];
    const known = taken((document) => readBottleLayer(document, () => false), maps.join('\n'));
    assert.ok(known.length > 25, known.join());
    assert.deepEqual(documented('Bottles'), known);
  });
});
