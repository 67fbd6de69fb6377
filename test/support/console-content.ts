// Content for the console's pages: something of everything that an organization can have, with served and refused
// requests.

import type { TestGateway } from './gateway.ts';
import { until } from './process.ts';

export interface Filled {
  readonly keyId: string;
  readonly keyName: string;
  readonly keyValue: string;
  readonly requestId: string;
  readonly memberToken: string;
  readonly memberId: string;
}

/** @param name of what has a name; a test may put hostile text there */
export async function fillGateway(gateway: TestGateway, name = 'checkout'): Promise<Filled> {
  const { organization, proxy } = gateway;
  const { api, id: organizationId } = organization;
  const everything = { kind: 'organization', id: organizationId };
  const key = await organization.createKey({ name });
  const { id: memberId } = await api.call('People/Create', { organizationId, name: `${name} member`, role: 'member' });
  const token = await api.call('OperatorTokens/Create', { personId: memberId, name });
  await api.call('VirtualKeys/Create', {
    organizationId,
    scope: { kind: 'person', id: memberId },
    name: 'own key of a member',
  });
  await api.call('AiSystems/Create', { organizationId, name });
  const amounts = { kind: 'budget', amountUsd: '0.001', period: 'month' };
  await api.call('Limits/Create', { organizationId, subject: everything, soft: true, ...amounts });
  await api.call('Guardrails/Create', {
    organizationId,
    name: 'emails',
    stage: 'input',
    action: 'observe',
    message: name.slice(0, 200),
    check: { personalData: { types: ['email'] } },
  });
  await api.call('Webhooks/Create', { organizationId, name, url: 'https://hooks.example.com/gateway' });
  await api.call('Routes/Create', {
    organizationId,
    name: 'fast',
    groups: [{ targets: [{ model: 'gpt-provider/gpt-4o-mini' }] }],
  });
  await api.call('Stops/Create', {
    organizationId,
    target: { model: 'gpt-provider/gpt-4.1' },
    reason: name.slice(0, 200),
  });
  await api.call('Prices/Create', {
    organizationId,
    model: 'gpt-provider/gpt-4o',
    prices: { input: '2', output: '8' },
  });
  const served = await chat(proxy.url, key.value, 'gpt-provider/gpt-4o-mini', name);
  await chat(proxy.url, key.value, 'no-such/model', name);
  const requestId = served.headers.get('x-request-id') ?? '';
  await until(
    () =>
      api.call('Requests/Get', { organizationId, id: requestId }).then(
        () => true,
        () => false,
      ),
    { what: 'the row of the request' },
  );
  return {
    keyId: key.id,
    keyName: name,
    keyValue: key.value,
    requestId,
    memberToken: String(token.value),
    memberId: String(memberId),
  };
}

/** A request to the proxy. @param text also its user agent and the content */
export function chat(url: string, key: string, model: string, text = 'Hello'): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'user-agent': text.replaceAll(/[^\x20-\x7e]/g, ''),
    },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: text }] }),
  });
}
