import assert from 'node:assert/strict';
import { after } from 'mocha';
import { Collector } from '../../support/otlp/collector.js';
import { REPO } from '../../support/gitea/start-gitea.js';
import { bottleScript } from '../../support/stack/bottle-script.js';
import { sharedStack } from '../../support/stack/shared-stack.js';
import { quietRuntime } from '../../support/temporal/time-skipping.js';

export const TITLE = 'canary-in-a-title';
export const BODY = 'canary-in-a-body';
export const HEADER = 'canary-in-a-header';
export const WORK = bottleScript(
  'write notes.md hello',
  'commit notes',
  `open_pr ${TITLE}`,
  'read_issue 1',
  `done success ${BODY}`,
);

let started: Collector | undefined;

export const tracedStack = sharedStack(async () => {
  quietRuntime();
  started = await Collector.start();
  return {
    env: {
      FORGE_PUBLISH: 'fork',
      FORGE_REPOS: REPO,
      OTEL_EXPORTER_OTLP_ENDPOINT: started.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${HEADER}`,
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
  };
});
after(() => started?.stop());

/** Where the stack sends its traces. */
export function collectorOfTraces(): Collector {
  assert.ok(started !== undefined, 'the stack is not up yet');
  return started;
}
