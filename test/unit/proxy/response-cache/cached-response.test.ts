// The seal of a cached response: what was changed, moved or made by someone else does not open.
import { describe, expect, it } from 'vitest';
import { RecordKey } from '../../../../proxy/access/organization-key.ts';
import { noUsage } from '../../../../proxy/conversation/usage.ts';
import {
  type CachedResponse,
  cachedBytesMax,
  openResponse,
  sealResponse,
} from '../../../../proxy/response-cache/cached-response.ts';
import { Random, scrambled } from '../../../support/access/random.ts';
import { recordKey } from '../../../support/cached-calls.ts';
import { roundsOf, startingSeed } from '../../../support/seed.ts';

const [key, otherKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const response: CachedResponse = {
  ...{ form: 'whole', body: Buffer.from('{"id":"a"}\n\n{}'), storedAt: 1_795_176_000_000 },
  target: { model: 'gpt-provider/gpt-4o-mini', providerKeyId: 'pk', overrides: '[5,null]' },
  modelAnswered: 'gpt-4o-mini-2024-07-18',
  usage: { ...noUsage, promptTokens: 3, completionTokens: 4 },
  headers: ['x-svc-dropped-params', 'seed'],
};

function sealed(one: CachedResponse = response): Buffer {
  const value = sealResponse(one, key, recordKey);
  if (value === undefined) throw new Error('it is too large');
  return value;
}

describe('a sealed response', () => {
  it('opens under its key, with all that was sealed', () => {
    expect(openResponse(sealed(), key, recordKey)).toEqual(response);
    const stream: CachedResponse = { ...response, form: 'stream', body: Buffer.alloc(0), modelAnswered: undefined };
    expect(openResponse(sealed(stream), key, recordKey)).toEqual(stream);
  });

  it('shows nothing of its content, and is another value each time', () => {
    expect(sealed().includes('gpt-4o')).toBe(false);
    expect(sealed().equals(sealed())).toBe(false);
  });

  it('does not open under the key of another request, or of another organization', () => {
    expect(openResponse(sealed(), otherKey, recordKey)).toBeUndefined();
    expect(openResponse(sealed(), key, new RecordKey(1, Buffer.alloc(32, 8)))).toBeUndefined();
  });

  it('does not open after any change, over random changes', () => {
    const seed = startingSeed();
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(500); round++) {
      const value = sealed();
      const changed = scrambled(random, value);
      if (changed.equals(value)) continue;
      expect(openResponse(changed, key, recordKey), `seed ${seed}, round ${round}`).toBeUndefined();
    }
  });

  it.each([0, 1, 28, 29, 40])('does not open if only its first %d bytes are left', (bytes) => {
    expect(openResponse(sealed().subarray(0, bytes), key, recordKey)).toBeUndefined();
  });

  it('has at most 1 MiB, with everything', () => {
    const room = cachedBytesMax - sealed({ ...response, body: Buffer.alloc(0) }).length;
    const most = { ...response, body: Buffer.alloc(room) };
    expect(sealed(most)).toHaveLength(cachedBytesMax);
    expect(openResponse(sealed(most), key, recordKey)).toEqual(most);
    expect(sealResponse({ ...response, body: Buffer.alloc(room + 1) }, key, recordKey)).toBeUndefined();
  });
});
