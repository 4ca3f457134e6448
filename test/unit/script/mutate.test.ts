import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { testsFor } from '../../../script/lib/mutate/mirror.js';
import { outcomeLines } from '../../../script/lib/mutate/outcome-lines.js';
import { ROOT } from '../../support/entries/entry-process.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

describe('script/mutate', () => {
  const path = useTempDir();

  it('runs the tests of the folder, then those above it and what else imports it, but nothing that takes long', () => {
    const sources: Readonly<Record<string, string>> = {
      'test/unit/bundle/desk.test.ts': `import { a } from '../../../src/domain/run/slug.js';`,
      'test/unit/cli/other.test.ts': `import { a } from '../../../src/domain/runner/slug.js';`,
      'test/unit/domain/golden.test.ts': '',
      'test/unit/domain/run/slug.test.ts': '',
      'test/unit/domain/run/any.property.test.ts': '',
      'test/unit/domain/text-cpu.test.ts': `import { a } from '../../../src/domain/run/slug.js';`,
    };
    const tests = (target: string): readonly string[] =>
      testsFor(target, Object.keys(sources), (test) => sources[test] ?? '');
    const ofRun = [
      'test/unit/domain/run/slug.test.ts',
      'test/unit/bundle/desk.test.ts',
      'test/unit/domain/golden.test.ts',
    ];
    assert.deepEqual(tests('src/domain/run'), ofRun);
    assert.deepEqual(tests('src/domain/run/slug.ts'), ofRun);
  });

  it('says what survived, with its place, and the score of each folder', () => {
    const at = (line: number, from: number, to: number) => ({
      location: { start: { line, column: from }, end: { line, column: to } },
      replacement: 'false',
    });
    const lines = outcomeLines(
      [
        { fileName: 'src/b/x.ts', status: 'Killed', ...at(1, 5, 9) },
        { fileName: 'src/b/x.ts', status: 'Survived', ...at(2, 5, 10) },
        { fileName: 'src/a/y.ts', status: 'NoCoverage', ...at(1, 1, 4) },
        { fileName: 'src/a/y.ts', status: 'Timeout', ...at(1, 1, 4) },
        { fileName: 'src/a/y.ts', status: 'Ignored', ...at(1, 1, 4) },
      ],
      () => 'if (true) {\nif (a > b) {',
    );
    assert.deepEqual(lines, [
      'unreached src/a/y.ts:1:1  if  ->  false',
      'survived  src/b/x.ts:2:5  a > b  ->  false',
      'src/a: 50.0 % (1 noticed, 1 not)',
      'src/b: 50.0 % (1 noticed, 1 not)',
      'in all: 50.0 % (2 noticed, 2 not)',
    ]);
  });

  it('sees a test fail for the change that is made, and for no other', () => {
    const file = path('planted.mjs');
    writeFileSync(
      file,
      `describe('a test', () => {
        it('is well', () => undefined);
        it('fails', () => { if (globalThis.__stryker__.activeMutant === '7') throw new Error('noticed'); });
      });`,
    );
    const play = `
      const { MochaRunner } = await import('./script/lib/mutate/mocha-runner.ts');
      const runner = new MochaRunner({ unitTests: [process.argv[1]] });
      const how = { disableBail: false, timeout: 1000, mutantActivation: 'runtime' };
      const outcomes = [await runner.dryRun(how)];
      for (const [id, testFilter] of [['7'], ['8'], ['7', ['a test is well']]])
        outcomes.push(await runner.mutantRun({ ...how, activeMutant: { id }, testFilter }));
      console.log(JSON.stringify(outcomes.map(({ status, tests, nrOfTests }) => [status, tests?.length ?? nrOfTests])));
    `;
    const printed = execFileSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', play, file],
      { cwd: ROOT, encoding: 'utf8' },
    );
    assert.deepEqual(JSON.parse(printed), [
      ['complete', 2],
      ['killed', 2],
      ['survived', 2],
      ['survived', 1],
    ]);
  });

  it('does not begin with a test that fails when it is run once more: it would notice any change', () => {
    const file = path('once.mjs');
    writeFileSync(
      file,
      `let runs = 0;
      describe('a test', () => {
        it('passes once', () => { if ((runs += 1) > 1) throw new Error('used up'); });
      });`,
    );
    const play = `
      const { MochaRunner } = await import('./script/lib/mutate/mocha-runner.ts');
      // As the instrumented code makes it.
      globalThis.__stryker__.mutantCoverage = { static: {}, perTest: {} };
      const { status, errorMessage } = await new MochaRunner({ unitTests: [process.argv[1]] }).dryRun({ disableBail: false });
      console.log(JSON.stringify([status, errorMessage]));
    `;
    const printed = execFileSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', play, file],
      { cwd: ROOT, encoding: 'utf8' },
    );
    assert.deepEqual(JSON.parse(printed), ['error', 'does not pass a second time: a test passes once']);
  });
});
