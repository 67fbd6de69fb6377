// The call as it was sent to one of several targets.
import { describe, expect, it } from 'vitest';
import { type CallTarget, type ChatCall, callAt } from '../../../proxy/call.ts';
import type { Target } from '../../../proxy/providers/provider.ts';
import { chatCallOf } from '../../support/charged-calls.ts';

const target = (providerKeyId: string) => ({ providerKeyId }) as Target;
const [first, second, third] = [target('one'), target('two'), target('two')];

function routed(fields: object, overrides: CallTarget['overrides']): ChatCall {
  const call = chatCallOf('gpt-provider', 'gpt-4o-mini', fields);
  const { provider, model, qualifiedModel, catalogModel, capabilities } = chatCallOf(
    'assistant-provider',
    'claude',
    {},
  );
  const other = { provider, model, qualifiedModel, catalogModel, capabilities, targets: [second, third], overrides };
  const route = { name: 'fast', onContext: false, onFilter: false, onBudget: false };
  return { ...call, targets: [first], alternatives: [other], route };
}

describe('a call at a target', () => {
  it('without a route is the same call, if it is the first', () => {
    const call = { ...chatCallOf('gpt-provider', 'gpt-4o-mini', {}), targets: [first, second] };
    expect(callAt(call, undefined)).toBe(call);
    expect(callAt(call, first)).toBe(call);
    expect(callAt(call, second).targets).toEqual([second]);
  });

  it('of a route has the model, the provider and the one target', () => {
    const call = routed({}, undefined);
    expect(callAt(call, first)).toMatchObject({ qualifiedModel: 'gpt-provider/gpt-4o-mini', targets: [first] });
    const at = callAt(call, third);
    expect([at.qualifiedModel, at.provider.name]).toEqual(['assistant-provider/claude', 'assistant-provider']);
    expect(at.targets[0]).toBe(third);
    expect(at.alternatives).toBeUndefined();
    expect(callAt(at, third)).toEqual(at);
  });

  it.each<[object, object]>([
    [{}, { max_completion_tokens: 50 }],
    [{ max_completion_tokens: 80 }, { max_completion_tokens: 50 }],
    [{ max_completion_tokens: 20 }, { max_completion_tokens: 20 }],
    [{ max_tokens: 80 }, { max_tokens: 50 }],
    [
      { max_tokens: 80, max_completion_tokens: 20 },
      { max_tokens: 50, max_completion_tokens: 20 },
    ],
    [{ max_completion_tokens: -1 }, { max_completion_tokens: 50 }],
  ])('has at most the tokens of the route: %o', (fields, limited) => {
    const { body } = callAt(routed(fields, { maxOutputTokens: 50, reasoningEffort: undefined }), second).request;
    const { max_tokens, max_completion_tokens } = body;
    expect({ max_tokens, max_completion_tokens }).toEqual({
      max_tokens: undefined,
      max_completion_tokens: undefined,
      ...limited,
    });
  });

  it('has the effort of the route instead of every other one', () => {
    const overrides = { maxOutputTokens: undefined, reasoningEffort: 'low' } as const;
    const fields = { reasoning_effort: 'high', thinking: { type: 'enabled', budget_tokens: 9000 } };
    const call = routed(fields, overrides);
    expect(callAt(call, second).request.body).toMatchObject({ reasoning_effort: 'low' });
    expect(callAt(call, second).request.body).not.toHaveProperty('thinking');
    expect(callAt(call, first).request.body).toMatchObject(fields);
  });
});
