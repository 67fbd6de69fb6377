// Members whose names are written with escapes are inspected under their real names, also after texts that make
// JSON.parse misread them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { guardrailFields } from '../../support/guardrails/fixture.ts';

let gateway: TestGateway;
let proxy: TestProxy;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  const { api, id: organizationId, createKey } = gateway.organization;
  const check = { words: { phrases: ['darjeeling'] } };
  await api.call('Guardrails/Create', {
    organizationId,
    name: 'words',
    ...guardrailFields(['input', 'block'], check),
  });
  proxy = await gateway.startProxy();
  key = (await createKey()).value;
});
afterAll(() => gateway?.close());

async function send(messages: string): Promise<string> {
  const response = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: `{"model":"gpt-provider/gpt-4o-mini","messages":${messages}}`,
  });
  const { error } = (await response.json()) as { readonly error?: { readonly code: string } };
  return error?.code ?? String(response.status);
}

it.each([
  ['a small body', ''],
  ['a large one, which a worker translates', 'x'.repeat(300_000)],
])('an escaped member name is inspected in %s', async (_, filling) => {
  const rest = `darjeeling ${filling}`;
  for (let n = 0; n < 3; n++) await send(`[{"role":"user","\\\\u0063o":"x"},{"role":"user","content":"${filling}"}]`);
  expect(await send(`[{"role":"user","\\u0063ontent":"${rest}"}]`)).toBe('guardrail_blocked');
  expect(await send(`[{"role":"user","\\u0063ontent":"earl grey ${filling}"}]`)).toBe('200');
});
