import { describe, expect, it } from 'vitest';
import type { ChatCall } from '../../../../proxy/call.ts';
import { noUsage, type Usage } from '../../../../proxy/conversation/usage.ts';
import { estimatedUsage } from '../../../../proxy/pricing/charge.ts';
import { estimateTokens } from '../../../../proxy/rates/estimate.ts';
import { chatCallOf, outcomeWith } from '../../../support/charged-calls.ts';

function estimated(call: ChatCall, outcome: Parameters<typeof outcomeWith>[0]): Usage {
  return estimatedUsage(call, outcomeWith(outcome), 8192);
}

describe('unreported usage of a model without a price', () => {
  const plain = chatCallOf('gpt-provider', 'gpt-4o-mini', {});

  it('is the estimated input and the text of a whole response', () => {
    const usage = estimated(plain, { ending: 'whole', text: 40 });
    expect(usage).toEqual({
      ...noUsage,
      promptTokens: estimateTokens(plain, 8192).input,
      completionTokens: 40,
    });
  });

  it('is the reported usage if there is one', () => {
    const usage = { ...noUsage, promptTokens: 7, cacheReadTokens: 3, completionTokens: 50 };
    expect(estimated(plain, { ending: 'whole', text: 40, usage })).toEqual(usage);
  });

  it('is the largest possible output when the response was cut', () => {
    const limited = chatCallOf('gpt-provider', 'gpt-4o-mini', { max_completion_tokens: 300, n: 2 });
    expect(estimated(limited, { ending: 'cut', text: 40 }).completionTokens).toBe(600);
    expect(estimated(limited, { ending: 'cut', text: 4_000 }).completionTokens).toBe(4_000);
  });

  it('is the largest possible output when the model may think without showing it', () => {
    const thinking = chatCallOf('gpt-provider', 'gpt-5', { max_completion_tokens: 300 });
    expect(estimated(thinking, { ending: 'whole', text: 40 }).completionTokens).toBe(300);
  });
});
