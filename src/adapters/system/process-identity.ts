import { readFile, readlink } from 'node:fs/promises';
import { unlessMissing } from '../../domain/base/errno.js';

/** A process, told apart from a later one that got the same id. Linux only: proc(5). */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot. */
  readonly startTime: string;
  readonly bootId: string;
  /** Process ids mean nothing in another container's namespace. */
  readonly pidNamespace: string;
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  const [startTime, bootId, pidNamespace] = await Promise.all([
    startTimeOf(process.pid),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    readlink('/proc/self/ns/pid'),
  ]);
  return { pid: process.pid, startTime: startTime ?? '', bootId: bootId.trim(), pidNamespace };
}

/** `undefined` when there is no such process. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  const content = await unlessMissing(readFile(`/proc/${String(pid)}/stat`, 'utf8')).catch(() => undefined);
  // The name, field 2, stands in parentheses and may contain anything; the start time is field 22.
  return content?.slice(content.lastIndexOf(')') + 2).split(' ')[19];
}
