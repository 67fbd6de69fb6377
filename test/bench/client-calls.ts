// How clients call the gateway in each format, and how the load recognizes the canned output in that format.
import { cannedText } from './canned.ts';

export interface ClientCalls {
  readonly title: string;
  readonly path: (model: string, stream: boolean) => string;
  /** Headers that the format's SDK sends, beside the credential. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (content: string, options: { readonly model: string; readonly stream: boolean }) => object;
  /** Whether a whole response contains the canned text and usage. */
  readonly isCanned: (body: string) => boolean;
  /** The bytes that one token of a stream contains once, in any framing of guardrails. */
  readonly tokenMarks: readonly string[];
  /** Bytes that only a finished stream contains. */
  readonly doneMark: string;
}

const user = (content: unknown) => [{ role: 'user', content }];
const streaming = (stream: boolean) => (stream ? { stream } : {});
// A gateway with guardrails may join several pieces into one event, and move blanks into the next.
const tokenMarks = ['token"', 'token '];

export const benchFormats = {
  chatCompletions: {
    title: 'Chat completions',
    path: () => '/v1/chat/completions',
    headers: {},
    body: (content, { model, stream }) => ({ model, ...streaming(stream), messages: user(content) }),
    isCanned: isCanned<{
      choices?: { message?: { content?: unknown } }[];
      usage?: { total_tokens?: unknown };
    }>(({ choices, usage }) => [choices?.[0]?.message?.content, usage?.total_tokens]),
    tokenMarks,
    doneMark: '[DONE]',
  },
  messages: {
    title: 'Messages',
    path: () => '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: (content, { model, stream }) => ({ model, max_tokens: 1024, ...streaming(stream), messages: user(content) }),
    isCanned: isCanned<{
      content?: { text?: unknown }[];
      usage?: { input_tokens?: number; output_tokens?: number };
    }>(({ content, usage }) => [content?.[0]?.text, (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0)]),
    tokenMarks,
    doneMark: '"message_stop"',
  },
  responses: {
    title: 'Responses',
    path: () => '/v1/responses',
    headers: {},
    body: (content, { model, stream }) => ({ model, store: false, ...streaming(stream), input: user(content) }),
    isCanned: isCanned<{
      output?: { content?: { text?: unknown }[] }[];
      usage?: { total_tokens?: unknown };
    }>(({ output, usage }) => [output?.[0]?.content?.[0]?.text, usage?.total_tokens]),
    // The last events repeat the whole text.
    tokenMarks: ['"delta":" token"'],
    doneMark: '"response.completed"',
  },
  generateContent: {
    title: 'generateContent',
    path: (model, stream) =>
      `/v1beta/models/${encodeURIComponent(model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    headers: {},
    body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
    isCanned: isCanned<{
      candidates?: { content?: { parts?: { text?: unknown }[] } }[];
      usageMetadata?: { totalTokenCount?: unknown };
    }>(({ candidates, usageMetadata }) => [candidates?.[0]?.content?.parts?.[0]?.text, usageMetadata?.totalTokenCount]),
    tokenMarks,
    doneMark: '"finishReason"',
  },
  converse: {
    title: 'Converse',
    path: (model, stream) => `/model/${encodeURIComponent(model)}/${stream ? 'converse-stream' : 'converse'}`,
    headers: {},
    body: (text) => ({ messages: user([{ text }]) }),
    isCanned: isCanned<{
      output?: { message?: { content?: { text?: unknown }[] } };
      usage?: { totalTokens?: unknown };
    }>(({ output, usage }) => [output?.message?.content?.[0]?.text, usage?.totalTokens]),
    tokenMarks,
    // The name of the last frame, in its headers.
    doneMark: 'metadata',
  },
} as const satisfies Record<string, ClientCalls>;

export type BenchFormat = keyof typeof benchFormats;

/** Returns a request of the given number of bytes. */
export function formatBody(
  format: BenchFormat,
  { bytes, ...options }: { readonly model: string; readonly stream: boolean; readonly bytes: number },
): string {
  const withContent = (content: string) => JSON.stringify(benchFormats[format].body(content, options));
  return withContent('x'.repeat(bytes - withContent('').length));
}

/** @param read returns the text and the total number of tokens of a response */
function isCanned<Response>(read: (response: Response) => readonly [text: unknown, tokens: unknown]) {
  return (body: string): boolean => {
    const [text, tokens] = read(JSON.parse(body) as Response);
    return text === cannedText && tokens === 269;
  };
}
