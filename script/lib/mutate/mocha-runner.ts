/**
 * A test runner for Stryker on mocha's public API. Stryker's own one for Node 20 reads inner files of mocha that version 12
 * does not have.
 */
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import { INSTRUMENTER_CONSTANTS, type MutantCoverage, type StrykerOptions } from '@stryker-mutator/api/core';
import {
  determineHitLimitReached,
  DryRunStatus,
  TestStatus,
  toMutantRunResult,
  type DryRunOptions,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
} from '@stryker-mutator/api/test-runner';
import Mocha from 'mocha';

/** What instrumented code reads and writes, in this process. */
interface Instrumented {
  activeMutant?: string;
  currentTestId?: string | undefined;
  mutantCoverage?: MutantCoverage;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
}

const shared = globalThis as { [INSTRUMENTER_CONSTANTS.NAMESPACE]?: Instrumented };
const context = (shared[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {});

const EVERY_TEST = /(?:)/;

/**
 * Runs the files of the option `unitTests`, which are loaded once; Stryker starts a process for what acts on loading. Its own
 * option `testFiles` is for runners whose tests are files.
 */
export class MochaRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.options);
  readonly #mocha = new Mocha({ ui: 'bdd', timeout: 0 });
  #isLoaded = false;
  #attributes = false;

  constructor(options: StrykerOptions) {
    this.#mocha.cleanReferencesAfterRun(false);
    for (const file of options['unitTests'] as readonly string[]) this.#mocha.addFile(file);
  }

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: false };
  }

  async dryRun({ disableBail }: DryRunOptions): Promise<DryRunResult> {
    this.#attributes = true;
    const result = await this.#run(EVERY_TEST, disableBail);
    this.#attributes = false;
    if (result.status !== DryRunStatus.Complete || context.mutantCoverage === undefined) return result;
    const mutantCoverage = structuredClone(context.mutantCoverage);
    // Each change runs the tests once more in this process: what fails then would count as noticed, whatever the change.
    const again = await this.#run(EVERY_TEST, disableBail);
    if (again.status !== DryRunStatus.Complete) return again;
    const failed = failedIn(again);
    return failed === undefined || failedIn(result) !== undefined
      ? { ...result, mutantCoverage }
      : { status: DryRunStatus.Error, errorMessage: `does not pass a second time: ${failed.name}` };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, hitLimit, mutantActivation, testFilter, disableBail } = options;
    context.hitLimit = hitLimit;
    context.hitCount = hitLimit === undefined ? undefined : 0;
    if (mutantActivation === 'static') context.activeMutant = activeMutant.id;
    await this.#load();
    context.activeMutant = activeMutant.id;
    return toMutantRunResult(
      await this.#run(testFilter === undefined ? EVERY_TEST : new Titled(testFilter), disableBail),
    );
  }

  async #load(): Promise<void> {
    if (this.#isLoaded) return;
    await this.#mocha.loadFilesAsync();
    this.#isLoaded = true;
  }

  async #run(which: RegExp, disableBail: boolean): Promise<DryRunResult> {
    try {
      await this.#load();
      const tests = await this.#play(which, disableBail);
      return (
        determineHitLimitReached(context.hitCount, context.hitLimit) ?? {
          status: DryRunStatus.Complete,
          tests,
        }
      );
    } catch (error) {
      return {
        status: DryRunStatus.Error,
        errorMessage: error instanceof Error ? (error.stack ?? error.message) : String(error),
      };
    }
  }

  #play(which: RegExp, disableBail: boolean): Promise<TestResult[]> {
    const tests: TestResult[] = [];
    const attributes = this.#attributes;
    class Reporter extends Mocha.reporters.Base {
      constructor(runner: Mocha.Runner) {
        super(runner);
        let began = performance.now();
        const note = (
          test: Mocha.Runnable,
          end: { status: TestStatus.Success } | { status: TestStatus.Failed; failureMessage: string },
        ): void => {
          const id = test.fullTitle();
          const timeSpentMs = performance.now() - began;
          began = performance.now();
          tests.push({
            id,
            name: id,
            timeSpentMs,
            ...(test.file === undefined ? {} : { fileName: test.file }),
            ...end,
          });
        };
        if (attributes) {
          // What runs before a suite's tests is all of theirs, as if it were loading.
          runner.on('suite', () => (context.currentTestId = undefined));
          runner.on('test', (test) => (context.currentTestId = test.fullTitle()));
        }
        runner.on('pass', (test) => {
          note(test, { status: TestStatus.Success });
        });
        runner.on('fail', (test, error: Error) => {
          note(test.ctx?.currentTest ?? test, { status: TestStatus.Failed, failureMessage: error.message });
          if (!disableBail) runner.abort();
        });
      }
    }
    this.#mocha.reporter(Reporter);
    this.#mocha.grep(which);
    return new Promise((resolve) => {
      this.#mocha.run(() => {
        resolve(tests);
      });
    });
  }
}

/** For mocha's grep, which asks for each test once at every suite above it: an alternation of a thousand titles is slow. */
class Titled extends RegExp {
  readonly #titles: ReadonlySet<string>;

  constructor(titles: readonly string[]) {
    super('');
    this.#titles = new Set(titles);
  }

  override test(title: string): boolean {
    return this.#titles.has(title);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'mocha-12', MochaRunner)];

function failedIn({ tests }: { readonly tests: readonly TestResult[] }): TestResult | undefined {
  return tests.find(({ status }) => status === TestStatus.Failed);
}
