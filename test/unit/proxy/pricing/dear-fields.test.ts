// Under a budget: fields of a client's own format that make its vendor charge more. They pass where the catalog has a
// price, which the reservation then covers, and are refused elsewhere.
import { describe, expect, it } from 'vitest';
import { clientFormats } from '../../../../proxy/client-formats.ts';
import type { ClientFormatName } from '../../../../proxy/formats/client-format.ts';
import { boundOf } from '../../../../proxy/pricing/bound.ts';
import { compilePrices } from '../../../../proxy/pricing/prices.ts';
import { unpriceable } from '../../../../proxy/pricing/unpriceable.ts';
import { clientCallOf } from '../../../support/vendor-calls.ts';

const usual = { input: '3', output: '15' };
const longBeta = 'context-1m-2025-08-07';
const dear = {
  ...usual,
  serviceTiers: { fast: { input: '30', output: '150' }, optimized: { input: '6', output: '30' } },
  surcharges: { us: '1.1' },
};

interface Requested {
  readonly format: ClientFormatName;
  readonly vendor: 'assistant-provider' | 'managed-cloud-models' | 'gpt-provider';
  readonly fields: object;
}

const bases: Partial<Record<ClientFormatName, object>> = {
  messages: { max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] },
  converse: { inferenceConfig: { maxTokens: 100 }, messages: [{ role: 'user', content: [{ text: 'Hi' }] }] },
};

function boundOfRequest({ format, vendor, fields }: Requested, amounts: object, region?: string) {
  const call = clientCallOf(vendor, 'm', { format: clientFormats[format], body: { ...bases[format], ...fields } });
  const prices = compilePrices({ ...usual, ...amounts, asOf: '2026-11-22' }, region);
  if (prices === undefined) throw new Error('the prices are not believed');
  const catalogModel = { provider: vendor, name: 'm', chat: true, created: 1, capabilities: [], limits: {} };
  const priced = {
    request: call.request,
    model: 'm',
    targets: [call.target],
    qualifiedModel: `${vendor}/m`,
    catalogModel,
  };
  return { field: unpriceable(priced, prices), full: boundOf(priced, prices, 1000).full };
}

const speed: Requested = { format: 'messages', vendor: 'assistant-provider', fields: { speed: 'fast' } };
const geo: Requested = { format: 'messages', vendor: 'assistant-provider', fields: { inference_geo: 'us' } };
const latency: Requested = {
  format: 'converse',
  vendor: 'managed-cloud-models',
  fields: { performanceConfig: { latency: 'optimized' } },
};

describe('a field that makes the vendor charge more', () => {
  it.each([
    ['speed', speed],
    ['inference_geo', geo],
    ['performanceConfig', latency],
  ])('%s passes with a price, and is refused without one', (field, request) => {
    expect(boundOfRequest(request, dear).field).toBeUndefined();
    expect(boundOfRequest(request, {}).field).toBe(field);
  });

  it('is covered by the reservation', () => {
    const plain = (request: Requested) => ({ ...request, fields: {} });
    expect(boundOfRequest(speed, dear).full).toBeGreaterThan(9 * boundOfRequest(plain(speed), dear).full);
    expect(boundOfRequest(latency, dear).full).toBeGreaterThan(1.9 * boundOfRequest(plain(latency), dear).full);
    // Where requests are processed elsewhere by configuration.
    expect(boundOfRequest(geo, dear, 'eu').full).toBeGreaterThan(1.09 * boundOfRequest(plain(geo), dear, 'eu').full);
  });

  it.each([
    ['speed', { ...speed, fields: { speed: 'faster' } }],
    ['inference_geo', { ...geo, fields: { inference_geo: 'moon' } }],
    ['serviceTier', { ...latency, fields: { serviceTier: { type: 'reserved' } } }],
  ])('is refused with a value that no price covers: %s', (field, request) => {
    expect(boundOfRequest(request, dear).field).toBe(field);
  });

  it('is no reason to refuse at a vendor of another format, which does not get it', () => {
    for (const request of [speed, geo, latency]) {
      expect(boundOfRequest({ ...request, vendor: 'gpt-provider' }, {}).field).toBeUndefined();
    }
  });
});

describe('a beta for longer prompts', () => {
  it('needs no price of its own, because the rates of long prompts are reserved', () => {
    const sent = { format: clientFormats.messages, body: { ...bases.messages }, headers: ['anthropic-beta', longBeta] };
    const call = clientCallOf('assistant-provider', 'm', sent);
    const prices = compilePrices({ ...usual, asOf: '2026-11-22' });
    if (prices === undefined) throw new Error('the prices are not believed');
    const priced = { ...call, targets: [call.target], qualifiedModel: 'assistant-provider/m', catalogModel: undefined };
    expect(unpriceable(priced, prices)).toBeUndefined();
  });
});
