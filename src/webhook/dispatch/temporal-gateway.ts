import { WorkflowNotFoundError } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { isLocal, workflowIdOf } from '../../domain/forge/issue.js';
import type { RepoRef, SubjectRef } from '../../domain/forge/issue.js';
import {
  ISSUE_WORKFLOW,
  SEARCH_ATTRIBUTES,
  signalOf,
  STATE_VERSION,
  TASK_QUEUE,
} from '../../workflows/messages.js';
import { makeSlug, type NamedRun } from '../../domain/run/slug.js';
import type { RunPolicy } from '../../domain/run/run-policy.js';
import type { IssueWorkflowInput } from '../../workflows/messages.js';
import type { RunDescription, WorkflowGateway } from './gateway.js';

const CALL_MS = 10_000;
const PING_MS = 1_000;
/** Temporal refuses a longer summary. */
const SUMMARY_BYTES = 200;

const FORGE_REPO = defineSearchAttributeKey('ForgeRepo', SEARCH_ATTRIBUTES.ForgeRepo);
const FORGE_ISSUE = defineSearchAttributeKey('ForgeIssue', SEARCH_ATTRIBUTES.ForgeIssue);
const BOTTLE_SLUG = defineSearchAttributeKey('BottleSlug', SEARCH_ATTRIBUTES.BottleSlug);
const BOTTLE_AGENT = defineSearchAttributeKey('BottleAgent', SEARCH_ATTRIBUTES.BottleAgent);
const BOTTLE_REASON = defineSearchAttributeKey('BottleReason', SEARCH_ATTRIBUTES.BottleReason);
const BOTTLE_PHASE = defineSearchAttributeKey('BottlePhase', SEARCH_ATTRIBUTES.BottlePhase);

export interface TemporalGatewayOptions {
  /** What a life that starts now is held to. */
  readonly policy: RunPolicy;
  /** How long a call may take, milliseconds. Default 10 s. */
  readonly callMs?: number;
}

/** Handles never pin a run id: a signal goes to whichever life is the current one. */
export function temporalGateway(client: Client, options: TemporalGatewayOptions): WorkflowGateway {
  const callMs = options.callMs ?? CALL_MS;
  const within = <T>(ms: number, call: () => Promise<T>): Promise<T> =>
    client.withDeadline(Date.now() + ms, call);
  return {
    signal: async (subject, event) => {
      try {
        const { name, payload } = signalOf(event, subject.number);
        await within(callMs, () => client.workflow.getHandle(workflowIdOf(subject)).signal(name, payload));
        return 'delivered';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'no_workflow';
        throw error;
      }
    },
    signalWithStart: async (subject, event, about) => {
      const { agent } = event.trigger;
      const named = { slug: isLocal(subject) ? subject.repo : makeSlug(agent, subject, Math.random), agent };
      const { name, payload } = signalOf(event, subject.number);
      const summary = summaryOf(subject, about);
      const input: IssueWorkflowInput = {
        ...{ v: STATE_VERSION, subject, policy: options.policy, named },
        about: { issue: summary, url: about.url },
      };
      await within(callMs, () =>
        client.workflow.signalWithStart(ISSUE_WORKFLOW, {
          workflowId: workflowIdOf(subject),
          taskQueue: TASK_QUEUE,
          args: [input],
          signal: name,
          signalArgs: [payload],
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          staticSummary: summary,
          staticDetails: about.url,
          typedSearchAttributes: attributesOf(event.trigger.operator?.source ?? subject, named),
        }),
      );
    },
    reachable: async () => {
      try {
        await within(PING_MS, () => client.workflowService.getSystemInfo({}));
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** @param about the issue; of a run without one, where its commits come from */
function attributesOf(about: SubjectRef | RepoRef, { slug, agent }: NamedRun): TypedSearchAttributes {
  return new TypedSearchAttributes([
    ...(isLocal(about) ? [] : [{ key: FORGE_REPO, value: `${about.owner}/${about.repo}` }]),
    ...('number' in about ? [{ key: FORGE_ISSUE, value: about.number }] : []),
    { key: BOTTLE_SLUG, value: slug },
    { key: BOTTLE_AGENT, value: agent },
    // The phase in which the workflow's first step leaves it: what the start says need not be said again.
    { key: BOTTLE_PHASE, value: 'queued' },
    { key: BOTTLE_REASON, value: 'none' },
  ]);
}

/** The title is anybody's text: one line, no control or bidi characters, Markdown's active characters taken away. */
function summaryOf(subject: SubjectRef, about: RunDescription): string {
  const title = about.title.replace(/[\s\p{C}\p{Zl}\p{Zp}`*_[\]()<>!#|\\]+/gu, ' ').trim();
  const prefix = isLocal(subject)
    ? `${subject.repo} `
    : `${subject.owner}/${subject.repo}#${String(subject.number)} `;
  let text = '';
  for (const character of prefix + title) {
    if (Buffer.byteLength(text + character) > SUMMARY_BYTES) break;
    text += character;
  }
  return text.trim();
}
