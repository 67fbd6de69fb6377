// UUIDv7 (RFC 9562): ids that sort by the time they were made.
import { randomBytes } from 'node:crypto';

// One call to the system's random source serves 256 ids: it costs more than the rest of an id.
let pool = Buffer.alloc(0);
let used = 0;

export function uuidv7(now: number = Date.now()): string {
  if (used + 10 > pool.length) {
    pool = randomBytes(2560);
    used = 0;
  }
  const random = pool.toString('hex', used, used + 10);
  used += 10;
  const time = now.toString(16).padStart(12, '0');
  const variant = ((Number.parseInt(random.slice(3, 4), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
