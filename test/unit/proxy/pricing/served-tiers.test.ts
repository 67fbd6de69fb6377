import { describe, expect, it } from 'vitest';
import { noUsage, type ServedTier, special } from '../../../../proxy/conversation/usage.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import { compilePrices } from '../../../../proxy/pricing/prices.ts';
import { ServedTiers } from '../../../../proxy/pricing/served-tiers.ts';
import type { Target } from '../../../../proxy/providers/provider.ts';

const serviceTiers = { priority: { input: '2', output: '2' } };
const prices = compilePrices({ input: '1', output: '1', serviceTiers, asOf: '2026-11-22' });
if (prices === undefined) throw new Error('the prices are not believed');
const known = prices;

function call(providerKeyId: string | undefined, requested: object = {}) {
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], ...requested };
  return {
    request: parseChatRequest(Buffer.from(JSON.stringify(body))),
    targets: [{ providerKeyId } as Target],
  };
}

const used = (serviceTier?: ServedTier) => ({ ...noUsage, promptTokens: 1, ...special({ serviceTier }) });

/** The nano-dollars that are reserved for a prompt token. */
const reserved = (tiers: ServedTiers, keyId: string | undefined) =>
  tiers.reservedFor(call(keyId), known).dearest(1).input.whole;

describe('a provider key whose requests are served as priority without a request for it', () => {
  it('is reserved at the priority price from then on, and no other key is', () => {
    const tiers = new ServedTiers();
    expect(reserved(tiers, 'a')).toBe(1000);
    tiers.note(call('a'), used('priority'));
    expect(reserved(tiers, 'a')).toBe(2000);
    expect(reserved(tiers, 'b')).toBe(1000);
    expect(tiers.reservedFor(call('a'), known).costOf(used())).toBe(1000);
  });

  it('is reserved at the priority price while some of its requests are served so, and no longer when none is', () => {
    const tiers = new ServedTiers();
    tiers.note(call('a'), used('priority'));
    for (let i = 0; i < 1000; i++) tiers.note(call('a'), used());
    expect(reserved(tiers, 'a')).toBe(2000);
    tiers.note(call('a'), used('priority'));
    for (let i = 0; i < 1001; i++) tiers.note(call('a'), used());
    expect(reserved(tiers, 'a')).toBe(1000);
  });

  it.each<[string, string | undefined, object, ServedTier | undefined]>([
    ['that requested priority', 'a', { service_tier: 'priority' }, 'priority'],
    ['with a key of its caller’s own', undefined, {}, 'priority'],
    ['that was served with an unknown tier', 'a', {}, 'unknown'],
    ['that was served as usual', 'a', {}, undefined],
  ])('is not detected by a request %s', (_what, keyId, requested, tier) => {
    const tiers = new ServedTiers();
    tiers.note(call(keyId, requested), used(tier));
    expect(reserved(tiers, keyId)).toBe(1000);
  });

  it('is forgotten when there are too many keys', () => {
    const tiers = new ServedTiers();
    for (let i = 0; i <= 10_000; i++) tiers.note(call(`key-${i}`), used('priority'));
    expect(reserved(tiers, 'key-0')).toBe(1000);
    expect(reserved(tiers, 'key-1')).toBe(2000);
  });
});
