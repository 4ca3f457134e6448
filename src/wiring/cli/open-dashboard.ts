import type { DashboardDesk } from '../../cli/base/orchestrator.js';
import { editText } from './edit-text.js';

/** Shows the dashboard on this process' terminal until the operator quits, or a signal ends it. */
export async function openDashboard(desk: DashboardDesk, colors: boolean): Promise<void> {
  const { showDashboard } = await withEnvironment(
    () => import('../../tui/show-dashboard.js'),
    environmentOfLibraries(process.env),
  );
  const ending = new AbortController();
  let editing = false;
  const end = (signal: NodeJS.Signals): void => {
    // Ctrl-C in the editor is the editor's.
    if (signal !== 'SIGINT' || !editing) ending.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, end);
  try {
    await showDashboard({
      ...{ desk, colors, ended: ending.signal },
      terminal: { stdin: process.stdin, stdout: process.stdout },
      edit: async (name, text) => {
        editing = true;
        try {
          return await editText(process.env, name, text);
        } finally {
          editing = false;
        }
      },
    });
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}

/** Read while they are loaded: ink draws nothing in a CI's shell, and looks for its own tools where DEV is set. */
function environmentOfLibraries(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  // Only what is there: a CI that is said to be none costs the colours.
  const ofCi = ['CI', 'CONTINUOUS_INTEGRATION'].filter((name) => env[name] !== undefined);
  return { DEV: 'false', ...Object.fromEntries(ofCi.map((name) => [name, 'false'])) };
}

/** An editor gets the environment as it was. */
async function withEnvironment<T>(
  work: () => Promise<T>,
  changes: Readonly<Record<string, string>>,
): Promise<T> {
  const before = Object.keys(changes).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, changes);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  }
}
