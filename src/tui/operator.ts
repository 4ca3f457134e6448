/** Does what the operator's keys ask for, besides changing what is shown. Nothing here keeps the screen waiting. */
import type { EditedText } from '../cli/base/deps.js';
import { failureOf } from '../cli/base/errors.js';
import type { Decision } from '../cli/base/proposal-desk.js';
import { TAKES_EFFECT } from '../cli/base/proposal-words.js';
import type { ProposalRow } from '../domain/run/rows.js';
import { modifiedProposal } from '../domain/supervise/modified-proposal.js';
import { PROPOSAL_TOOLS, shortProposalId } from '../domain/supervise/proposal.js';
import { withDetail, withEdited, withNotice, withProgress, withUnreadable } from './model/arrive.js';
import { press } from './model/press.js';
import { keyOf, type Command, type Key, type Progress } from './model/state.js';
import type { Store } from './store.js';
import type { DashboardWorld } from './world.js';

/** What a decision is called until it is answered. */
const UNDER_WAY: Readonly<Record<Decision['verdict'], string>> = {
  approve: 'approving …',
  modify: 'approving your version …',
  reject: 'rejecting …',
};

function underWay({ tool }: ProposalRow, { verdict }: Decision): string {
  return tool === 'capability-block' && verdict !== 'reject' ? 'building its image …' : UNDER_WAY[verdict];
}

export interface Operator {
  readonly press: (key: Key) => void;
  /** Where the operator's versions are that were not sent, a line each. */
  readonly kept: () => readonly string[];
}

/**
 * What takes the keys.
 * @param aside runs the work while the terminal is not the dashboard's
 */
export function operator(
  { desk, edit }: Pick<DashboardWorld, 'desk' | 'edit'>,
  store: Store,
  { quit, aside }: { readonly quit: () => void; readonly aside: <T>(work: () => Promise<T>) => Promise<T> },
): Operator {
  /** By `keyOf`: versions that were not sent. */
  const files = new Map<string, EditedText & { readonly row: ProposalRow }>();

  async function read(row: ProposalRow): Promise<void> {
    try {
      const detail = await desk.proposal({ ...row, decision: null });
      store.update((state) => withDetail(state, row, detail));
    } catch (error) {
      store.update((state) => withUnreadable(state, row, `cannot be read: ${failureOf(error).message}`));
    }
  }

  async function editAgain({ row, shown, text }: Extract<Command, { kind: 'edit' }>): Promise<void> {
    const { file } = PROPOSAL_TOOLS[row.tool];
    try {
      // Also when it was left, and opened again: the screen has the agent's then.
      const before = files.get(keyOf(row));
      const edited = await aside(() => edit(file, before?.text ?? text));
      if (edited.text === text && before === undefined) {
        await edited.remove();
        store.update((state) => withNotice(state, 'you changed nothing: approve it, or reject it'));
        return;
      }
      files.set(keyOf(row), { ...edited, row });
      await before?.remove();
      const version = { text: edited.text, path: edited.path, read: modifiedProposal(shown, edited.text) };
      store.update((state) => withEdited(state, row, version));
    } catch (error) {
      store.update((state) => withNotice(state, failureOf(error).message));
    }
  }

  async function decide(row: ProposalRow, decision: Decision): Promise<void> {
    store.update((state) => withProgress(state, row, { kind: 'under_way', text: underWay(row, decision) }));
    const came = await outcome(row, decision);
    const file = files.get(keyOf(row));
    if (came.kind === 'done' && decision.verdict === 'modify') {
      files.delete(keyOf(row));
      await file?.remove().catch(() => undefined);
    }
    const kept =
      came.kind === 'failed' && decision.verdict === 'modify' ? `; your version is ${file?.path ?? ''}` : '';
    store.update((state) => withProgress(state, row, { ...came, text: `${came.text}${kept}` }));
  }

  async function outcome(row: ProposalRow, decision: Decision): Promise<Progress> {
    try {
      const answer = await desk.decide(row, decision);
      if (answer.kind === 'decided' && answer.status === 'failed')
        return { kind: 'failed', text: answer.why?.split('\n', 1)[0] ?? 'the image cannot be built' };
      if (answer.kind === 'decided')
        return { kind: 'done', text: `${answer.status}, ${TAKES_EFFECT[answer.effect]}` };
      return {
        kind: 'failed',
        text: answer.kind === 'refused' ? `refused: ${answer.reason}` : 'the run is gone',
      };
    } catch (error) {
      return { kind: 'failed', text: failureOf(error).message };
    }
  }

  return {
    press: (key) => {
      let command: Command | null = null;
      store.update((state) => {
        const pressed = press(state, key);
        command = pressed.command;
        return pressed.state;
      });
      carryOut(command);
    },
    kept: () =>
      [...files.values()].map(
        ({ row, path }) => `your version of ${shortProposalId(row.id)} of ${row.slug} is kept: ${path}`,
      ),
  };

  function carryOut(command: Command | null): void {
    switch (command?.kind) {
      case 'quit':
        quit();
        return;
      case 'read':
        void read(command.row);
        return;
      case 'edit':
        void editAgain(command);
        return;
      case 'decide':
        void decide(command.row, command.decision);
        return;
      case undefined:
        return;
    }
  }
}
