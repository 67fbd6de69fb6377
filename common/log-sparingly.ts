// Log lines that others bring about, at most one a second for each reason, so that nobody fills the log.
import type { Clock } from './clock.ts';

const betweenMs = 1000;

/** @returns writes, or drops what comes too soon after a line with the same reason */
export function sparing<Fields extends { readonly reason: string }>(
  write: (fields: Fields) => void,
  { monotonic }: Pick<Clock, 'monotonic'>,
): (fields: Fields) => void {
  const writtenAt = new Map<string, number>();
  return (fields) => {
    const now = monotonic();
    if (now - (writtenAt.get(fields.reason) ?? Number.NEGATIVE_INFINITY) < betweenMs) return;
    writtenAt.set(fields.reason, now);
    write(fields);
  };
}
