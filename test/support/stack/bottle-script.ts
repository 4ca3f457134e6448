/** A script for the scripted agent, as text of an issue or a comment (images/agent/scripted/README.md). */
export function bottleScript(...lines: readonly string[]): string {
  return ['```bottle-script', ...lines, '```'].join('\n');
}

/** Holds the agent until the test lets it go on with `StackFiles.letGo`: no guessing how long things take. */
export const WAIT_FOR_TEST = 'run until [ -e /run/bottle/turn/go ]; do sleep 0.1; done';
