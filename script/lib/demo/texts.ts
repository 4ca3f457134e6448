/** What alice writes in the demo. The scripted agent does what the last `bottle-script` block of its prompt says. */

export const AGENT_LABEL = 'bot-bottle:implementer';
export const FILE = 'greet.sh';

const FIRST = String.raw`#!/bin/sh\nname=$` + String.raw`{1:-world}\necho "hello, $name"`;
const SECOND =
  String.raw`#!/bin/sh\nloud=\nif [ "$1" = --loud ]; then loud=1; shift; fi\nname=$` +
  String.raw`{1:-world}\nif [ -n "$loud" ]; then echo "HELLO, $name!"; else echo "hello, $name"; fi`;

/** The file as the agent is to leave it in the end. */
export const FINAL_CONTENT = `${SECOND.replaceAll(String.raw`\n`, '\n')}\n`;

export const ISSUE_TITLE = 'greet.sh should greet people by name';

export function issueBody(issue: number): string {
  return block('`sh greet.sh alice` says "hello"; it should say "hello, alice".', [
    `read_issue ${String(issue)}`,
    `write ${FILE} ${FIRST}`,
    `run sh ${FILE} alice`,
    'commit Greet people by name',
    `open_pr Greet people by name | \`${FILE} alice\` now says "hello, alice"; without a name it greets the world.`,
    'done success greet.sh greets people by name',
  ]);
}

export function commentBody(pr: number): string {
  return block('Good. Could it also shout, as in `sh greet.sh --loud alice`?', [
    `read_comments ${String(pr)}`,
    `write ${FILE} ${SECOND}`,
    `run sh ${FILE} --loud alice`,
    'commit Shout when asked to',
    'done success greet.sh shouts when asked to',
  ]);
}

function block(wish: string, script: readonly string[]): string {
  return [wish, '', '```bottle-script', ...script, '```'].join('\n');
}
