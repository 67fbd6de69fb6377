// Mistakes of callers: credentials, routes, methods, bodies.
import { createCredential } from '../../../../common/credential.ts';
import { specificMessages } from '../../../../proxy/errors.ts';
import { chatBody } from '../../../support/gateway.ts';
import { until } from '../../../support/process.ts';
import { ownHeaders } from '../../../support/vendors.ts';
import { bearer, budget, type Case, type Cases, chat, limitedKey, own, rawHead } from './world.ts';

export const callersFaults = {
  virtual_key_required: [
    { what: 'a request without a key', provoke: (world) => world.send({ headers: {} }) },
    {
      what: 'a key that is not a virtual key',
      hint: 'the value of `authorization` is no virtual key of this gateway: they begin with `sk-svc-`',
      provoke: (world) => world.send({ headers: { authorization: 'Bearer sk-other' } }),
    },
    {
      what: 'a list of models without a key',
      provoke: (world) => world.send({ path: '/v1/models', method: 'GET', headers: {} }),
    },
  ],
  access_not_found: [
    {
      what: 'an unknown key',
      provoke: (world) => world.send({ headers: { 'x-api-key': createCredential('virtualKey') } }),
    },
    { what: 'a malformed key', provoke: (world) => world.send({ headers: { 'x-api-key': 'sk-svc-1' } }) },
  ],
  access_blocked: [
    {
      what: 'an inactive key',
      provoke: async (world) => world.withKey((await world.gateway.organization.createKey({ active: false })).value),
    },
    {
      what: 'an expired key',
      message: specificMessages.expired,
      provoke: async (world) => {
        const endsAt = new Date(Date.now() + 200).toISOString();
        const { value } = await world.gateway.organization.createKey({ endsAt });
        await until(async () => (await world.withKey(value)).status === 403);
        return world.withKey(value);
      },
    },
  ],
  policy_access_denied: [
    {
      what: 'a direct key where direct keys are not enabled',
      provoke: (world) =>
        world.send({ headers: { 'x-svc-direct-key': 'true', 'x-svc-vk': world.key, 'x-api-key': 'sk-own' } }),
    },
    {
      what: 'a direct key without a virtual key in x-svc-vk',
      status: 401,
      message: specificMessages.directKeyNeedsVirtualKey,
      provoke: (world) => world.send({ headers: { 'x-svc-direct-key': 'true', authorization: `Bearer ${world.key}` } }),
    },
  ],
  invalid_request: [
    {
      what: 'a body that is not JSON',
      message: 'the body is not valid JSON',
      provoke: (world) => world.send({ body: '{' }),
    },
    {
      what: 'a body that is not an object',
      message: 'the body must be a JSON object',
      provoke: (world) => world.send({ body: '[]' }),
    },
    field('model', { model: undefined }, 'model must be a non-empty string'),
    {
      ...field(
        'model',
        { model: '/gpt-4o' },
        'model must be <provider>/<model_name>, for example gpt-provider/gpt-4o-mini',
      ),
      hint: /^did you mean gpt-provider\/gpt-4o[, ]/,
    },
    field(
      'model',
      { model: `gpt-provider/${createCredential('virtualKey')}` },
      'the model name contains characters that no model name has',
    ),
    field('stream', { stream: 1 }, 'stream must be true or false'),
    field('messages', { messages: [] }, 'messages must be a non-empty array'),
    field('messages[0]', { messages: [null] }, 'messages[0] must be an object'),
    field('messages[0].role', { messages: [{ role: 'root' }] }, /must be one of system, developer, user, /),
    field('messages[0].content', { messages: [{ role: 'user', content: 1 }] }, /must be a string, an array/),
    field('stream_options', { stream_options: {} }, 'stream_options is only allowed when stream is true'),
    {
      what: 'an invalid flag',
      message: '`x-svc-direct-key` must be true or false',
      provoke: (world) => world.send({ headers: { 'x-svc-direct-key': 'yes', 'x-svc-vk': world.key } }),
    },
    {
      what: 'a model id that cannot be decoded',
      message: 'the id in the path is not valid percent-encoding',
      provoke: (world) => world.send({ path: '/v1/models/%zz', method: 'GET' }),
    },
    {
      what: 'a request that is not HTTP',
      message: 'the request is not valid HTTP/1.1',
      noRequest: true,
      provoke: (world) => world.sendRaw(world.gateway.proxy.port, 'hello\r\n\r\n'),
    },
  ],
  unsupported_parameter: [
    {
      what: 'several responses of a vendor that returns only one',
      param: 'n',
      message: 'n is not supported by this provider',
      provoke: async (world) => {
        const many = await world.gateway.createOrganization('many');
        await many.storeProviderKeys();
        const { value } = await many.createKey();
        return world.send({
          headers: { authorization: `Bearer ${value}` },
          body: chatBody({ model: 'assistant-provider/claude-sonnet-4-5', n: 2 }),
        });
      },
    },
    {
      what: 'a field of unknown price, with a key that has a budget',
      limited: true,
      param: 'plugins',
      message: 'a budget applies, and what `plugins` costs is not known; leave it out',
      provoke: async (world) =>
        world.send({
          headers: bearer(await limitedKey(world, budget('5'))),
          body: chatBody({ plugins: [{ id: 'web' }] }),
        }),
    },
  ],
  model_not_supported: [
    {
      what: 'an embedding model',
      param: 'model',
      provoke: (world) => world.send({ body: chatBody({ model: 'gpt-provider/text-embedding-3-small' }) }),
    },
  ],
  invalid_endpoint: [
    {
      what: 'an endpoint that is another host',
      provoke: (world) =>
        world.send({
          path: '/v1/studio-ai/evil.test:443/chat/completions',
          headers: { 'project-api-key': world.projectKey, authorization: 'Bearer sk-own' },
        }),
    },
  ],
  invalid_region: [
    {
      what: 'a region that is another host',
      provoke: (world) =>
        world.send({
          path: '/v1/managed-cloud-models/chat/completions',
          headers: {
            'project-api-key': world.projectKey,
            ...ownHeaders['managed-cloud-models'],
            'cloud-region-name': 'evil.test',
          },
        }),
    },
  ],
  conflicting_credentials: [
    {
      what: 'a header twice',
      message: '`authorization` was sent twice with different values',
      provoke: (world) => world.sendRaw(world.gateway.proxy.port, rawHead(world.key, ['authorization: Bearer other'])),
    },
    {
      what: 'keys of two organizations',
      message: 'the virtual key and the project key belong to different organizations',
      provoke: (world) =>
        world.send({
          path: own,
          headers: {
            'project-api-key': world.projectKey,
            'x-svc-vk': world.key,
            authorization: 'Bearer sk-own',
          },
        }),
    },
  ],
  model_not_priced: [
    {
      what: 'a model without a price, with a key that has a budget',
      limited: true,
      param: 'model',
      message: 'a budget applies and gpt-provider/gpt-99 has no price; ask an operator to set one',
      hint: /^did you mean gpt-provider\/gpt-.* or gpt-provider\/gpt-.*\?$/,
      provoke: async (world) =>
        world.send({
          headers: bearer(await limitedKey(world, budget('5'))),
          body: chatBody({ model: 'gpt-provider/gpt-99' }),
        }),
    },
  ],
  project_key_required: [
    {
      what: 'a provider’s own route with the virtual key in another header',
      provoke: (world) =>
        world.send({ path: own, headers: { 'x-svc-vk': world.openKey, authorization: 'Bearer sk-own' } }),
    },
  ],
  provider_key_required: [
    {
      what: 'a direct request without a provider key',
      message:
        'a direct request needs a provider key as a bearer token, or in the `x-api-key` or `x-goog-api-key` header',
      provoke: (world) => world.send({ headers: { 'x-svc-direct-key': 'true', 'x-svc-vk': world.openKey } }),
    },
    {
      what: 'a provider’s own route without a provider key',
      message: 'this route needs `Bearer <provider key>` in the `Authorization` header',
      provoke: (world) => world.send({ path: own, headers: { 'project-api-key': world.projectKey } }),
    },
  ],
  budget_exceeded: [
    {
      what: 'a request that costs more than a monthly budget',
      limited: true,
      message: /^the virtual key's budget of \$0.00001 a month is spent; it opens again at \d{4}-\d\d-01T00:00:00Z$/,
      headers: { 'retry-after': 'seconds', 'x-should-retry': 'false' },
      provoke: async (world) => world.withKey(await limitedKey(world, budget('0.00001', 'BUDGET_PERIOD_MONTH'))),
    },
    {
      what: 'a request that costs more than a total budget',
      limited: true,
      message: "the virtual key's budget of $0.00001 is spent; an owner or admin can raise it",
      headers: { 'x-should-retry': 'false' },
      provoke: async (world) => world.withKey(await limitedKey(world, budget('0.00001', 'BUDGET_PERIOD_TOTAL'))),
    },
  ],
  model_not_allowed: [
    {
      what: 'a model outside the list of the key',
      param: 'model',
      hint: /^did you mean gpt-provider\/gpt-4\.1\?$/,
      provoke: async (world) => {
        const narrow = await world.gateway.organization.createKey({
          allowedModels: { globs: ['gpt-provider/gpt-4.1'] },
        });
        return world.withKey(narrow.value);
      },
    },
  ],
  stopped_by_operator: [
    {
      what: 'a model that an operator has stopped',
      param: 'model',
      message: '`gpt-provider` has been stopped by an operator: incident 4711',
      headers: { 'x-should-retry': 'false' },
      provoke: async (world) => {
        const { id, api, createKey } = await world.gateway.createOrganization('stopped');
        const target = { provider: 'gpt-provider' };
        await api.call('Stops/Create', { organizationId: id, target, reason: 'incident 4711' });
        return world.withKey((await createKey()).value);
      },
    },
  ],
  route_not_found: [
    { what: 'an unknown path', provoke: (world) => world.send({ path: '/v1/completions' }) },
    {
      what: 'an unknown path with any method',
      provoke: (world) => world.send({ path: '/', method: 'DELETE' }),
    },
  ],
  model_not_found: [
    {
      what: 'an unknown provider',
      param: 'model',
      message:
        /^no such provider in front of the model name; the nearest that this key may call: gpt-provider\/gpt-4o,/,
      provoke: (world) => world.send({ body: chatBody({ model: 'nobody/gpt-4o' }) }),
    },
    {
      what: 'an unknown model id',
      message: 'no such model: gpt-provider/none; GET /v1/models lists what this key may call',
      provoke: (world) => world.send({ path: '/v1/models/gpt-provider%2Fnone', method: 'GET' }),
    },
  ],
  response_not_found: [
    {
      what: 'the id of a response that was never stored',
      message: 'no such response, or it belongs to another scope',
      provoke: (world) => world.send({ path: '/v1/responses/resp_0123456789abcdef', method: 'GET' }),
    },
    {
      what: 'a response before it that was never stored',
      param: 'previous_response_id',
      message: 'no such response, or it belongs to another scope',
      provoke: (world) =>
        world.send({
          path: '/v1/responses',
          body: JSON.stringify({ model: 'gpt-4o', input: 'Hello', previous_response_id: 'resp_0123456789abcdef' }),
        }),
    },
  ],
  provider_not_configured: [
    {
      what: 'a provider without a key of the organization',
      provoke: async (world) => {
        const bare = await world.gateway.createOrganization('bare');
        const listed = (await bare.api.call('ProviderKeys/List', { organizationId: bare.id })) as {
          providerKeys: { id: string }[];
        };
        for (const { id } of listed.providerKeys) await bare.api.call('ProviderKeys/Delete', { id });
        return world.withKey((await bare.createKey()).value);
      },
    },
  ],
  method_not_allowed: [
    {
      what: 'a chat route with GET',
      message: 'this route takes POST only',
      headers: { allow: 'POST' },
      provoke: (world) => world.send({ method: 'GET' }),
    },
    {
      what: 'the list of models with POST',
      message: 'this route takes GET only',
      headers: { allow: 'GET' },
      provoke: (world) => world.send({ path: '/v1/models' }),
    },
    {
      what: 'an unknown method',
      headers: { allow: 'GET, POST', connection: 'close' },
      noRequest: true,
      provoke: (world) => world.sendRaw(world.gateway.proxy.port, `BREW ${chat} HTTP/1.1\r\nhost: x\r\n\r\n`),
    },
  ],
  request_timeout: [
    {
      what: 'a body that does not arrive',
      headers: { 'x-should-retry': 'false' },
      provoke: (world) =>
        world.sendRaw(world.tight.port, rawHead(world.key, ['content-type: application/json', 'content-length: 9'])),
    },
    {
      what: 'headers that do not end',
      headers: { connection: 'close' },
      noRequest: true,
      provoke: (world) => world.sendRaw(world.tight.port, `POST ${chat} HTTP/1.1\r\n`),
    },
  ],
  upgrade_not_supported: [
    {
      what: 'a WebSocket',
      headers: { upgrade: 'HTTP/1.1' },
      provoke: (world) => world.sendRaw(world.gateway.proxy.port, `GET /v1/responses HTTP/1.1\r\n${handshake}\r\n\r\n`),
    },
  ],
  body_too_large: [
    {
      what: 'a body one byte over the limit',
      message: 'the body is larger than 1024 bytes',
      provoke: (world) => world.send({ url: world.tight.url, body: ' '.repeat(1025) }),
    },
  ],
  unsupported_media_type: [
    {
      what: 'a body of plain text',
      provoke: (world) =>
        world.send({ headers: { authorization: `Bearer ${world.key}`, 'content-type': 'text/plain' } }),
    },
    {
      what: 'a request without a content type',
      message: 'Content-Type is missing; send application/json',
      provoke: (world) => world.sendRaw(world.gateway.proxy.port, rawHead(world.key, ['content-length: 0'])),
    },
    {
      what: 'a compressed body',
      message: 'a compressed body is not accepted; send it uncompressed',
      provoke: (world) => world.send({ headers: { authorization: `Bearer ${world.key}`, 'content-encoding': 'gzip' } }),
    },
  ],
  headers_too_large: [
    {
      what: 'one long header',
      headers: { connection: 'close' },
      noRequest: true,
      provoke: (world) => world.sendRaw(world.tight.port, rawHead(world.key, [`x-long: ${'x'.repeat(3000)}`])),
    },
  ],
} satisfies Cases;

/** A coding agent's (RFC 6455, section 4.1). */
const handshake = [
  'host: gateway',
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
].join('\r\n');

function field(param: string, fields: object, message: string | RegExp): Case {
  const what = `${param} in ${JSON.stringify(fields).replace(/sk-svc-\w+/, 'a key')}`;
  return { what, param, message, provoke: (world) => world.send({ body: chatBody(fields) }) };
}
