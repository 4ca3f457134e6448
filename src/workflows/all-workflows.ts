/** What the worker's workflow bundle is made from: every workflow, by the name it is started with. */
export { issueWorkflow } from './issue.workflow.js';
export { pauseWorkflow } from './pause.workflow.js';
export { reconcileWorkflow } from './reconcile.workflow.js';
export { sweepWorkflow } from './sweep.workflow.js';
export { scheduledSyncWorkflow, syncWorkflow } from './sync.workflow.js';
