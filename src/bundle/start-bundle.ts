import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { AnswerReader } from './answer-reader.js';
import { errorFields, type BundleLog } from './base/bundle-log.js';
import type { BundleConfig } from './config.js';
import { DoneSignal } from './done-signal.js';
import type { EgressLimits, EgressNetwork } from './egress/egress-options.js';
import { openEgressPlane } from './egress/egress-plane.js';
import { ForgePlane, type CallOutcome } from './forge/forge-plane.js';
import { FORGE_METHODS } from './forge/methods.js';
import { RateLimiter } from './forge/rate-limit.js';
import { ScopedForge, type AgentForge } from './forge/scoped-forge.js';
import { answerMessage } from './jsonrpc/dispatch.js';
import { serveHttpOnUnixSocket } from './jsonrpc/http-unix.js';
import { JsonRpcError } from './jsonrpc/protocol.js';
import type { McpDoor } from './mcp/mcp-door.js';
import { OperationLog } from './base/operation-log.js';
import { PublishDesk } from './publish-desk.js';
import { QueueWriter } from './queue-writer.js';
import { redactParams, type Redact } from './base/redact.js';
import { TextDesk } from './text-desk.js';
import type { QueueBody } from '../domain/run/queue.js';
import { pagesOf } from '../domain/text/inert-text.js';

export interface RunningBundle {
  /** Accepts nothing more, ends what is held, writes what is logged. False when a log line had to stay behind. */
  stop(): Promise<boolean>;
}

export interface BundleParts {
  readonly forge: AgentForge;
  readonly log: BundleLog;
  readonly redact: Redact;
  /** For tests, whose upstreams are on loopback. */
  readonly egress?: {
    readonly network?: Partial<EgressNetwork>;
    readonly limits?: Partial<EgressLimits>;
  };
}

/** What calls under way have at shutdown before they are cut off; the whole exit has a second. */
const GRACE_MS = 300;

/** The sidecar's forge and egress planes, serving when this resolves. Errors: the file system's own for its directories. */
export async function startBundle(config: BundleConfig, parts: BundleParts): Promise<RunningBundle> {
  const { slug, turn, paths } = config;
  const { log, redact } = parts;
  const now = Date.now;
  const queue = new QueueWriter(paths.queueOut, now);
  const answers = new AnswerReader(paths.queueIn);
  const instance = randomBytes(4).toString('hex');
  const operations = new OperationLog({
    idPrefix: instance,
    write: async (lines) => {
      await queue.write(randomId(), { kind: 'operations', slug, turn, lines, at: now() });
    },
    now,
    onFault: (error) => {
      log('error', 'the operation log cannot be written', errorFields(error));
    },
  });
  const send = async (id: string, body: QueueBody): Promise<void> => {
    await operations.flush();
    await queue.write(id, body);
  };
  const texts = new TextDesk({ queue, answers, slug, turn, now });
  const forge = new ScopedForge(parts.forge, { issue: config.issue, pr: config.pr }, (where, text) =>
    texts.requireClean(where, text),
  );
  for (const pr of answers.publishedPrs()) forge.grantPr(pr);
  const publisher = new PublishDesk({
    send,
    answers,
    slug,
    turn,
    now,
    onPublished: (pr) => {
      forge.grantPr(pr);
    },
  });
  const doneSignal = new DoneSignal({ send, slug, turn, now });
  const plane = new ForgePlane({
    methods: FORGE_METHODS,
    context: {
      forge,
      publisher,
      doneSignal,
      forgePages: pagesOf(config.forgeApi),
      commentMarker: (number, body) => commentMarker(slug, config.goesOnWith ?? turn, number, body),
    },
    readers: config.readers,
    limiter: new RateLimiter(config.rateLimits, () => performance.now()),
    log: operations,
  });
  /** The one way from either protocol to the methods. */
  const call = (method: string, params: unknown): Promise<CallOutcome> => {
    const clean = redactParams(params, redact);
    return plane.call(redact(method), clean, !isDeepStrictEqual(clean, params));
  };
  const onFault = (error: unknown): void => {
    log('error', 'a call failed', errorFields(error));
  };
  const mcp = lazyMcp(async () => {
    const { mcpDoor } = await import('./mcp/mcp-door.js');
    const { callsPerMinute } = config.rateLimits;
    return mcpDoor({
      methods: FORGE_METHODS,
      call: async (method, params) => {
        try {
          return { kind: 'answered', ...(await call(method, params)) };
        } catch (error) {
          if (error instanceof JsonRpcError) return { kind: 'failed', error };
          onFault(error);
          return { kind: 'fault' };
        }
      },
      issue: config.issue,
      onFault,
      redact,
      messagesPerMinute: callsPerMinute,
      now: () => performance.now(),
    });
  }, onFault);
  // First: an agent starts when it sees the forge's socket, and then these are there too.
  const egress = await openEgressPlane({
    paths: { ...paths, config: paths.currentConfig },
    uploadBytes: config.egressUploadBytes,
    budget: config.budget,
    prices: config.prices,
    report: async (report) => {
      await queue.write(randomId(), { kind: 'egress', slug, turn, process: instance, ...report, at: now() });
    },
    log,
    now,
    ...parts.egress,
  });
  const serveForge = (): ReturnType<typeof serveHttpOnUnixSocket> =>
    serveHttpOnUnixSocket({
      socketPath: paths.forgeSocket,
      onMessage: async (text) => {
        const answer = await answerMessage(text, {
          call: async (method, params) => (await call(method, params)).result,
          onFault,
        });
        return answer === undefined ? undefined : redact(answer);
      },
      onMcp: mcp,
    });
  // Without one, no call can be made: the plane is there and nobody reaches it.
  const server = config.hasForge ? await serveForge() : null;
  return {
    stop: async () => {
      publisher.stop();
      texts.stop();
      await Promise.all([server?.close(GRACE_MS), egress.close()]);
      plane.interrupt();
      return operations.close();
    },
  };
}

/** MCP's SDK is loaded with the first request for it: most of what the sidecar weighs, and not every agent asks. */
function lazyMcp(load: () => Promise<McpDoor>, onFault: (error: unknown) => void): McpDoor {
  let loading: Promise<McpDoor> | undefined;
  return async (body, request, response) => {
    try {
      const answer = await (loading ??= load());
      await answer(body, request, response);
    } catch (error) {
      onFault(error);
      response.destroy();
    }
  };
}

function randomId(): string {
  return randomBytes(16).toString('hex');
}

/**
 * Equal text on one number in one turn is one comment, so a call may be repeated when its answer was lost: by the turn that
 * goes on with an interrupted one, too.
 */
function commentMarker(slug: string, turn: number, number: number, body: string): string {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 32);
  return `agent-comment:${slug}:${String(turn)}:${String(number)}:${hash}`;
}
