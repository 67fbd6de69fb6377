// The formats in which the playground calls the proxy: path, key header, body, and where a text is in a response.

export interface Prompt {
  readonly model: string;
  readonly system: string;
  readonly text: string;
  readonly tokensMax: number;
  readonly isStreamed: boolean;
}

export interface CallFormat {
  readonly id: string;
  readonly name: string;
  /** Whether a stream of this format is of events that a browser can read. */
  readonly streams: boolean;
  path(prompt: Prompt): string;
  headers(key: string): Readonly<Record<string, string>>;
  body(prompt: Prompt): object;
  /** The text of a whole response, or what an event of a stream adds to it. */
  textOf(response: unknown): string;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** What is at a path of names and positions in a value of any form. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined),
    value,
  );
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');

/** The texts of a list of parts. */
function texts(parts: unknown): string {
  return Array.isArray(parts) ? parts.map((part) => text(at(part, 'text'))).join('') : '';
}

export const callFormats: readonly CallFormat[] = [
  {
    id: 'chat',
    name: 'Chat completions',
    streams: true,
    path: () => '/v1/chat/completions',
    headers: bearer,
    body: ({ model, system, text: content, tokensMax, isStreamed }) => ({
      model,
      messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), { role: 'user', content }],
      max_completion_tokens: tokensMax,
      ...(isStreamed ? { stream: true } : {}),
    }),
    textOf: (response) =>
      text(at(response, 'choices', 0, 'delta', 'content')) || text(at(response, 'choices', 0, 'message', 'content')),
  },
  {
    id: 'messages',
    name: 'Messages',
    streams: true,
    path: () => '/v1/messages',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    body: ({ model, system, text: content, tokensMax, isStreamed }) => ({
      model,
      max_tokens: tokensMax,
      ...(system === '' ? {} : { system }),
      messages: [{ role: 'user', content }],
      ...(isStreamed ? { stream: true } : {}),
    }),
    textOf: (response) => text(at(response, 'delta', 'text')) || texts(at(response, 'content')),
  },
  {
    id: 'responses',
    name: 'Responses',
    streams: true,
    path: () => '/v1/responses',
    headers: bearer,
    body: ({ model, system, text: input, tokensMax, isStreamed }) => ({
      model,
      ...(system === '' ? {} : { instructions: system }),
      input,
      max_output_tokens: tokensMax,
      ...(isStreamed ? { stream: true } : {}),
    }),
    textOf: (response) => {
      if (at(response, 'type') === 'response.output_text.delta') return text(at(response, 'delta'));
      const output = at(response, 'output');
      return Array.isArray(output) ? output.map((item) => texts(at(item, 'content'))).join('') : '';
    },
  },
  {
    id: 'generate-content',
    name: 'generateContent',
    streams: true,
    path: ({ model, isStreamed }) =>
      `/v1beta/models/${model}:${isStreamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    headers: (key) => ({ 'x-goog-api-key': key }),
    body: ({ system, text: input, tokensMax }) => ({
      ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      contents: [{ role: 'user', parts: [{ text: input }] }],
      generationConfig: { maxOutputTokens: tokensMax },
    }),
    textOf: (response) => texts(at(response, 'candidates', 0, 'content', 'parts')),
  },
  {
    id: 'converse',
    name: 'Converse',
    // Its streams are binary frames.
    streams: false,
    path: ({ model }) => `/model/${encodeURIComponent(model)}/converse`,
    headers: bearer,
    body: ({ system, text: input, tokensMax }) => ({
      ...(system === '' ? {} : { system: [{ text: system }] }),
      messages: [{ role: 'user', content: [{ text: input }] }],
      inferenceConfig: { maxTokens: tokensMax },
    }),
    textOf: (response) => texts(at(response, 'output', 'message', 'content')),
  },
];
