// Reasoning that only its vendor can read, over two turns of a client of generateContent: the official SDK of the
// search company sends the parts back as it got them, and the vendor gets its own blocks.
import { type Content, type GenerateContentResponse, GoogleGenAI, type Part, Type } from '@google/genai';
import { describe, expect, it } from 'vitest';
import { isObject, objectsOf } from '../../common/json.ts';
import { useScene } from './clients/scene.ts';

const clients = useScene();
const { sent } = clients;
const client = () =>
  new GoogleGenAI({ apiKey: clients.scene.key, httpOptions: { baseUrl: clients.scene.gateway.proxy.url } });

const thought = 'Oslo: I look at the weather.';
const vendors = [
  'assistant-provider/claude-sonnet-4-5',
  'managed-cloud-models/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
];
const forms = ['whole', 'streamed'] as const;
const cases = vendors.flatMap((model) => forms.map((form) => [model, form] as const));
const hello: Content = { role: 'user', parts: [{ text: 'Hello' }] };
const config = {
  tools: [
    {
      functionDeclarations: [
        { name: 'weather', parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } } },
      ],
    },
  ],
  ...{ maxOutputTokens: 8000, thinkingConfig: { thinkingBudget: 2000, includeThoughts: true } },
};

/** The first turn: thinking, then a call. */
async function firstTurn(model: string, form: (typeof forms)[number], behaviour: object = {}): Promise<Part[]> {
  clients.scene.gateway.simulator.script({
    ...{ reasoning: thought, toolCalls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }] },
    ...behaviour,
  });
  const request = { model, contents: [hello], config };
  const pieces: GenerateContentResponse[] = [];
  if (form === 'whole') pieces.push(await client().models.generateContent(request));
  else for await (const piece of await client().models.generateContentStream(request)) pieces.push(piece);
  return pieces.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
}

async function secondTurn(model: string, parts: Part[]) {
  const id = parts.find(({ functionCall }) => functionCall !== undefined)?.functionCall?.id;
  const functionResponse = { ...(id !== undefined && { id }), name: 'weather', response: { output: 'rain' } };
  const contents = [hello, { role: 'model', parts }, { role: 'user', parts: [{ functionResponse }] }];
  const response = await client().models.generateContent({ model, contents, config });
  const named = response.sdkHttpResponse?.headers?.['x-svc-dropped-params'] ?? '';
  return { text: response.text, named };
}

function thoughtsSent(): readonly object[] {
  const body: unknown = JSON.parse(sent());
  const messages = objectsOf(isObject(body) ? body.messages : undefined);
  return messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => objectsOf(content))
    .filter(
      ({ type, reasoningContent }) =>
        type === 'thinking' || type === 'redacted_thinking' || reasoningContent !== undefined,
    );
}

/** As Gemini CLI keeps a turn. */
const withoutThoughts = (parts: Part[]) => parts.filter((part) => part.thought !== true);

const ownForm = Buffer.from('gw1_ey').toString('base64');

describe.each(cases)('thinking of %s, %s', (model, form) => {
  it('returns to it with its signature', async () => {
    const parts = await firstTurn(model, form);
    const thoughts = parts.filter((part) => part.thought === true);
    expect(thoughts.map(({ text }) => text).join('')).toBe(thought);
    expect(thoughts.at(-1)?.thoughtSignature?.startsWith(ownForm)).toBe(true);
    const { text, named } = await secondTurn(model, parts);
    expect(text).toContain('simulated');
    // The simulated vendor refuses a signature that is not its own, or not of this text.
    expect(thoughtsSent()).toHaveLength(1);
    expect(sent()).toContain(thought);
    expect(named).not.toContain('thought');
  });

  it('returns to it if it is redacted', async () => {
    const parts = await firstTurn(model, form, { reasoningRedacted: true });
    const { text } = await secondTurn(model, parts);
    expect(text).toContain('simulated');
    expect(thoughtsSent()).toHaveLength(1);
    expect(sent()).toMatch(/redacted_thinking|redactedContent/);
  });

  it('is dropped and named if its text was changed', async () => {
    const parts = await firstTurn(model, form);
    const changed = parts.map((part) => (part.thought === true && part.text ? { ...part, text: 'Rome.' } : part));
    const { text, named } = await secondTurn(model, changed);
    expect(text).toContain('simulated');
    expect(named).toContain('contents.parts.thought');
    expect(thoughtsSent()).toEqual([]);
  });

  it('returns to it with its call, from a client that leaves thoughts out', async () => {
    const parts = withoutThoughts(await firstTurn(model, form));
    expect(parts.map(({ thoughtSignature }) => thoughtSignature?.startsWith(ownForm))).toEqual([true]);
    const { text, named } = await secondTurn(model, parts);
    expect(text).toContain('simulated');
    expect(thoughtsSent()).toHaveLength(1);
    expect(sent()).toContain(thought);
    expect(named).not.toContain('thought');
  });

  it.each(['gpt-provider/gpt-5', 'search-provider/gemini-2.5-flash', ...vendors.filter((other) => other !== model)])(
    'does not reach %s with its signature',
    async (other) => {
      const all = await firstTurn(model, form);
      for (const parts of [all, withoutThoughts(all)]) {
        const { text, named } = await secondTurn(other, parts);
        expect(text).toContain('simulated');
        expect(named).toContain('contents.parts.thought');
        expect(sent()).toContain('weather');
        expect(sent()).not.toContain(ownForm);
        expect(sent()).not.toContain('gw1_');
      }
    },
  );
});
