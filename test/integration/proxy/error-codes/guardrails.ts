// Refusals by guardrails, in organizations of their own.
import { chatBody, type TestOrganization } from '../../../support/gateway.ts';
import { guardrailFields } from '../../../support/guardrails/fixture.ts';
import { bearer, type Cases, elsewhere } from './world.ts';

/** A guardrail that blocks a word in requests. @returns its id */
export async function blockFruit({ api, id: organizationId }: TestOrganization): Promise<string> {
  const fields = guardrailFields(['input', 'block'], { words: { phrases: ['persimmon'] } });
  const made = await api.call('Guardrails/Create', { organizationId, name: 'no-fruit', ...fields });
  return (made as { guardrail: { id: string } }).guardrail.id;
}

export const guardrailsRefusals = {
  guardrail_blocked: [
    {
      what: 'a text with a word that a guardrail blocks',
      message: 'blocked by the guardrail no-fruit',
      provoke: async (world) => {
        const guarded = await world.gateway.createOrganization('guarded');
        await blockFruit(guarded);
        const body = chatBody({ messages: [{ role: 'user', content: 'a persimmon' }] });
        return world.send({ headers: bearer((await guarded.createKey()).value), body });
      },
    },
  ],
  // It takes a flood of long texts: test/integration/guardrails/shares.timing.test.ts.
  guardrail_unavailable: elsewhere,
} satisfies Cases;
