import { TestWorkflowEnvironment } from '@temporalio/testing';
import { setUpNamespace } from '../../../src/adapters/temporal/set-up-namespace.js';
import { temporalCli } from './binaries.js';
import { serverOf } from './skipping-server.js';
import { startPatiently, quietRuntime } from './time-skipping.js';

/**
 * A real server of the suite that this is called in, up before its tests, its namespace set up.
 * @param dynamicConfig such as `limit.historyCount.suggestContinueAsNew=20`
 * @returns the server, once the tests run
 */
export function localServer(...dynamicConfig: readonly string[]): () => TestWorkflowEnvironment {
  return serverOf(async () => {
    quietRuntime();
    const environment = await startPatiently(() =>
      TestWorkflowEnvironment.createLocal({
        server: {
          executable: { type: 'existing-path', path: temporalCli() },
          extraArgs: dynamicConfig.flatMap((setting) => ['--dynamic-config-value', setting]),
        },
      }),
    );
    await setUpNamespace(environment.client);
    return environment;
  });
}
