const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `0 B`, `4.0 KiB`, `1.5 GiB`: binary units with one digit behind the point. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? String(value) : value.toFixed(1)} ${UNITS[unit] ?? ''}`;
}
