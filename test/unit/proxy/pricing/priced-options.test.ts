// The organization's setting for options that cost more than the usual price: which values of which fields it refuses,
// in the words of each client's format.
import { describe, expect, it } from 'vitest';
import { clientFormats } from '../../../../proxy/client-formats.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import type { ClientFormatName } from '../../../../proxy/formats/client-format.ts';
import { refusePricedOptions } from '../../../../proxy/pricing/dear-fields.ts';
import { clientCallOf } from '../../../support/vendor-calls.ts';

const hi = [{ role: 'user', content: 'Hi' }];
const bodies: Readonly<Record<ClientFormatName, object>> = {
  chat_completions: { messages: hi },
  messages: { max_tokens: 100, messages: hi },
  responses: { input: 'Hi' },
  generate_content: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  converse: { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] },
  invoke: { anthropic_version: 'bedrock-2023-05-31', max_tokens: 100, messages: hi },
};

interface Sent {
  readonly fields?: object;
  readonly headers?: readonly string[];
}

function requestOf(format: ClientFormatName, { fields = {}, headers = [] }: Sent) {
  const sent = { format: clientFormats[format], body: { ...bodies[format], ...fields }, headers };
  return clientCallOf('gpt-provider', 'm', sent).request;
}

/** The error's field, and whether its message names it; undefined if the request passes. */
function refused(request: ReturnType<typeof requestOf>, { allowed = false, direct = false } = {}) {
  try {
    refusePricedOptions({ request, caller: { direct, principal: { organization: { pricedOptions: allowed } } } });
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error).toMatchObject({ code: 'unsupported_parameter', status: 400, isClientParam: true });
    expect(error.message).toBe(
      `${error.param} changes the price of a request, and the organization does not allow options that do`,
    );
    return error.param;
  }
}

const extra = (fields: object): Sent => ({ fields: { additionalModelRequestFields: fields } });
const longBeta = 'context-1m-2025-08-07';

const dear: readonly (readonly [ClientFormatName, string, Sent])[] = [
  ['chat_completions', 'service_tier', { fields: { service_tier: 'priority' } }],
  ['chat_completions', 'service_tier', { fields: { service_tier: 'fast' } }],
  ['chat_completions', 'service_tier', { fields: { service_tier: 'scale' } }],
  ['chat_completions', 'service_tier', { fields: { service_tier: 'a-new-one' } }],
  ['chat_completions', 'service_tier', { fields: { service_tier: 2 } }],
  ['responses', 'service_tier', { fields: { service_tier: 'ultrafast' } }],
  ['messages', 'service_tier', { fields: { service_tier: 'priority' } }],
  ['messages', 'speed', { fields: { speed: 'fast' } }],
  ['messages', 'speed', { fields: { speed: 'faster' } }],
  ['messages', 'inference_geo', { fields: { inference_geo: 'us' } }],
  ['messages', 'anthropic-beta', { headers: ['anthropic-beta', longBeta] }],
  ['messages', 'anthropic-beta', { headers: ['anthropic-beta', `a-2025-01-01, ${longBeta}`] }],
  ['messages', 'anthropic-beta', { headers: ['anthropic-beta', 'a-2025-01-01', 'anthropic-beta', longBeta] }],
  ['generate_content', 'serviceTier', { fields: { serviceTier: 'priority' } }],
  ['generate_content', 'serviceTier', { fields: { service_tier: 'priority' } }],
  ['converse', 'serviceTier', { fields: { serviceTier: { type: 'priority' } } }],
  ['converse', 'serviceTier', { fields: { serviceTier: { type: 'reserved' } } }],
  ['converse', 'performanceConfig', { fields: { performanceConfig: { latency: 'optimized' } } }],
  ['converse', 'additionalModelRequestFields.speed', extra({ speed: 'fast' })],
  ['converse', 'additionalModelRequestFields.anthropic_beta', extra({ anthropic_beta: [longBeta] })],
  ['invoke', 'speed', { fields: { speed: 'fast' } }],
  ['invoke', 'anthropic_beta', { fields: { anthropic_beta: ['a-2025-01-01', longBeta] } }],
  ['invoke', 'performanceConfigLatency', { headers: ['x-amzn-bedrock-performanceconfig-latency', 'optimized'] }],
  ['invoke', 'serviceTier', { headers: ['x-amzn-bedrock-service-tier', 'priority'] }],
];

describe('an option that costs more than the usual price', () => {
  it.each(dear)('of a client of %s is refused where it is not allowed: %s, %j', (format, field, sent) => {
    expect(refused(requestOf(format, sent))).toBe(field);
  });

  it.each(dear)('of a client of %s passes where it is allowed, and with the caller’s own key: %s, %j', (...row) => {
    const request = requestOf(row[0], row[2]);
    expect(refused(request, { allowed: true })).toBeUndefined();
    expect(refused(request, { direct: true })).toBeUndefined();
  });

  it('is no reason to refuse a request whose tokens are only counted', () => {
    const { client, ...request } = requestOf('messages', { fields: { speed: 'fast' } });
    if (client === undefined) throw new Error('the client has the format of the gateway');
    expect(refused({ ...request, client })).toBe('speed');
    expect(refused({ ...request, client: { ...client, path: { ...client.path, counts: true } } })).toBeUndefined();
  });
});

describe('a value that requests the usual price, or a lower one', () => {
  it.each<[ClientFormatName, Sent]>([
    ['chat_completions', { fields: { service_tier: 'auto' } }],
    ['chat_completions', { fields: { service_tier: 'default' } }],
    ['chat_completions', { fields: { service_tier: 'flex' } }],
    ['chat_completions', { fields: { service_tier: null } }],
    ['responses', { fields: { service_tier: 'auto' } }],
    ['messages', { fields: { service_tier: 'auto', speed: 'standard', inference_geo: 'global' } }],
    ['messages', { fields: { service_tier: 'standard_only', speed: null, inference_geo: null } }],
    ['messages', { headers: ['anthropic-beta', 'context-management-2025-06-27', 'anthropic-version', longBeta] }],
    ['generate_content', { fields: { serviceTier: 'standard' } }],
    ['generate_content', { fields: { serviceTier: 'unspecified' } }],
    ['generate_content', { fields: { serviceTier: 'flex' } }],
    ['converse', { fields: { serviceTier: { type: 'default' }, performanceConfig: { latency: 'standard' } } }],
    ['converse', { fields: { serviceTier: { type: 'flex' } } }],
    ['converse', extra({ service_tier: 'flex' })],
    ['converse', extra({ speed: 'standard', anthropic_beta: ['context-management-2025-06-27'] })],
    ['invoke', { headers: ['x-amzn-bedrock-service-tier', 'flex'] }],
    ['invoke', { headers: ['x-amzn-bedrock-performanceconfig-latency', 'standard'] }],
  ])('passes in a request of %s: %j', (format, sent) => {
    expect(refused(requestOf(format, sent))).toBeUndefined();
  });

  it('is no limit of the response, which has no price', () => {
    expect(refused(requestOf('converse', extra({ max_tokens: 9, inferenceConfig: { maxTokens: 9 } })))).toBeUndefined();
  });
});
