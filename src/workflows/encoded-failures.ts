import { DefaultFailureConverter } from '@temporalio/common';

/** In the workflow bundle of a worker that encrypts: the message and stack of a failure are a payload too. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
