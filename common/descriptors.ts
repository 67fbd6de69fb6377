// How many files and sockets this process may have open at once. Node raises its soft limit to the hard limit when it
// starts.
import { readFileSync } from 'node:fs';

/** Used if the system does not report a limit: the minimum that systems allow. */
const unknownMax = 1024;

/** Descriptors reserved for the process itself: files, database, Redis, probes. */
const ownMax = 256;

/**
 * How many of the process's descriptors are available to callers, including everything that is opened on their behalf.
 */
export function descriptorsForCallers(max: number): number {
  return max - Math.min(ownMax, Math.floor(max / 8));
}

/** @param limits content of /proc/self/limits; default: that file */
export function descriptorsMax(limits: string = limitsText()): number {
  const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(limits) ?? [];
  if (soft === undefined) return unknownMax;
  return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft);
}

function limitsText(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
