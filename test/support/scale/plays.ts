/** How often a generated case is played: `usual` times, and as many times more as `BOT_BOTTLE_PLAYS` says. */
export function plays(usual: number): number {
  return usual * Number(process.env['BOT_BOTTLE_PLAYS'] ?? 1);
}
