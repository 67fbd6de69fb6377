// Samples of guardrail decisions, from the proxy's request to the operators' audit log: caller and time, never the
// match.
import { expect, it } from 'vitest';
import { chatRequest, startGateway } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';

interface Event {
  readonly action: string;
  readonly actorKind: string;
  readonly actorId: string;
  readonly targetId: string;
  readonly after?: string;
}

it('a blocked request becomes an event of the audit log with key, guardrail and request, and without the match', async () => {
  const gateway = await startGateway();
  try {
    const { organization, proxy } = gateway;
    const made = await organization.api.call('Guardrails/Create', {
      ...{ organizationId: organization.id, name: 'no-tea', stage: 'GUARDRAIL_STAGE_INPUT' },
      ...{ action: 'GUARDRAIL_ACTION_BLOCK', check: { words: { phrases: ['darjeeling'] } } },
    });
    const { id: guardrailId } = made.guardrail as { id: string };
    const key = await organization.createKey();
    const messages = [{ role: 'user', content: 'A pot of Darjeeling' }];
    const response = await fetch(`${proxy.url}/v1/chat/completions`, chatRequest(key.value, { messages }));
    expect(response.status).toBe(400);
    const events = async () => {
      const listed = await organization.api.call('Audit/List', { organizationId: organization.id });
      return (listed.events as Event[]).filter(({ action }) => action.startsWith('guardrail.'));
    };
    const [event] = await until(async () => (await events()).length > 0 && (await events()));
    expect(event).toMatchObject({
      ...{ action: 'guardrail.blocked', actorKind: 'virtual_key', actorId: key.id, targetId: guardrailId },
    });
    expect(event?.after).toContain(response.headers.get('x-request-id'));
    expect(JSON.stringify(event)).not.toMatch(/darjeeling/i);
  } finally {
    await gateway.close();
  }
});
