// Guardrails on the requests and responses of clients of the Messages API, at all five vendors, with the official SDK:
// each part of a request that a model reads, and each part of a response, whole and streamed.
import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../common/vendors.ts';
import { inTurn } from '../support/seed.ts';
import { hello, type Params, useMessagesClient, weather } from './clients/messages.ts';
import { modelAt, secret, useGuardrail } from './clients/scene.ts';

const { clients, client, create } = useMessagesClient();
const { sent } = clients;

describe.each(vendorNames)('guardrails at %s', (vendor) => {
  const guarded = useGuardrail(clients);

  /** Each part of a request that the model reads. */
  const parts: readonly (readonly [string, Params])[] = [
    ['system', { system: [{ type: 'text', text: secret }], messages: hello }],
    ['text', { messages: [{ role: 'user', content: secret }] }],
    ['a description of a tool', { messages: hello, tools: [{ ...weather, description: secret }] }],
    ['a document', { messages: [{ role: 'user', content: [document(secret)] }] }],
    ['the input of a call', { tools: [weather], messages: history({ city: secret }, 'rain') }],
    ['the result of a call', { tools: [weather], messages: history({ city: 'Oslo' }, secret) }],
  ];

  it.each(parts)('replace it in %s', async (_part, params) => {
    await guarded('input', 'redact');
    await create(vendor, params);
    expect(sent()).not.toContain(secret);
    expect(sent()).not.toContain(Buffer.from(secret).toString('base64').slice(0, 12));
  });

  // They block before anything is written for a vendor.
  it.each(inTurn(parts, vendorNames.indexOf(vendor), vendorNames.length))('block it in %s', async (_part, params) => {
    await guarded('input', 'block');
    await expect(create(vendor, params)).rejects.toMatchObject({
      error: { error: { details: { error_code: 'guardrail_blocked' } } },
    });
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });

  it.each(['GUARDRAIL_FIELD_USER', 'GUARDRAIL_FIELD_SAFETY_IDENTIFIER', 'GUARDRAIL_FIELD_METADATA'])(
    'inspect metadata.user_id if they request %s',
    async (field) => {
      const params = { messages: hello, metadata: { user_id: secret } };
      await guarded('input', 'block', { also: [field] });
      await expect(create(vendor, params)).rejects.toMatchObject({ status: 400 });
      await guarded('input', 'redact', { also: [field] });
      await create(vendor, params);
      expect(sent()).not.toContain(secret);
      await guarded('input', 'block', { also: ['GUARDRAIL_FIELD_PROMPT_CACHE_KEY'] });
      await create(vendor, params);
    },
  );

  it.each(['whole', 'streamed'])(
    'replace it in the text, the thinking and the calls of a response, %s',
    async (form) => {
      await guarded('output', 'redact');
      clients.scene.gateway.simulator.script({
        text: `It is ${secret}.`,
        toolCalls: [{ name: 'weather', arguments: JSON.stringify({ city: secret }) }],
      });
      const params = { model: modelAt(vendor), max_tokens: 4096, messages: hello, tools: [weather] };
      const message =
        form === 'whole'
          ? await client().messages.create(params)
          : await client().messages.stream(params).finalMessage();
      expect(JSON.stringify(message.content)).not.toContain(secret);
      expect(message.stop_reason).toBe('tool_use');
      expect(message.content.at(-1)).toMatchObject({ type: 'tool_use', input: { city: expect.stringContaining('[') } });
    },
  );

  it('replace it in a large response to a large request', async () => {
    await guarded('output', 'redact');
    const text = `${'All is well. '.repeat(30_000)}${secret}`;
    clients.scene.gateway.simulator.script({ text });
    const large = [{ role: 'user' as const, content: 'large '.repeat(60_000) }];
    const { content } = await create(vendor, { messages: large });
    expect(JSON.stringify(content)).toContain('All is well.');
    expect(JSON.stringify(content)).not.toContain(secret);
  });

  it('cut a stream at what they block, with an error that the SDK raises', async () => {
    await guarded('output', 'block');
    clients.scene.gateway.simulator.script({ text: `${'All is well. '.repeat(400)}${secret}` });
    const stream = client().messages.stream({ model: modelAt(vendor), max_tokens: 4096, messages: hello });
    let text = '';
    stream.on('text', (piece) => {
      text += piece;
    });
    await expect(stream.finalMessage()).rejects.toMatchObject({ error: { type: 'error' } });
    expect(text).toContain('All is well.');
    expect(text).not.toContain('swordfish');
  });
});

function document(text: string): Anthropic.DocumentBlockParam {
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text } };
}

function history(input: object, result: string): Anthropic.MessageParam[] {
  return [
    ...hello,
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: result }] },
  ];
}
