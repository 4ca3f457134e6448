import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ALLOWED, ALLOWED_ROOTS, BESIDE, PLANTED } from './planted-imports.js';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const DEPCRUISE = path.join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

interface Report {
  readonly modules: readonly { readonly source: string }[];
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}

function cruise(cwd: string, folder = 'src'): Report {
  const run = spawnSync(
    process.execPath,
    [DEPCRUISE, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', folder],
    { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  assert.ok(run.stdout.startsWith('{'), `dependency-cruiser gave no report: ${run.stderr}`);
  return JSON.parse(run.stdout) as Report;
}

function found(report: Report): Set<string> {
  return new Set(report.summary.violations.map((v) => `${v.rule.name} ${v.from}`));
}

describe('import rules', function () {
  this.timeout(60_000);
  const made: string[] = [];

  function plant(files: Readonly<Record<string, string>>): string {
    const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'bot-bottle-imports-')));
    made.push(dir);
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json', 'package.json']) {
      cpSync(path.join(ROOT, file), path.join(dir, file));
    }
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(dir, 'node_modules'));
    for (const [file, code] of Object.entries(files)) {
      const target = path.join(dir, 'src', file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, `${code}\n`);
    }
    return dir;
  }

  after(() => {
    for (const dir of made) rmSync(dir, { recursive: true });
  });

  describe('a planted violation', () => {
    let reported: Set<string>;

    before(() => {
      const files = Object.fromEntries(PLANTED.map(([, file, code]) => [file, code]));
      assert.equal(Object.keys(files).length, PLANTED.length, 'two violations in one file');
      reported = found(cruise(plant({ ...ALLOWED, ...BESIDE, ...files })));
    });

    for (const [rule, file, code] of PLANTED) {
      it(`is reported as ${rule}: src/${file}: ${code.slice(0, 60)}`, () => {
        assert.ok(reported.has(`${rule} src/${file}`), `only: ${[...reported].sort().join('\n')}`);
      });
    }
  });

  it('every rule has a planted violation', () => {
    const list =
      'const r = require(process.argv[1]).forbidden; console.log(JSON.stringify(r.map((x) => x.name)))';
    const config = path.join(ROOT, '.dependency-cruiser.cjs');
    const names = JSON.parse(
      execFileSync(process.execPath, ['-e', list, config], { encoding: 'utf8' }),
    ) as string[];
    const planted = new Set(PLANTED.map(([rule]) => rule));
    assert.deepEqual(
      names.filter((name) => !planted.has(name)),
      [],
    );
  });

  it('what the table allows is not reported', () => {
    const report = cruise(plant({ ...ALLOWED, ...ALLOWED_ROOTS }));
    assert.ok(report.summary.totalCruised > Object.keys(ALLOWED).length);
    assert.deepEqual([...found(report)], []);
  });

  // `npm run depcruise` passes when it sees nothing. That the whole tree keeps the table, it says itself.
  it('more than a handful of the modules of the tree are seen', () => {
    const folder = 'src/domain/forge';
    const { modules } = cruise(ROOT, folder);
    const own = modules.filter(({ source }) => source.startsWith(folder) && source.endsWith('.ts'));
    assert.ok(own.length > 10, `only ${String(own.length)} modules of ${folder} were seen`);
  });
});
