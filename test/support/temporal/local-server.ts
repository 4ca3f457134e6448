import { TestWorkflowEnvironment } from '@temporalio/testing';
import { setUpNamespace } from '../../../src/adapters/temporal/set-up-namespace.js';
import { temporalCli } from './binaries.js';
import { startPatiently, quietRuntime } from './time-skipping.js';

/**
 * A real server of the suite that this is called in, up before its tests, its namespace set up.
 * @param dynamicConfig such as `limit.historyCount.suggestContinueAsNew=20`
 * @returns the server, once the tests run
 */
export function localServer(...dynamicConfig: readonly string[]): () => TestWorkflowEnvironment {
  let environment: TestWorkflowEnvironment | undefined;
  before(async () => {
    quietRuntime();
    environment = await startPatiently(() =>
      TestWorkflowEnvironment.createLocal({
        server: {
          executable: { type: 'existing-path', path: temporalCli() },
          extraArgs: dynamicConfig.flatMap((setting) => ['--dynamic-config-value', setting]),
        },
      }),
    );
    await setUpNamespace(environment.client);
  });
  after(() => environment?.teardown());
  return () => {
    if (environment === undefined) throw new Error('the server is not up yet');
    return environment;
  };
}
