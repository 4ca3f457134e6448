import type { CliIo } from '../base/deps.js';
import { printLine } from '../base/output.js';

/** What became of one thing. `would_…` in a dry run; `kept` was not removed though asked for, `detail` says why. */
export type ItemState =
  | 'created'
  | 'repaired'
  | 'removed'
  | 'unchanged'
  | 'kept'
  | 'would_create'
  | 'would_repair'
  | 'would_remove'
  | 'ok'
  | 'skipped'
  | 'warning'
  | 'problem';

/** One line of the report. */
export interface Item {
  /** `owner/repo` or an organization; `null` for what is not of one place. */
  readonly target: string | null;
  readonly what: 'bot' | 'secret' | 'manifest' | 'repository' | 'label' | 'webhook' | 'delivery';
  readonly state: ItemState;
  /** Name or address of the thing. */
  readonly name: string;
  readonly detail?: string;
}

export type Report = (item: Item) => void;

/** The same about one target. Without a name it is about the target itself. */
export type TargetReport = (item: Omit<Item, 'target' | 'name'> & { readonly name?: string }) => void;

export function reportOf(target: string, report: Report): TargetReport {
  return (item) => report({ target, name: '', ...item });
}

/** `alice/demo: created label bot-bottle:implementer` */
export function printItem(io: CliIo, { target, what, state, name, detail }: Item): void {
  const words = [state.replace('_', ' '), what, name].filter((word) => word !== '').join(' ');
  const [first = '', ...more] = (detail ?? '').split('\n');
  const sentence = more.length > 0 || state === 'problem' || state === 'warning';
  const said = first === '' ? '' : sentence ? `: ${first}` : ` (${first})`;
  printLine(io, `${target === null ? '' : `${target}: `}${words}${said}`);
  for (const line of more) printLine(io, `  ${line}`);
}

/** How a change reads that is only looked at. */
export function planned(state: 'created' | 'repaired' | 'removed', dryRun: boolean): ItemState {
  if (!dryRun) return state;
  return ({ created: 'would_create', repaired: 'would_repair', removed: 'would_remove' } as const)[state];
}
