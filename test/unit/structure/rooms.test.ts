import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../../support/entries/entry-process.js';

const SOURCE = join(ROOT, 'src');
const MOST_FILES = 25;
const MOST_LINES = 300;
/** A table, a setting an entry. */
const LONGER = ['config/settings.ts'];
/** `src/bundle/egress/model/` is of the room `bundle/egress`. */
const DEPTH = 2;
const IMPORT = /(?:from |import\()'(\.[^']+)'/g;

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

function roomOf(file: string): string {
  return file.split('/').slice(0, -1).slice(0, DEPTH).join('/') || file;
}

/** The rooms that each one needs. */
function arrows(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of files) {
    const from = roomOf(file);
    const needs = found.get(from) ?? new Set();
    found.set(from, needs);
    for (const [, path = ''] of readFileSync(join(SOURCE, file), 'utf8').matchAll(IMPORT)) {
      const to = roomOf(relative(SOURCE, join(SOURCE, dirname(file), path)).replace(/\.js$/, '.ts'));
      if (to !== from) needs.add(to);
    }
  }
  return found;
}

/** A way from a room back to itself. */
function circleIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  const visit = (room: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(room)) return [...way.slice(way.indexOf(room)), room];
    if (done.has(room)) return undefined;
    for (const next of graph.get(room) ?? []) {
      const circle = visit(next, [...way, room]);
      if (circle !== undefined) return circle;
    }
    done.add(room);
    return undefined;
  };
  for (const room of graph.keys()) {
    const circle = visit(room, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

describe('the folders of the source', () => {
  it('need each other one way only', () => {
    const graph = arrows();
    assert.ok(graph.size > 40, `only ${String(graph.size)} were seen`);
    assert.equal(circleIn(graph)?.join(' → '), undefined);
  });

  it('would be told of a circle', () => {
    const graph = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c', 'd'])],
      ['d', new Set(['b'])],
    ]);
    assert.deepEqual(circleIn(graph), ['b', 'd', 'b']);
  });

  it(`hold ${String(MOST_FILES)} files each at most`, () => {
    const held = new Map<string, number>();
    for (const file of files) held.set(dirname(file), (held.get(dirname(file)) ?? 0) + 1);
    assert.deepEqual(
      [...held].filter(([, count]) => count > MOST_FILES),
      [],
    );
  });

  it(`have no file of more than ${String(MOST_LINES)} lines`, () => {
    const long = files.filter(
      (file) => readFileSync(join(SOURCE, file), 'utf8').split('\n').length > MOST_LINES + 1,
    );
    assert.deepEqual(long, LONGER);
  });
});
