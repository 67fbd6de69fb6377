// How many files and sockets this process may have open at a time. Node raises its own soft limit to the hard one when it starts.
import { readFileSync } from 'node:fs';

/** Where the system does not say: what systems allow at least. */
const unknownMax = 1024;

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
