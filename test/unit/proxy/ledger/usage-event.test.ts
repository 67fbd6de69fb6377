import { describe, expect, it } from 'vitest';
import { killedEvent } from '../../../../proxy/ledger/usage-event.ts';
import { chatCallOf } from '../../../support/charged-calls.ts';

describe('the usage event of a request whose proxy is killed', () => {
  const call = chatCallOf('gpt-provider', 'gpt-4o', { stream: true });

  it('contains the request and its owner, and leaves the cost to the proxy that adopts the journal', () => {
    expect(killedEvent(call)).toMatchObject({
      ...{ organizationId: 'o', keyId: 'k', requestId: 'request', provider: 'gpt-provider' },
      ...{ modelAsked: 'gpt-provider/gpt-4o', streamed: true, promptTokens: 0, completionTokens: 0 },
      ...{ cost: 0, charges: [], unpriced: false, estimated: true, estimateReason: 'killed' },
      ...{ status: 500, errorSource: 'gateway', errorCode: 'internal_error', attempts: 1 },
    });
  });

  it('contains the guardrail of its calls, and none for a call of a caller', () => {
    expect(killedEvent(call)).not.toHaveProperty('guardrailId');
    expect(killedEvent({ ...call, guardrailId: 'g' })).toMatchObject({ guardrailId: 'g' });
  });

  it('says that it is a copy of a request', () => {
    expect(killedEvent(call)).not.toHaveProperty('shadow');
    expect(killedEvent({ ...call, shadowOf: { name: 'fast' } })).toMatchObject({ shadow: true });
  });
});
