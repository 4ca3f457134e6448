/** What the API answers with. Times are epoch milliseconds; what people and agents wrote is untrusted text. */
import { z } from 'zod';

const TEXT = z.string();
const TIME = z.int();
const COUNT = z.int().min(0);
const JSON_OBJECT = z.record(z.string(), z.unknown());
const STATUS = z.enum(['running', 'frozen', 'destroyed']);
const AMOUNTS = z.strictObject({ turns: COUNT, tokens: COUNT, microUsd: COUNT });

/** As its rows say it. */
export const recordedRun = z
  .strictObject({
    slug: TEXT,
    workflowId: TEXT,
    subject: TEXT,
    agentName: TEXT,
    bottleNames: z.array(TEXT),
    triggerActor: TEXT,
    triggerAt: TIME,
    triggerActId: z.int(),
    createdAt: TIME,
    status: STATUS.nullable(),
    phase: TEXT.nullable(),
    reason: TEXT.nullable(),
    prNumber: z.int().nullable(),
    prUrl: TEXT.nullable(),
  })
  .describe(
    'A run as it is recorded; its state is null once a later life of the issue has taken the row over',
  );

export const runPage = z.strictObject({
  runs: z.array(recordedRun),
  next: TEXT.nullable().describe('cursor of the page after this one'),
});

const session = z.strictObject({
  slug: TEXT,
  sessionId: TEXT,
  provider: TEXT.nullable(),
  providerVersion: TEXT.nullable(),
  agent: TEXT,
  cwd: TEXT,
  firstTurn: COUNT,
  lastTurn: COUNT,
  turns: COUNT,
  inputTokens: COUNT,
  cachedTokens: COUNT,
  outputTokens: COUNT,
  microUsd: COUNT,
  reportedInputTokens: COUNT,
  reportedCachedTokens: COUNT,
  reportedOutputTokens: COUNT,
  reportedUsd: z.number().nullable(),
  updatedAt: TIME,
  endedReason: z.enum(['rotated', 'lost']).nullable(),
});

export const runSummary = z
  .strictObject({
    issue: TEXT.nullable(),
    issueUrl: TEXT,
    slug: TEXT,
    agent: TEXT,
    bottles: z.array(TEXT),
    backend: TEXT,
    gitUser: TEXT,
    status: STATUS,
    phase: TEXT,
    reason: TEXT.nullable(),
    detail: TEXT.nullable(),
    step: z.strictObject({ activity: TEXT, attempt: z.int(), error: TEXT.nullable() }).nullable(),
    spent: AMOUNTS.nullable(),
    lastCheckinAt: TIME.nullable(),
    pr: z.int().nullable(),
    prUrl: TEXT.nullable(),
    stale: z.boolean().describe('the workflow could not be asked: this is what the row said last'),
    fetch: TEXT.nullable(),
    session: session.nullable(),
  })
  .describe('A run as bot-bottle orchestrate status --json has it');

export const oneRun = z.strictObject({
  run: recordedRun.nullable().describe('null before its first turn begins'),
  now: runSummary.nullable().describe('null once a later life of the issue has taken the row over'),
});

export const turnList = z.strictObject({
  turns: z.array(
    z.strictObject({
      slug: TEXT,
      turn: COUNT,
      event: z.enum(['begun', 'ended']),
      at: TIME,
      detail: JSON_OBJECT,
    }),
  ),
});

export const operationPage = z.strictObject({
  operations: z.array(
    z.strictObject({
      slug: TEXT,
      turn: COUNT,
      id: TEXT,
      at: TIME,
      operation: TEXT,
      target: TEXT,
      outcome: z.enum(['ok', 'refused', 'failed']),
      text: TEXT,
    }),
  ),
  next: TEXT.nullable().describe('cursor of the page after this one'),
});

export const timeline = z.strictObject({
  timeline: z.array(z.strictObject({ at: TIME, turn: COUNT, what: TEXT })),
});

export const commandList = z.strictObject({
  commands: z.array(
    z.strictObject({
      id: TEXT,
      at: TIME,
      who: TEXT,
      kind: TEXT,
      detail: JSON_OBJECT,
      slug: TEXT.nullable(),
      workflowId: TEXT,
    }),
  ),
});

export const commandAccepted = z.strictObject({ command: TEXT, slug: TEXT.nullable(), phase: TEXT });

const SOURCE = z.enum(['run', 'turn', 'operation', 'operatorCommand', 'proposal', 'proposalDecision']);

export const runRecord = z
  .strictObject({
    slug: TEXT,
    phase: TEXT.nullable(),
    rows: z.array(
      z.strictObject({
        source: SOURCE,
        columns: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
      }),
    ),
    entries: z.array(
      z.strictObject({
        seq: COUNT,
        slug: TEXT,
        n: COUNT,
        source: SOURCE,
        key: TEXT,
        digest: TEXT,
        previous: TEXT,
        hash: TEXT,
      }),
    ),
    seals: z.array(
      z.strictObject({
        slug: TEXT,
        n: COUNT,
        at: TIME,
        reason: z.enum(['frozen', 'destroyed', 'pruned']),
        entries: COUNT,
        keyId: TEXT,
        envelope: TEXT,
      }),
    ),
    witnesses: z
      .record(SOURCE, z.record(z.string(), z.enum(['observed', 'bundle', 'agent'])))
      .describe('whose word a column is, or a field of a turn’s detail; what is not named was observed'),
  })
  .describe('The record as bot-bottle provenance show --json has it');

export const verdict = z.strictObject({
  ok: z.boolean(),
  slug: TEXT,
  problems: z.array(z.strictObject({ kind: TEXT, what: TEXT })),
  entries: COUNT,
  sealed: COUNT,
  ended: z.boolean(),
  pruned: z.boolean().describe('its rows were removed on command'),
});

const TOOL = z.enum(['cred-proxy-block', 'pipelock-block', 'capability-block']);

export const proposalList = z
  .strictObject({
    proposals: z.array(
      z.strictObject({
        id: TEXT,
        slug: TEXT,
        tool: TOOL,
        turn: COUNT,
        at: TIME,
        hash: TEXT.describe('of what is proposed: a decision names it'),
        justification: TEXT.nullable(),
        changes: z.array(TEXT).nullable(),
      }),
    ),
  })
  .describe('What waits for a decision, as bot-bottle proposals list --json has it');

const version = { proposedFile: TEXT, changes: z.array(TEXT), diff: TEXT };

export const oneProposal = z
  .strictObject({
    slug: TEXT,
    id: TEXT,
    workflowId: TEXT,
    tool: TOOL,
    turn: COUNT,
    at: TIME,
    origin: z.enum(['agent', 'refusal']),
    hash: TEXT,
    justification: TEXT,
    currentFile: TEXT,
    ...version,
    decision: z
      .strictObject({
        slug: TEXT,
        id: TEXT,
        status: TEXT,
        who: TEXT,
        at: TIME,
        ref: TEXT.nullable(),
        notesRef: TEXT.nullable(),
      })
      .nullable(),
    notes: TEXT.nullable(),
    modified: z.strictObject(version).nullable(),
  })
  .describe('A proposal as bot-bottle proposals show --json has it');

export const decided = z.strictObject({
  proposal: TEXT,
  slug: TEXT,
  status: TEXT,
  effect: z.enum(['now', 'next_turn', 'none']),
  changes: z.array(TEXT),
});

export const problemDocument = z
  .strictObject({ type: TEXT, title: TEXT, status: z.int(), detail: TEXT })
  .describe('RFC 9457');
