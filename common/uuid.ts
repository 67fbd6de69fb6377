// UUIDv7 (RFC 9562): ids that sort by creation time. One is made for every request, so few strings are joined.
import { randomBytes } from 'node:crypto';

// One call of the system's random source serves 256 ids, because it costs more than the rest of an id.
const idDigits = 20;
let pool = '';
let used = 0;
let timeMs = -1;
let timeText = '';

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
  }
  // The two upper bits of the variant are 10.
  const variant = '89ab'[Number.parseInt(pool.charAt(at + 3), 16) & 0x3];
  return `${timeText}${pool.slice(at, at + 3)}-${variant}${pool.slice(at + 4, at + 7)}-${pool.slice(at + 7, at + idDigits - 1)}`;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
