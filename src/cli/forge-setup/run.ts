import { isOffered, whyNotOffered, type AgentStanding } from '../../domain/agent/agent-standing.js';
import { ForgeHttpError, UnusableSecretError } from '../../domain/base/errors.js';
import { nameOfTarget } from '../../domain/forge/forge-admin.js';
import type { AdminTarget, ForgeAdmin, RepoTarget } from '../../domain/forge/forge-admin.js';
import { AGENT_LABEL_PREFIX } from '../../domain/forge/trigger.js';
import { explainRefusal } from './explain.js';
import { hookName } from './plan-hook.js';
import { wantedLabels } from './plan-labels.js';
import { removeSetUp } from './remove.js';
import { reportOf, type Report, type TargetReport } from './report.js';
import type { ForgeSetupRequest } from './request.js';
import { setUpHook, setUpLabels, warnOfCi, warnOfUnserved } from './set-up.js';
import type { WebhookWish } from './set-up.js';
import { createTester } from './tester.js';
import { webhookUrl } from './webhook-url.js';
import type { ForgeSetupWorld } from '../base/setup-world.js';

/**
 * Sets up every target, or takes the set-up away; one that fails does not keep the others from theirs.
 * Errors: `InvalidInputError` before anything was asked of the forge; `ForgeHttpError` when it does not answer; the reason
 * of `ending`, once the forge is as it was before a test delivery.
 */
export async function runForgeSetup(
  world: ForgeSetupWorld,
  request: ForgeSetupRequest,
  report: Report,
): Promise<void> {
  const { targets, dryRun } = request;
  const admin = world.admin(request.adminToken);
  if (request.remove) {
    const wanted = wantedForRemoval(world, request);
    await eachTarget(request, report, (target, report) =>
      removeSetUp({ admin, target, report, dryRun }, wanted),
    );
    return;
  }
  const wish = request.webhook ? wishFor(world, request, report) : null;
  const bot = await reportBot(world, targets, dryRun, report);
  if (bot !== null && request.adminToken !== null) await warnOfOneAccount(admin, bot, report);
  const { agents, bottles, problems } = await world.manifests();
  for (const detail of problems)
    report({ target: null, what: 'manifest', state: 'problem', name: '', detail });
  const labels = wantedLabels(
    agents.filter((agent) => request.allLabels || isOffered(agent)).map(({ name }) => name),
    bottles,
  );
  if (!request.allLabels) reportLeftOut(agents, report);
  const tester = createTester(world, request);
  try {
    await eachTarget(request, report, async (target, report) => {
      const job = { admin, target, report, dryRun };
      // First what needs most rights: without them nothing is half done.
      const made = wish === null ? undefined : await setUpHook(job, wish);
      await setUpLabels(job, labels);
      await warnOfCi(job, world.settings.publish);
      warnOfUnserved(job, world);
      if (wish !== null && made !== undefined) await tester.test(job, wish, made);
    });
  } finally {
    await tester.close();
  }
}

/** No label is made for them; one that is there stays. */
function reportLeftOut(agents: readonly AgentStanding[], report: Report): void {
  for (const agent of agents) {
    const why = whyNotOffered(agent);
    if (why === null) continue;
    const name = AGENT_LABEL_PREFIX + agent.name;
    report({ target: null, what: 'label', state: 'skipped', name, detail: `${why}; or --all-labels` });
  }
}

async function eachTarget(
  { targets, adminToken, ending }: ForgeSetupRequest,
  report: Report,
  work: (target: AdminTarget, report: TargetReport) => Promise<void>,
): Promise<void> {
  for (const target of targets) {
    ending.throwIfAborted();
    const ofTarget = reportOf(nameOfTarget(target), report);
    try {
      await work(target, ofTarget);
    } catch (error) {
      if (!(error instanceof ForgeHttpError) || !isOfOneTarget(error)) throw error;
      const detail = explainRefusal(target, error, adminToken !== null);
      ofTarget({ what: 'webhook', state: 'problem', detail });
    }
  }
}

/** The bot's account is a person's too, or has become an administrator's. */
async function warnOfOneAccount(admin: ForgeAdmin, bot: string, report: Report): Promise<void> {
  let login: string | null;
  try {
    login = await admin.login();
  } catch (error) {
    // A token that is wrong is told of at the first target.
    if (error instanceof ForgeHttpError && error.status === 401) return;
    throw error;
  }
  if (login !== bot) return;
  const detail =
    "the token of --admin-token-file is of the bot's own account: what the bot labels and assigns starts nothing, so " +
    'use that of a person who administers the forge, and give the bot write access only';
  report({ target: null, what: 'bot', state: 'warning', name: bot, detail });
}

/** The token or the name is wrong there; anything else would go wrong with the other targets too. */
function isOfOneTarget({ status }: ForgeHttpError): boolean {
  return [401, 403, 404].includes(status) || (status >= 300 && status < 400);
}

function wishFor(world: ForgeSetupWorld, request: ForgeSetupRequest, report: Report): WebhookWish {
  const url = webhookUrl({ ...world.settings, given: request.url });
  const item = { target: null, what: 'secret', name: 'webhook-secret' } as const;
  let secret = world.webhookSecret();
  if (secret !== null) report({ ...item, state: 'unchanged' });
  else if (request.dryRun) report({ ...item, state: 'would_create' });
  else {
    const { value, file } = world.createWebhookSecret();
    secret = value;
    report({ ...item, state: 'created', detail: `random, mode 600: ${file}` });
  }
  return { url, secret, name: secret === null ? null : hookName(secret) };
}

/** Without an address or a secret, what is ours is still known by its path, where the forge keeps names. */
function wantedForRemoval(
  world: ForgeSetupWorld,
  request: ForgeSetupRequest,
): { readonly url: string | null; readonly name: string | null } {
  const known = request.url !== null || world.settings.publicUrl !== null;
  const secret = world.webhookSecret();
  let url: string | null = null;
  try {
    url = webhookUrl({ ...world.settings, given: request.url });
  } catch (error) {
    if (known) throw error;
  }
  return { url, name: secret === null ? null : hookName(secret) };
}

/** @returns whose the bot's token is; `null` when that could not be known */
async function reportBot(
  world: ForgeSetupWorld,
  targets: readonly AdminTarget[],
  dryRun: boolean,
  report: Report,
): Promise<string | null> {
  const item = { target: null, what: 'bot' } as const;
  const repos = targets.filter((target): target is RepoTarget => target.kind === 'repo');
  try {
    const { login, problems } = await world.botRights(repos, dryRun);
    for (const { severity, message } of problems) {
      const state = severity === 'error' ? 'problem' : 'warning';
      report({ ...item, state, name: login ?? '', detail: message });
    }
    if (problems.length === 0)
      report({ ...item, state: 'ok', name: login ?? '', detail: 'has the rights it needs' });
    return login;
  } catch (error) {
    const own =
      error instanceof UnusableSecretError || (error instanceof ForgeHttpError && error.status === 401);
    if (!own) throw error;
    report({ ...item, state: 'problem', name: '', detail: error.message });
    return null;
  }
}
