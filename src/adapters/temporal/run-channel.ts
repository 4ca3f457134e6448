import type { Client } from '@temporalio/client';
import type { RunChannel } from '../../domain/run-channel.js';
import { eventSignal, openPrUpdate } from '../../workflows/messages.js';

/** From the host that runs a turn to the run's workflow. Handles never pin a run id. */
export function temporalRunChannel(client: Client): RunChannel {
  return {
    async turnStarted(workflowId, message) {
      await client.workflow.getHandle(workflowId).signal(eventSignal, { kind: 'turn_started', ...message });
    },
    async turnHeldUp(workflowId, message) {
      await client.workflow.getHandle(workflowId).signal(eventSignal, { kind: 'turn_held_up', ...message });
    },
    async archive(workflowId, slug) {
      await client.workflow.getHandle(workflowId).signal(eventSignal, { kind: 'archive', slug });
    },
    async signalDone(workflowId, { slug, turn, doneId, status, summaryRef }) {
      const done = { id: doneId, status, summaryRef };
      await client.workflow.getHandle(workflowId).signal(eventSignal, { kind: 'done', slug, turn, done });
    },
    // Ids deduplicate within one execution only; the workflow looks repeated request ids up in its carried state.
    openPr: (workflowId, request) =>
      client.workflow
        .getHandle(workflowId)
        .executeUpdate(openPrUpdate, { args: [request], updateId: request.requestId }),
  };
}
