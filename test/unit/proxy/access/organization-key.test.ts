import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { RecordKey } from '../../../../proxy/access/organization-key.ts';

const material = Buffer.alloc(32, 7);
const recordKey = new RecordKey(1, material);

describe('a record key', () => {
  it('gives a use the HKDF-SHA256 of itself, with the use as its info', () => {
    // RFC 5869: one block of the expansion is 32 bytes.
    const extracted = createHmac('sha256', Buffer.alloc(32)).update(material).digest();
    const info = Buffer.from('gateway-record-key response-id 1\x01');
    expect(recordKey.keyFor('response-id 1')).toEqual(createHmac('sha256', extracted).update(info).digest());
  });

  it('gives each use, and each generation, a key of its own', () => {
    const other = new RecordKey(2, Buffer.alloc(32, 8));
    const keys = [recordKey.keyFor('a'), recordKey.keyFor('b'), other.keyFor('a')];
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(3);
  });

  it('does not print', () => {
    const shown = inspect(recordKey, { showHidden: true, depth: 5 }) + JSON.stringify(recordKey);
    expect(shown).toContain('generation');
    expect(shown).not.toMatch(/07 07|7,7/);
  });
});
