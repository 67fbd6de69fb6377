// UUIDv7 (RFC 9562): ids that sort by creation time, those of one process also within a millisecond. One is made for
// every request, so few strings are joined.
import { randomBytes } from 'node:crypto';

// One call of the system's random source serves 256 ids, because it costs more than the rest of an id.
const idDigits = 20;
/** Values of the 12 bits after the version. They count within a millisecond: RFC 9562, 6.2, method 1. */
const counts = 2 ** 12;
let pool = '';
let used = 0;
let timeMs = -1;
let timeText = '';
let counter = 0;

export function uuidv7(now: number = Date.now()): string {
  if (used + idDigits > pool.length) {
    pool = randomBytes(128 * idDigits).toString('hex');
    used = 0;
  }
  const at = used;
  used += idDigits;
  if (now !== timeMs) {
    const time = now.toString(16).padStart(12, '0');
    timeMs = now;
    timeText = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    // From the lower half, so that there is room to count.
    counter = Number.parseInt(pool.slice(at, at + 3), 16) % (counts / 2);
  }
  // A clock that stands still may use all: then ids stay unique, but not in order.
  const count = (counter++ % counts).toString(16).padStart(3, '0');
  // The two upper bits of the variant are 10.
  const variant = '89ab'[Number.parseInt(pool.charAt(at + 3), 16) & 0x3];
  return `${timeText}${count}-${variant}${pool.slice(at + 4, at + 7)}-${pool.slice(at + 7, at + idDigits - 1)}`;
}

/** @param id a UUIDv7 @returns its time in milliseconds since 1970 */
export function uuidTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
