// Guardrails on the requests and responses of clients of generateContent, at all five vendors, with the official SDK:
// each part of a request that a model reads, and each part of a response, whole and streamed.
import {
  type Content,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
  Type,
} from '@google/genai';
import { describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import { inTurn } from '../support/seed.ts';
import { modelAt, secret, useGuardrail, useScene } from './clients/scene.ts';

const clients = useScene();
const { sent } = clients;
interface Params {
  readonly contents: Content[];
  readonly config?: GenerateContentConfig;
}

const client = () =>
  new GoogleGenAI({
    apiKey: clients.scene.key,
    httpOptions: { baseUrl: clients.scene.gateway.proxy.url, apiVersion: 'v1beta' },
  });
const generate = (vendor: VendorName, params: Params) =>
  client().models.generateContent({ model: modelAt(vendor), ...params });
async function streamed(vendor: VendorName, params: Params, read: (piece: GenerateContentResponse) => void) {
  const stream = await client().models.generateContentStream({ model: modelAt(vendor), ...params });
  for await (const piece of stream) read(piece);
}
const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });
const hello = [user('Hello')];

const weather = {
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
};
const tools = [{ functionDeclarations: [weather] }];

describe.each(vendorNames)('guardrails at %s', (vendor) => {
  const guarded = useGuardrail(clients);

  /** Each part of a request that the model reads. */
  const parts: readonly (readonly [string, Params])[] = [
    ['system', { contents: hello, config: { systemInstruction: secret } }],
    ['text', { contents: [user(secret)] }],
    [
      'a description of a tool',
      { contents: hello, config: { tools: [{ functionDeclarations: [{ ...weather, description: secret }] }] } },
    ],
    ['the input of a call', { contents: history({ city: secret }, 'rain'), config: { tools } }],
    ['the result of a call', { contents: history({ city: 'Oslo' }, secret), config: { tools } }],
  ];

  it.each(parts)('replace it in %s', async (_part, params) => {
    await guarded('input', 'redact');
    await generate(vendor, params);
    expect(sent()).not.toContain(secret);
  });

  // They block before anything is written for a vendor.
  it.each(inTurn(parts, vendorNames.indexOf(vendor), vendorNames.length))('block it in %s', async (_part, params) => {
    await guarded('input', 'block');
    await expect(generate(vendor, params)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('guardrail_blocked'),
    });
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });

  it.each(['whole', 'streamed'])(
    'replace it in the text, the thinking and the calls of a response, %s',
    async (form) => {
      await guarded('output', 'redact');
      clients.scene.gateway.simulator.script({
        text: `It is ${secret}.`,
        toolCalls: [{ name: 'weather', arguments: JSON.stringify({ city: secret }) }],
      });
      const params = { contents: hello, config: { tools } };
      const pieces: GenerateContentResponse[] = [];
      if (form === 'whole') pieces.push(await generate(vendor, params));
      else await streamed(vendor, params, (piece) => pieces.push(piece));
      expect(JSON.stringify(pieces.map(({ candidates }) => candidates))).not.toContain(secret);
      expect(pieces.flatMap(({ functionCalls = [] }) => functionCalls)).toEqual([
        expect.objectContaining({ name: 'weather', args: { city: expect.stringContaining('[') } }),
      ]);
    },
  );

  it('cut a stream at what they block, with an error that the SDK raises', async () => {
    await guarded('output', 'block');
    clients.scene.gateway.simulator.script({ text: `${'All is well. '.repeat(400)}${secret}` });
    let text = '';
    const reading = streamed(vendor, { contents: hello }, (piece) => {
      text += piece.text ?? '';
    });
    await expect(reading).rejects.toThrow();
    expect(text).toContain('All is well.');
    expect(text).not.toContain('swordfish');
  });
});

function history(args: Record<string, unknown>, output: string): Content[] {
  return [
    ...hello,
    { role: 'model', parts: [{ functionCall: { name: 'weather', args } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { output } } }] },
  ];
}
