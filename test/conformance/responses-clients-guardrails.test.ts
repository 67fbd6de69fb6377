// Guardrails on the requests and responses of clients of the Responses API, at all five vendors, with the official SDK:
// each part of a request that a model reads, and each part of a response, whole and streamed.
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../common/vendors.ts';
import { inTurn } from '../support/seed.ts';
import { type Params, useResponsesClient, weather } from './clients/responses.ts';
import { secret, useGuardrail } from './clients/scene.ts';

const { clients, create, stream } = useResponsesClient();
const { sent } = clients;

const note: OpenAI.Responses.CustomTool = { type: 'custom', name: 'note', description: 'Takes a note' };

describe.each(vendorNames)('guardrails at %s', (vendor) => {
  const guarded = useGuardrail(clients);

  const schema = { type: 'object', properties: { city: { type: 'string', description: secret } } };
  /** Each part of a request that the model reads. */
  const parts: readonly (readonly [string, Params])[] = [
    ['instructions', { instructions: secret, input: 'Hello' }],
    ['the input', { input: secret }],
    ['a part of a message', { input: [{ role: 'user', content: [{ type: 'input_text', text: secret }] }] }],
    ['a description of a tool', { input: 'Hello', tools: [{ ...weather, description: secret }] }],
    ['a schema of a tool', { input: 'Hello', tools: [{ ...weather, parameters: schema }] }],
    [
      'a description of a namespace',
      { input: 'Hello', tools: [{ type: 'namespace', name: 'maps', description: secret, tools: [weather] }] },
    ],
    ['a file', { input: [{ role: 'user', content: [fileOf(secret)] }] }],
    ['the arguments of a call', { tools: [weather], input: history({ city: secret }, 'rain') }],
    ['the output of a call', { tools: [weather], input: history({ city: 'Oslo' }, secret) }],
    ['the input of a custom tool', { tools: [note], input: customHistory(secret, 'done') }],
    ['the output of a custom tool', { tools: [note], input: customHistory('a', secret) }],
  ];
  /** Not every vendor reads files of text. */
  const sendable = parts.filter(([part]) => part !== 'a file');

  it.each(sendable)('replace it in %s', async (_part, params) => {
    await guarded('input', 'redact');
    const response = await create(vendor, params);
    expect(sent()).not.toContain(secret);
    expect(JSON.stringify(response)).not.toContain(secret);
  });

  // They block before anything is written for a vendor.
  it.each(inTurn(parts, vendorNames.indexOf(vendor), vendorNames.length))('block it in %s', async (_part, params) => {
    await guarded('input', 'block');
    await expect(create(vendor, params)).rejects.toMatchObject({ code: 'guardrail_blocked' });
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });

  it.each(['whole', 'streamed'])('replace it in the text and the calls of a response, %s', async (form) => {
    await guarded('output', 'redact');
    clients.scene.gateway.simulator.script({
      text: `It is ${secret}.`,
      toolCalls: [
        { name: 'weather', arguments: JSON.stringify({ city: secret }) },
        { name: 'note', arguments: JSON.stringify({ input: secret }) },
      ],
    });
    const params = { input: 'Hello', tools: [weather, note] };
    const { output }: OpenAI.Responses.Response =
      form === 'whole' ? await create(vendor, params) : await stream(vendor, params).finalResponse();
    expect(JSON.stringify(output)).not.toContain(secret);
    expect(output.slice(-2)).toMatchObject([
      { type: 'function_call', arguments: expect.stringContaining('[') },
      { type: 'custom_tool_call', input: expect.stringContaining('[') },
    ]);
  });

  it('cut a stream at what they block, with an error that the SDK raises', async () => {
    await guarded('output', 'block');
    clients.scene.gateway.simulator.script({ text: `${'All is well. '.repeat(400)}${secret}` });
    const response = stream(vendor, { input: 'Hello' });
    let text = '';
    response.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    await expect(response.finalResponse()).rejects.toMatchObject({ code: 'guardrail_blocked' });
    expect(text).toContain('All is well.');
    expect(text).not.toContain('swordfish');
  });
});

function fileOf(text: string): OpenAI.Responses.ResponseInputFile {
  const data = `data:text/plain;base64,${Buffer.from(text).toString('base64')}`;
  return { type: 'input_file', filename: 'a.txt', file_data: data };
}

function history(input: object, output: string): OpenAI.Responses.ResponseInputItem[] {
  return [
    { role: 'user', content: 'Hello' },
    { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: JSON.stringify(input) },
    { type: 'function_call_output', call_id: 'call_1', output },
  ];
}

function customHistory(input: string, output: string): OpenAI.Responses.ResponseInputItem[] {
  return [
    { role: 'user', content: 'Hello' },
    { type: 'custom_tool_call', call_id: 'call_1', name: 'note', input },
    { type: 'custom_tool_call_output', call_id: 'call_1', output },
  ];
}
