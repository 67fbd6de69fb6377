// How many files and sockets this process may have open at a time. Node raises its own soft limit to the hard one when it starts.
import { readFileSync } from 'node:fs';

/** Where the system does not say: what systems allow at least. */
const unknownMax = 1024;

/** What a process keeps for itself: files, its database, Redis, probes. */
const ownMax = 256;

/** Of the descriptors that a process may open, those that callers may have, with all that is opened for them. */
export function descriptorsForCallers(max: number): number {
  return max - Math.min(ownMax, Math.floor(max / 8));
}

/** @param limits the text of /proc/self/limits; default: that file */
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
