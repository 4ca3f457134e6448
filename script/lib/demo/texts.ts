/**
 * What alice writes in the demo. The scripted agent does what the last `bottle-script` block of its prompt says; a real one
 * is asked in plain words.
 */

export const AGENT_LABEL = 'bot-bottle:demo';
export const FILE = 'greet.sh';

const GREETS_BY_NAME = ['#!/bin/sh', 'name=${1:-world}', 'echo "hello, $name"'];
const SHOUTS = [
  '#!/bin/sh',
  'loud=',
  'if [ "$1" = --loud ]; then loud=1; shift; fi',
  'name=${1:-world}',
  'if [ -n "$loud" ]; then echo "HELLO, $name!"; else echo "hello, $name"; fi',
];

/** The file as the agent is to leave it in the end. */
export const FINAL_CONTENT = `${SHOUTS.join('\n')}\n`;

export const ISSUE_TITLE = 'greet.sh should greet people by name';

export function issueBody(issue: number): string {
  return withScript('`sh greet.sh alice` says "hello"; it should say "hello, alice".', [
    `read_issue ${String(issue)}`,
    write(GREETS_BY_NAME),
    `run sh ${FILE} alice`,
    'commit Greet people by name',
    `open_pr Greet people by name | \`${FILE} alice\` now says "hello, alice"; without a name it greets the world.`,
    'done success greet.sh greets people by name',
  ]);
}

export const COMMENT = 'Good. Could it also shout, as in `sh greet.sh --loud alice`?';

export function commentBody(pr: number): string {
  return withScript(COMMENT, [
    `read_comments ${String(pr)}`,
    write(SHOUTS),
    `run sh ${FILE} --loud alice`,
    'commit Shout when asked to',
    'done success greet.sh shouts when asked to',
  ]);
}

/** Small enough for a few steps of a model, and with one way to see that it works. */
export const PLAIN_ISSUE = [
  '`sh greet.sh alice` says "hello"; it should say "hello, alice". Without a name it should greet the world: "hello, world".',
  '',
  'A small change of `greet.sh` is all that is wanted. Please run it both ways before you commit.',
].join('\n');

export const PLAIN_COMMENT =
  'Good. Could it also shout? `sh greet.sh --loud alice` should say "HELLO, alice!". Please add it as a commit of its own.';

function write(lines: readonly string[]): string {
  return `write ${FILE} ${lines.join('\\n')}`;
}

function withScript(wish: string, script: readonly string[]): string {
  return [wish, '', '```bottle-script', ...script, '```'].join('\n');
}
