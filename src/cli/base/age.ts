/** In the largest unit of which there are two. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 120) return `${String(seconds)}s`;
  if (seconds < 120 * 60) return `${String(Math.floor(seconds / 60))}m`;
  if (seconds < 48 * 3_600) return `${String(Math.floor(seconds / 3_600))}h`;
  return `${String(Math.floor(seconds / 86_400))}d`;
}
