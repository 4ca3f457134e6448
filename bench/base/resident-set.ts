import { readFile } from 'node:fs/promises';

export const MIB = 1024 * 1024;

/** What a process holds of the machine's memory, bytes (proc_pid_status(5)). */
export interface ResidentSet {
  /** `VmRSS`, pages of files that it shares with others included. */
  readonly bytes: number;
  /** `RssFile`: programs and libraries, which every process that runs them shares. */
  readonly fileBytes: number;
  /** `VmHWM`: the most it ever was. */
  readonly peakBytes: number;
}

/** Errors: the file system's own when the process is gone; `Error` when it says nothing of its memory, as a zombie. */
export async function residentSet(pid: number): Promise<ResidentSet> {
  return parseStatus(await readFile(`/proc/${String(pid)}/status`, 'utf8'));
}

/** The text of `/proc/<pid>/status`. */
export function parseStatus(status: string): ResidentSet {
  const bytesOf = (name: string): number => {
    const [, kib] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
    if (kib === undefined) throw new Error(`the process has no ${name}:\n${status}`);
    return Number(kib) * 1024;
  };
  return { bytes: bytesOf('VmRSS'), fileBytes: bytesOf('RssFile'), peakBytes: bytesOf('VmHWM') };
}
