/** What to do about a home that others may write: a sticky one is meant to be everybody's, as /tmp is. @param mode as `stat` has it */
export function remedyOfOpenHome(home: string, mode: number): string {
  return (mode & 0o1000) === 0 ? `chmod 700 ${home}` : 'choose another BOT_BOTTLE_HOME';
}
