import assert from 'node:assert/strict';
import { WorkflowNotFoundError, type Client, type WorkflowSignalWithStartOptions } from '@temporalio/client';
import { localSubject, type SubjectRef } from '../../../../src/domain/forge/issue.js';
import { DEFAULT_POLICY } from '../../../../src/domain/run/run-policy.js';
import type { TriggerEvent } from '../../../../src/webhook/dispatch/gateway.js';
import {
  temporalGateway,
  type TemporalGatewayOptions,
} from '../../../../src/webhook/dispatch/temporal-gateway.js';
import { observed, SUBJECT, trigger, wrote } from '../../../support/machine/world.js';

/** As a start was asked for. */
type Start = WorkflowSignalWithStartOptions & { readonly args: readonly unknown[] };

const URL = 'https://forge.example/alice/demo/issues/12';
const event = (change: Parameters<typeof trigger>[1] = {}): TriggerEvent => {
  return { ...observed({ readAt: 10 }), trigger: trigger(5, { agent: 'coder', ...change }) };
};

describe('the gateway to Temporal', () => {
  let starts: { readonly type: string; readonly options: Start }[];
  let signals: { readonly id: string; readonly name: string; readonly payload: unknown }[];
  /** Milliseconds that the calls were given. */
  let given: number[];
  let fault: Error | undefined;

  beforeEach(() => {
    [starts, signals, given, fault] = [[], [], [], undefined];
  });

  const answer = (): Promise<void> => (fault === undefined ? Promise.resolve() : Promise.reject(fault));
  const client = {
    withDeadline: <T>(until: number, call: () => Promise<T>): Promise<T> => {
      given.push(until - Date.now());
      return call();
    },
    workflow: {
      getHandle: (id: string) => ({
        signal: (name: string, payload: unknown): Promise<void> => {
          signals.push({ id, name, payload });
          return answer();
        },
      }),
      signalWithStart: (type: string, options: Start): Promise<void> => {
        starts.push({ type, options });
        return answer();
      },
    },
    workflowService: { getSystemInfo: answer },
  } as unknown as Client;
  const gateway = (options: Partial<TemporalGatewayOptions> = {}) =>
    temporalGateway(client, { policy: DEFAULT_POLICY, ...options });

  async function started(
    subject: SubjectRef,
    change: Parameters<typeof event>[0] = {},
    title = 'Make it faster',
  ): Promise<Start> {
    await gateway().signalWithStart(subject, event(change), { title, url: URL });
    const [start] = starts.splice(0);
    assert.equal(start?.type, 'issueWorkflow');
    return start.options;
  }
  const attributesOf = ({ typedSearchAttributes: found }: Start) =>
    Object.fromEntries(
      (found !== undefined && 'getAll' in found ? found.getAll() : []).map(({ key, value }) => [
        key.name,
        value,
      ]),
    );
  const summary = async (title: string): Promise<string> =>
    (await started(SUBJECT, {}, title)).staticSummary ?? '';

  it('signals whichever life runs, and says when none does', async () => {
    const { kind, ...payload } = wrote();
    assert.equal(await gateway().signal(SUBJECT, { kind, ...payload }), 'delivered');
    assert.deepEqual(
      signals.map(({ id, payload: told }) => [id, told]),
      [['gitea:alice/demo#12', payload]],
    );
    fault = new WorkflowNotFoundError('none', 'gitea:alice/demo#12', undefined);
    assert.equal(await gateway().signal(SUBJECT, wrote()), 'no_workflow');
  });

  it('says when Temporal is away, so that it is tried again', async () => {
    fault = new Error('away');
    await assert.rejects(gateway().signal(SUBJECT, wrote()), fault);
    await assert.rejects(gateway().signalWithStart(SUBJECT, event(), { title: '', url: URL }), fault);
    assert.equal(await gateway().reachable(), false);
    fault = undefined;
    assert.equal(await gateway().reachable(), true);
  });

  it('gives each call some time, and the question whether it is reachable less', async () => {
    await gateway().signal(SUBJECT, wrote());
    await gateway().signalWithStart(SUBJECT, event(), { title: '', url: URL });
    await gateway({ callMs: 300 }).signal(SUBJECT, wrote());
    await gateway().reachable();
    const near = (ms: number, most: number): boolean => ms <= most && ms > most - 250;
    const [signal = 0, start = 0, short = 0, ping = 0] = given;
    assert.ok(
      near(signal, 10_000) && near(start, 10_000) && near(short, 300) && near(ping, 1_000),
      given.join(),
    );
  });

  it('joins a run that goes on, and begins another one under the same id after that has ended', async () => {
    const options = await started(SUBJECT);
    const { workflowId, taskQueue, workflowIdConflictPolicy, workflowIdReusePolicy, signal } = options;
    assert.deepEqual([workflowId, taskQueue, signal], ['gitea:alice/demo#12', 'bot-bottle', 'observed']);
    assert.deepEqual([workflowIdConflictPolicy, workflowIdReusePolicy], ['USE_EXISTING', 'ALLOW_DUPLICATE']);
    assert.equal(options.staticDetails, URL);
    const [told] = options.signalArgs as readonly { readonly trigger: { readonly agent: string } }[];
    assert.equal(told?.trigger.agent, 'coder');
    const [input] = options.args as readonly { readonly subject: unknown; readonly policy: unknown }[];
    assert.deepEqual([input?.subject, input?.policy], [SUBJECT, DEFAULT_POLICY]);
  });

  it('names the run by repository, issue, agent and slug, and says that it is queued', async () => {
    const options = await started(SUBJECT);
    const { BottleSlug: slug, ...others } = attributesOf(options);
    assert.match(String(slug), /^coder-alice-demo-12-[a-z0-9]{5}$/);
    const [input] = options.args as readonly { readonly named: unknown }[];
    assert.deepEqual(input?.named, { slug, agent: 'coder' });
    assert.deepEqual(others, {
      ForgeRepo: 'alice/demo',
      ForgeIssue: 12,
      BottleAgent: 'coder',
      BottlePhase: 'queued',
      BottleReason: 'none',
    });
  });

  it('names a run without an issue by its own name, and by the repository that it is of, if any', async () => {
    const slug = 'coder-demo-local-abcde';
    const operator = (source: { forge: 'gitea'; owner: string; repo: string } | undefined) => ({
      operator: { promptRef: 'p', ...(source && { source }) },
    });
    const local = localSubject(slug);
    const source = { forge: 'gitea', owner: 'bob', repo: 'lib' } as const;
    const ofRepository = await started(local, operator(source), 'A title');
    assert.equal(ofRepository.staticSummary, `${slug} A title`);
    const found = attributesOf(ofRepository);
    assert.deepEqual(
      [found['ForgeRepo'], found['ForgeIssue'], found['BottleSlug']],
      ['bob/lib', undefined, slug],
    );
    assert.ok(!('ForgeRepo' in attributesOf(await started(local, operator(undefined)))));
  });

  it('shows a title as one line of plain text, and no more of it than Temporal takes', async () => {
    const shown = await summary('Fix `rm -rf` <script>\u202e\n[now](x)   # it');
    assert.match(shown, /^alice\/demo#12 Fix rm -rf script now x it$/);
    const long = await summary('😀'.repeat(500));
    assert.equal(Buffer.byteLength(long), 198, 'no half character at its end');
    assert.equal(await summary('***'), 'alice/demo#12');
  });
});
