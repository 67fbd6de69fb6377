// Reasoning that only its vendor can read, over two turns of a client of the Responses API: the official SDK of the GPT
// vendor sends the output back as it got it, and the vendor gets its own blocks.
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, objectsOf } from '../../common/json.ts';
import { type Item, type Params, useResponsesClient, weather } from './clients/responses.ts';

const { clients, client } = useResponsesClient();
const { sent } = clients;

const oslo = { name: 'weather', arguments: '{"city":"Oslo"}' };
const thought = 'Oslo: I look at the weather.';
const hello: Item = { role: 'user', content: 'Hello' };
const params = { tools: [weather], reasoning: { effort: 'low' as const }, max_output_tokens: 8000 };

const vendors = [
  ['assistant-provider', 'claude-sonnet-4-5'],
  ['managed-cloud-models', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'],
] as const;
const forms = ['whole', 'streamed'] as const;
const cases = vendors.flatMap(([vendor, model]) => forms.map((form) => [`${vendor}/${model}`, form] as const));

async function respond(model: string, form: (typeof forms)[number], more: Params): Promise<OpenAI.Responses.Response> {
  const request = { model, ...params, ...more };
  return form === 'whole' ? client().responses.create(request) : client().responses.stream(request).finalResponse();
}

/** The first turn: thinking, then a call. */
async function firstTurn(model: string, form: (typeof forms)[number], behaviour: object = {}) {
  clients.scene.gateway.simulator.script({ reasoning: thought, toolCalls: [oslo], ...behaviour });
  const { output } = await respond(model, form, { input: [hello] });
  const call = output.find((item) => item.type === 'function_call');
  if (call === undefined) throw new Error('a function is called');
  return { output, call, result: { type: 'function_call_output', call_id: call.call_id, output: 'rain' } as Item };
}

/** The client sends items back as it got them (SDK page "Managing conversation state"). */
const history = ({ output, result }: Awaited<ReturnType<typeof firstTurn>>): Item[] => [
  hello,
  ...(output as Item[]),
  result,
];

const body = (): JsonObject => {
  const read: unknown = JSON.parse(sent());
  if (!isObject(read)) throw new Error('a body is an object');
  return read;
};
const blocksSent = () =>
  objectsOf(body().messages)
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => objectsOf(content));

function isThought(block: JsonObject): boolean {
  return ['thinking', 'redacted_thinking'].includes(String(block.type)) || block.reasoningContent !== undefined;
}

describe.each(cases)('thinking of %s, %s', (model, form) => {
  it('returns to it with its signature', async () => {
    const first = await firstTurn(model, form);
    const [item] = first.output;
    expect(item).toMatchObject({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: thought }],
      encrypted_content: expect.stringMatching(/^gw1_/),
    });
    const { response, data } = await client()
      .responses.create({ model, ...params, input: history(first) })
      .withResponse();
    expect(data.status).toBe('completed');
    // The simulated vendor refuses a signature that is not its own, or not of this text.
    expect(blocksSent().filter(isThought)).toHaveLength(1);
    expect(sent()).toContain(thought);
    expect(sent()).not.toContain('gw1_');
    expect(response.headers.get('x-svc-dropped-params') ?? '').not.toContain('reasoning');
    // Thinking stays on, which the vendor permits only if its own thinking comes before the call.
    expect(sent()).toContain('"budget_tokens"');
  });

  it('returns to it if it is redacted', async () => {
    const first = await firstTurn(model, form, { reasoningRedacted: true });
    expect(first.output[0]).toMatchObject({ type: 'reasoning', summary: [] });
    const second = await respond(model, form, { input: history(first) });
    expect(second.status).toBe('completed');
    expect(blocksSent().filter(isThought)).toEqual([expect.anything()]);
    expect(sent()).toMatch(/redacted_thinking|redactedContent/);
    expect(sent()).not.toContain('gw1_');
  });

  it('is dropped and named if its text was changed', async () => {
    const first = await firstTurn(model, form);
    const changed = first.output.map((item) =>
      item.type === 'reasoning' ? { ...item, summary: [{ type: 'summary_text' as const, text: 'Rome.' }] } : item,
    );
    const { response, data } = await client()
      .responses.create({ model, ...params, input: history({ ...first, output: changed }) })
      .withResponse();
    expect(data.status).toBe('completed');
    expect(response.headers.get('x-svc-dropped-params')).toContain('input.reasoning');
    expect(blocksSent().filter(isThought)).toEqual([]);
  });

  it.each([
    'gpt-provider/gpt-5',
    'studio-ai/gpt-5',
    'search-provider/gemini-2.5-flash',
    ...vendors.map(([vendor, name]) => `${vendor}/${name}`).filter((other) => other !== model),
  ])('does not reach %s, and is named', async (other) => {
    const first = await firstTurn(model, form);
    const { response, data } = await client()
      .responses.create({ model: other, ...params, input: history(first) })
      .withResponse();
    expect(data.status).toBe('completed');
    expect(response.headers.get('x-svc-dropped-params')).toContain('input.reasoning');
    expect(sent()).not.toContain('gw1_');
    expect(sent()).not.toContain(thought);
  });
});

describe.each(forms)('a signature of a call of a Gemini model, %s', (form) => {
  const model = 'search-provider/gemini-3-pro-preview';

  it('returns to its model in the id of the call', async () => {
    const first = await firstTurn(model, form);
    expect(first.call.call_id).toContain('__sig_');
    const second = await respond(model, form, { input: history(first) });
    expect(second.status).toBe('completed');
    const [called] = objectsOf(body().contents).flatMap(({ parts }) =>
      objectsOf(parts).filter(({ functionCall }) => functionCall !== undefined),
    );
    // The simulated vendor refuses a signature that is not its own.
    expect(called?.thoughtSignature).toMatch(/.{20}/);
    expect(called?.thoughtSignature).not.toBe('skip_thought_signature_validator');
    expect(sent()).not.toContain('__sig_');
  });

  it.each(['gpt-provider/gpt-5', 'studio-ai/gpt-5', ...vendors.map(([vendor, name]) => `${vendor}/${name}`)])(
    'does not reach %s',
    async (other) => {
      const first = await firstTurn(model, form);
      const second = await respond(other, form, { input: history(first) });
      expect(second.status).toBe('completed');
      expect(sent()).toContain('rain');
      expect(sent()).not.toContain('__sig_');
    },
  );
});
