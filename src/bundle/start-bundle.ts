import { createHash, randomBytes } from 'node:crypto';
import { AnswerReader } from './answer-reader.js';
import type { Ask } from './base/ask.js';
import { AtMost } from './base/at-most.js';
import { errorFields, type BundleLog } from './base/bundle-log.js';
import type { BundleConfig } from './config.js';
import { DoneSignal } from './done-signal.js';
import type { EgressNetwork } from './egress/egress-options.js';
import { openEgressPlane } from './egress/egress-plane.js';
import type { EgressLimits } from './egress/limits.js';
import { FORGE_METHODS } from './forge/methods.js';
import { RateLimiter } from './plane/rate-limit.js';
import { ScopedForge } from './forge/scoped-forge.js';
import { answerMessage } from './jsonrpc/dispatch.js';
import { jsonRpcPost, serveHttpOnUnixSocket, type OnPost } from './jsonrpc/http-unix.js';
import { mcpDoor, type McpDoorOptions } from './mcp/mcp-door.js';
import { instructionsFor } from './mcp/tools.js';
import { OperationLog } from './base/operation-log.js';
import type { AgentForge, Method } from './plane/method.js';
import { Plane } from './plane/plane.js';
import { PublishDesk } from './publish-desk.js';
import { latestOnly, QueueWriter } from './queue-writer.js';
import type { Redact } from './base/redact.js';
import { PROPOSAL_METHODS, SUPERVISE_INSTRUCTIONS } from './supervise/proposal-tools.js';
import { SuperviseDesk } from './supervise/supervise-desk.js';
import { TextDesk } from './text-desk.js';
import type { QueueBody, QueueContent } from '../domain/run/queue.js';
import { SUPERVISE_PATH, SUPERVISE_SERVER } from '../domain/supervise/how-to-ask.js';
import { pagesOf } from '../domain/text/inert-text.js';

export interface RunningBundle {
  /** Accepts nothing more, ends what is held, writes what is logged. False when a log line had to stay behind. */
  stop(): Promise<boolean>;
}

export interface BundleParts {
  /** Called for what the agent asks of the forge, and before, since it loads an adapter; each time the same. */
  readonly forge: () => Promise<AgentForge>;
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

/** Calls that read on the forge, or post there, at a time: what it sends to one may be 16 MiB, and takes some 60 MiB here. */
export const AT_FORGE = 2;

/** The sidecar's forge, supervise and egress planes, serving when this resolves. Errors: the file system's own for its directories. */
export async function startBundle(config: BundleConfig, parts: BundleParts): Promise<RunningBundle> {
  const { slug, turn, paths } = config;
  const { log, redact } = parts;
  const now = Date.now;
  const queue = new QueueWriter(paths.queueOut, now);
  const answers = new AnswerReader(paths.queueIn);
  const bodyOf = (content: QueueContent): QueueBody => ({ ...content, slug, turn, at: now() });
  const instance = randomBytes(4).toString('hex');
  const operations = new OperationLog({
    idPrefix: instance,
    write: (lines) => queue.write(randomId(), bodyOf({ kind: 'operations', lines })),
    isWaiting: (message) => queue.isWaiting(message),
    now,
    onFault: (error) => {
      log('error', 'the operation log cannot be written', errorFields(error));
    },
  });
  const send = async (id: string, content: QueueContent): Promise<void> => {
    await operations.flush();
    await queue.write(id, bodyOf(content));
  };
  const ask: Ask = async (content, signal) => {
    // Of each call its own: the answer to an earlier one may still lie there.
    const id = randomId();
    await send(id, content);
    return answers.wait(id, signal);
  };
  const texts = new TextDesk({ queue, answers, slug, turn, now });
  const atForge = new AtMost(AT_FORGE);
  const forge = new ScopedForge(
    parts.forge,
    { issue: config.hasForge ? config.issue : null, pr: config.pr },
    (where, text) => texts.requireClean(where, text),
    atForge,
  );
  for (const pr of answers.publishedPrs()) forge.grantPr(pr);
  const publisher = new PublishDesk({
    ask,
    onPublished: (pr) => {
      forge.grantPr(pr);
    },
  });
  const doneSignal = new DoneSignal({ send, slug, turn });
  const proposals = new SuperviseDesk(ask);
  const limiter = new RateLimiter(config.rateLimits, () => performance.now());
  const planeOf = (methods: readonly Method[]): Plane =>
    new Plane({
      methods,
      context: {
        forge,
        publisher,
        proposals,
        doneSignal,
        forgePages: pagesOf(config.forgeApi),
        commentMarker: (number, body) => commentMarker(slug, config.goesOnWith ?? turn, number, body),
      },
      readers: config.readers,
      redact,
      reads: atForge,
      limiter,
      log: operations,
    });
  const forgePlane = planeOf(FORGE_METHODS);
  const supervisePlane = planeOf(PROPOSAL_METHODS);
  const onFault = (error: unknown): void => {
    log('error', 'a call failed', errorFields(error));
  };
  const mcp = (of: McpOf): OnPost =>
    mcpDoor({
      ...of,
      onFault,
      redact,
      messagesPerMinute: config.rateLimits.callsPerMinute,
      now: () => performance.now(),
    });
  const forgePosts = (): [path: string, onPost: OnPost][] => {
    const onMessage = async (text: string): Promise<string | undefined> => {
      const answer = await answerMessage(text, {
        call: async (method, params) => (await forgePlane.call(method, params)).result,
        onFault,
      });
      return answer === undefined ? undefined : redact(answer);
    };
    const instructions = instructionsFor(config.issue);
    return [
      ['/rpc', jsonRpcPost(onMessage)],
      ['/mcp', mcp({ name: 'bottle', tools: FORGE_METHODS, plane: forgePlane, instructions })],
    ];
  };
  const writeTotals = latestOnly(queue);
  // First: an agent starts when it sees the socket of the next, and then these are there too.
  const egress = await openEgressPlane({
    paths: { ...paths, config: paths.currentConfig },
    uploadBytes: config.egressUploadBytes,
    budget: config.budget,
    prices: config.prices,
    report: async (report) => {
      await writeTotals(randomId(), bodyOf({ kind: 'egress', process: instance, ...report }));
    },
    log,
    now,
    ...parts.egress,
  });
  const server = await serveHttpOnUnixSocket({
    socketPath: paths.forgeSocket,
    posts: new Map([
      // Without a forge no call of its plane can be made: it is there and nobody reaches it.
      ...(config.hasForge ? forgePosts() : []),
      [
        SUPERVISE_PATH,
        mcp({
          name: SUPERVISE_SERVER,
          tools: PROPOSAL_METHODS,
          plane: supervisePlane,
          instructions: SUPERVISE_INSTRUCTIONS,
        }),
      ],
    ]),
  });
  // While the agent starts: its first request would wait for it.
  egress.load();
  // Whoever calls hears of a failure.
  if (config.hasForge) parts.forge().catch(() => undefined);
  return {
    stop: async () => {
      publisher.stop();
      texts.stop();
      proposals.stop();
      await Promise.all([server.close(GRACE_MS), egress.close()]);
      for (const plane of [forgePlane, supervisePlane]) plane.interrupt();
      return operations.close();
    },
  };
}

type McpOf = Pick<McpDoorOptions, 'name' | 'tools' | 'plane' | 'instructions'>;

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
