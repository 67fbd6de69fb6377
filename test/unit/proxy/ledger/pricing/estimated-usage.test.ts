import { describe, expect, it } from 'vitest';
import { findModel } from '../../../../../proxy/catalog/models.ts';
import { TraitTable } from '../../../../../proxy/catalog/traits.ts';
import { parseChatRequest } from '../../../../../proxy/chat/request.ts';
import { estimatedUsage } from '../../../../../proxy/ledger/pricing/estimated-usage.ts';
import { estimateTokens } from '../../../../../proxy/ledger/rates/estimate.ts';

const traits = new TraitTable([{ models: 'acme/thinks', traits: { reasoning: 'effort' } }]);

function callOf(provider: string, model: string, fields: object) {
  const body = { model, messages: [{ role: 'user', content: 'Hello' }], ...fields };
  return {
    request: parseChatRequest(Buffer.from(JSON.stringify(body))),
    catalogModel: findModel(provider, model),
    traits: traits.of(provider, model),
  };
}

function completion(call: ReturnType<typeof callOf>, textBytes: number, outputCeiling?: number): number {
  return estimatedUsage(call, { textBytes, outputCeiling, outputTokensDefault: 8192 }).completionTokens;
}

describe('usage that was not told', () => {
  const plain = callOf('gpt-provider', 'gpt-4o-mini', {});

  it('has the estimated input, none of it cached', () => {
    expect(
      estimatedUsage(plain, { textBytes: 0, outputCeiling: undefined, outputTokensDefault: 8192 }),
    ).toEqual({
      promptTokens: estimateTokens(plain, 8192).input,
      ...{
        completionTokens: 1,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        cacheWrite1hTokens: 0,
        reasoningTokens: 0,
      },
    });
  });

  it.each([
    [0, 1],
    [1, 1],
    [4, 1],
    [5, 2],
    [4000, 1000],
  ])('has what came of the answer: %i bytes are %i tokens', (bytes, tokens) => {
    expect(completion(plain, bytes, 500)).toBe(tokens);
  });

  it.each<[string, ReturnType<typeof callOf>, number | undefined, number]>([
    ['that the gateway has set', callOf('gpt-provider', 'gpt-5', {}), 500, 500],
    ['of each choice', callOf('gpt-provider', 'gpt-5', { n: 3 }), 500, 1500],
    [
      'that the caller has set',
      callOf('gpt-provider', 'gpt-5', { max_completion_tokens: 300 }),
      undefined,
      300,
    ],
    ['that is the default', callOf('gpt-provider', 'gpt-5', {}), undefined, 8192],
    ['of a model that is said to reason', callOf('acme', 'thinks', {}), 700, 700],
  ])('has all of a ceiling where the model reasons: one %s', (_what, call, ceiling, tokens) => {
    expect(completion(call, 10, ceiling)).toBe(tokens);
  });

  it('has more than the ceiling where more came', () => {
    expect(completion(callOf('gpt-provider', 'gpt-5', {}), 40_000, 500)).toBe(10_000);
  });
});
