/** Whether a text @-mentions one of the logins (in lower case), the way forges find mentions: not inside a word or a path. */
export function mentionsMember(text: string, logins: readonly string[]): boolean {
  const mentions = text.matchAll(/(?<![A-Za-z0-9_@/.-])@([A-Za-z0-9_.-]*[A-Za-z0-9_])/g);
  return [...mentions].some((mention) => logins.includes((mention[1] ?? '').toLowerCase()));
}
