import { InvalidInputError } from '../../domain/base/errors.js';
import { isLocal } from '../../domain/forge/issue.js';
import type { PublishResult } from '../../domain/run/turn.js';
import type { ForgeBranches } from '../../domain/workspace/git-repository.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { PublishInput } from '../ports/inputs.js';
import { isStuck } from './publish-stuck.js';
import { extractWork, knownCommits } from './extract-work.js';
import { publishThroughGate } from './publish-gate.js';

const STUCK =
  'there is a STUCK.md that is new or changed, which says that a person has to help: no pull request is opened. Remove it if you are not stuck';

/** The agent's `open_pr`: runs the publish gate on what is committed now, while the agent waits for the answer. */
export async function publishWork(
  ports: HostPorts,
  input: PublishInput,
  signal: AbortSignal = new AbortController().signal,
): Promise<PublishResult> {
  const { slug, turn } = input;
  const record = await ports.files.readTurn(slug, turn);
  if (record === undefined)
    throw new InvalidInputError(`turn ${String(turn)} of ${slug} has not begun on this host`);
  const { branch } = input.prepared;
  // The one waits for a container, the other for the forge.
  const both = [
    extractWork(ports, input, branch, knownCommits(record.refs), 'publish', signal),
    branchesNow(ports, input.subject, [branch, record.refs?.baseBranch], signal),
  ] as const;
  await Promise.allSettled(both);
  const work = await both[0];
  if (work.kind === 'failed') return { kind: 'refused', reason: work.reason };
  const { stuck } = work.extraction.inspection;
  if (await isStuck(ports, input, record, stuck, input.stuckHash)) return { kind: 'refused', reason: STUCK };
  const { title, body } = readContent(await ports.blobs.getText(input.contentRef));
  return publishThroughGate(ports, {
    ...input,
    signal,
    record,
    extraction: work.extraction,
    seen: await both[1],
    publication: {
      kind: 'pull_request',
      title,
      body,
      draft: false,
      asked: true,
      texts: [
        { where: 'the title', text: title },
        { where: 'the text of the pull request', text: body },
      ],
    },
  });
}

function branchesNow(
  { git }: HostPorts,
  subject: PublishInput['subject'],
  names: readonly (string | undefined)[],
  signal: AbortSignal,
): Promise<ForgeBranches | undefined> {
  if (isLocal(subject)) return Promise.resolve(undefined);
  return git.branches(
    subject,
    names.flatMap((name) => name ?? []),
    signal,
  );
}

function readContent(text: string): { readonly title: string; readonly body: string } {
  const content: unknown = JSON.parse(text);
  if (typeof content === 'object' && content !== null && 'title' in content && 'body' in content) {
    const { title, body } = content;
    if (typeof title === 'string' && typeof body === 'string') return { title, body };
  }
  throw new InvalidInputError('the request of open_pr has no title and body');
}
