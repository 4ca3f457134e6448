import type { RunSummary } from '../../../src/cli/base/orchestrator.js';

/** A run of whose workflow nothing is unusual. */
export function summary(change: Partial<RunSummary> = {}): RunSummary {
  return {
    issue: 'a/b#1',
    issueUrl: 'https://git.example/a/b/issues/1',
    slug: 'coder-alice-demo-12-abcde',
    agent: 'coder',
    bottles: ['default'],
    backend: 'docker',
    gitUser: 'Coder <coder@git.example>',
    status: 'running',
    phase: 'running',
    reason: null,
    detail: null,
    step: null,
    spent: null,
    lastCheckinAt: null,
    pr: null,
    prUrl: null,
    fetch: null,
    stale: false,
    session: null,
    ...change,
  };
}
