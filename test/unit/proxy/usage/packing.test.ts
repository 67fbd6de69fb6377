import { describe, expect, it } from 'vitest';
import { bytesOf, packing } from '../../../../proxy/usage/batch.ts';
import { usageOf, usagesOf } from '../../../support/usage-queue.ts';

describe('packed usage', () => {
  it('is unpacked unchanged', async () => {
    const events = JSON.parse(JSON.stringify(usagesOf(10)));
    expect(await packing.unpack(await packing.pack(events))).toEqual(events);
  });

  it('takes no more memory than its bytes, because it is kept for minutes', async () => {
    const packed = await packing.pack(usagesOf(10));
    expect(packed.buffer.byteLength).toBe(packed.byteLength);
  });

  it('is not unpacked beyond a limit, because little packed data can contain a lot', async () => {
    const events = usagesOf(1_000);
    const packed = await packing.pack(events);
    const bytes = Buffer.byteLength(JSON.stringify(events));
    expect(await packing.unpack(packed, bytes)).toHaveLength(1_000);
    await expect(packing.unpack(packed, bytes - 1)).rejects.toThrow(RangeError);
  });
});

describe('the size of a usage event', () => {
  it.each([
    ...['aiSystemId', 'personId', 'projectKeyId', 'projectAiSystemId', 'projectPersonId'],
    ...['providerKeyId', 'guardrailId', 'requestId', 'modelAsked', 'errorCode'],
  ])('grows with its %s', (field) => {
    const [short, long] = ['x', 'x'.repeat(101)].map((text) => bytesOf(usageOf({ [field]: text })));
    expect((long ?? 0) - (short ?? 0)).toBe(100);
  });
});
