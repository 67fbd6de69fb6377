// Guardrails on the requests and responses of clients of Converse, at all five vendors, with the official SDK: each part
// of a request that a model reads, and each part of a response, whole and streamed.
import type { ContentBlock } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../common/vendors.ts';
import { inTurn } from '../support/seed.ts';
import {
  FoldedStream,
  hello,
  history,
  type Params,
  thrown,
  toolConfig,
  useConverseClient,
  weather,
} from './clients/converse.ts';
import { secret, useGuardrail } from './clients/scene.ts';

const { clients, converse, stream } = useConverseClient();
const { sent } = clients;

describe.each(vendorNames)('guardrails at %s', (vendor) => {
  const guarded = useGuardrail(clients);

  /** Each part of a request that the model reads. */
  const parts: readonly (readonly [string, Params])[] = [
    ['system', { system: [{ text: secret }], messages: hello }],
    ['text', { messages: [{ role: 'user', content: [{ text: secret }] }] }],
    ['a description of a tool', { messages: hello, toolConfig: { tools: [described(secret)] } }],
    ['a document', { messages: [{ role: 'user', content: [{ text: 'Read' }, document(secret)] }] }],
    ['the input of a call', { toolConfig, messages: history({ city: secret }, 'rain') }],
    ['the result of a call', { toolConfig, messages: history({ city: 'Oslo' }, secret) }],
  ];

  it.each(parts)('replace it in %s', async (_part, params) => {
    await guarded('input', 'redact');
    await converse(vendor, params);
    expect(sent()).not.toContain(secret);
    expect(sent()).not.toContain(Buffer.from(secret).toString('base64').slice(0, 12));
  });

  // They block before anything is written for a vendor.
  it.each(inTurn(parts, vendorNames.indexOf(vendor), vendorNames.length))('block it in %s', async (_part, params) => {
    await guarded('input', 'block');
    await expect(converse(vendor, params)).rejects.toMatchObject({
      name: 'ValidationException',
      code: 'guardrail_blocked',
    });
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });

  it.each(['whole', 'streamed'])(
    'replace it in the text, the reasoning and the calls of a response, %s',
    async (form) => {
      await guarded('output', 'redact');
      clients.scene.gateway.simulator.script({
        text: `It is ${secret}.`,
        toolCalls: [{ name: 'weather', arguments: JSON.stringify({ city: secret }) }],
      });
      const params = { messages: hello, toolConfig };
      const { content, stopReason } = form === 'whole' ? await whole(params) : await stream(vendor, params);
      expect(JSON.stringify(content)).not.toContain(secret);
      expect(stopReason).toBe('tool_use');
      expect(content?.at(-1)?.toolUse?.input).toEqual({ city: expect.stringContaining('[') });
    },
  );
  async function whole(params: Params) {
    const { output, stopReason } = await converse(vendor, params);
    return { content: output?.message?.content, stopReason };
  }

  it('cut a stream at what they block, with an error that the SDK raises', async () => {
    await guarded('output', 'block');
    clients.scene.gateway.simulator.script({ text: `${'All is well. '.repeat(400)}${secret}` });
    const folded = new FoldedStream();
    const error = await thrown(stream(vendor, { messages: hello }, { into: folded }));
    expect(error).toMatchObject({ name: 'ModelStreamErrorException', message: expect.stringContaining('guardrail') });
    expect(folded.content[0]?.text).toContain('All is well.');
    expect(folded.content[0]?.text).not.toContain('swordfish');
  });
});

describe('the parts of a request that only this format has', () => {
  const guarded = useGuardrail(clients);
  const blocks: readonly (readonly [string, ContentBlock])[] = [
    ['guardContent', { guardContent: { text: { text: secret } } }],
    ['a search result', { searchResult: { source: 'https://x.example', title: secret, content: [{ text: 'x' }] } }],
    [
      'the name of a document',
      { document: { format: 'pdf', name: secret, source: { bytes: Buffer.from('%PDF-1.4') } } },
    ],
    ['the context of a document', { document: { ...document('x').document, context: secret } }],
    ['a JSON result', { toolResult: { toolUseId: 'tooluse_1', content: [{ json: { deep: [secret] } }] } }],
  ];

  it.each(blocks)('are inspected: %s', async (_part, block) => {
    await guarded('input', 'block');
    const last = history({ city: 'Oslo' }, 'rain').slice(0, 2);
    const messages = [...last, { role: 'user' as const, content: [block] }];
    await expect(converse('managed-cloud-models', { messages, toolConfig })).rejects.toMatchObject({
      code: 'guardrail_blocked',
    });
  });

  it('are inspected: the schema of the response, which is JSON in a text', async () => {
    await guarded('input', 'block');
    const schema = JSON.stringify({ type: 'object', description: secret, properties: {} }).replace('w', '\\u0077');
    const textFormat = { type: 'json_schema' as const, structure: { jsonSchema: { schema } } };
    await expect(
      converse('managed-cloud-models', { messages: hello, outputConfig: { textFormat } }),
    ).rejects.toMatchObject({ code: 'guardrail_blocked' });
  });
});

function described(description: string) {
  return { toolSpec: { ...weather.toolSpec, description } };
}

function document(text: string): ContentBlock.DocumentMember {
  return { document: { format: 'txt', name: 'Notes', source: { bytes: Buffer.from(text) } } };
}
