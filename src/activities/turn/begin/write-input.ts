import { isLocal } from '../../../domain/forge/issue.js';
import { movedSection } from '../../../domain/prompt/prompt.js';
import type { LostPart } from '../../../domain/run/run-files.js';
import { lostSection, workspaceSection } from '../../../domain/prompt/workspace-notes.js';
import { egressEnv, wantsEgress } from '../../../domain/egress/agent-env.js';
import type { AgentManifest } from '../../../domain/manifest/manifests.js';
import type { HostPorts } from '../../ports/host-ports.js';
import type { RunTurnInput } from '../../ports/inputs.js';
import type { FetchedRefs } from './fetch-refs.js';
import type { TurnSetup } from '../../setup/read-setup.js';
import type { TurnJournal } from '../turn-journal.js';

/** The turn's input directory and prompt. Answers the session the agent works in. `isFresh`: the workspace is made in this turn. */
export async function writeInput(
  ports: HostPorts,
  input: RunTurnInput,
  refs: FetchedRefs & { readonly lost: readonly LostPart[]; readonly isFresh: boolean },
  setup: TurnSetup,
  journal: TurnJournal,
): Promise<string | null> {
  const { slug, turn, subject, prepared } = input;
  const provider = ports.provider(prepared.provider);
  const resume = input.sessionId !== null;
  // A turn that died before its session existed starts a new one, under a new id.
  const sessionId =
    input.sessionId ?? journal.record.sessionId ?? provider.newSessionId(`${slug}/${String(turn)}`);
  const prompt =
    (await ports.blobs.getText(prepared.promptRef)) +
    lostSection(refs.lost) +
    workspaceSection({
      // What an earlier turn checked out is not changed by what the bottle says now.
      sparse: refs.isFresh ? setup.workspace.sparse : [],
      submodules: refs.submodules,
      hasLfs: setup.workspace.lfs,
    }) +
    movedSection(refs.moved);
  const launch = provider.launch({
    sessionId,
    resume,
    model: prepared.model,
    variant: prepared.variant ?? null,
    modelUrl: setup.modelUrl,
    forge: !isLocal(subject),
  });
  const gitUser: AgentManifest['gitUser'] = prepared.gitUser;
  // Kept as it was given: the next turn's takes its place in the input.
  await ports.files.saveFile(slug, `turns/${String(turn)}/prompt.md`, prompt);
  await ports.files.writeTurnInput(slug, {
    turn,
    argv: launch.argv,
    // Last: nothing that a provider or a manifest says leads the agent's clients past its proxies.
    env: { ...setup.clients.env, ...launch.env, ...egressEnv(setup) },
    prompt,
    branch: prepared.branch,
    start: refs.startSha,
    gitUser,
    wantsSidecar: true,
    wantsEgress: wantsEgress(setup),
    resetTo: refs.resetTo,
    shallow: refs.boundary,
    sparse: setup.workspace.sparse,
    submodules: refs.submodules.placed,
    home: { ...setup.clients.files, ...launch.home },
    files: launch.files,
    setup: setup.setup,
    turnJson: { turn, issueNumber: subject.number, prNumber: input.prNumber },
  });
  return sessionId;
}
