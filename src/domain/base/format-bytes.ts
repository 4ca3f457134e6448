const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `0 B`, `4 KiB`, `1.5 GiB`: binary units with at most one digit behind the point. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${String(Math.round(value * 10) / 10)} ${UNITS[unit] ?? ''}`;
}
