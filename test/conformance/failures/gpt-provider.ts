// Errors of the GPT vendor. Its bodies are those that its users have quoted; the types are in its "Error codes" guide and
// in `APIError` of its SDK.
import { byNext, byNobody, events, type Failure, json } from './failure.ts';

const guide = 'platform.openai.com/docs/guides/error-codes';
const account = 'org-uVqpjtJiKqvVJMVfvpaounIh';
const error = (message: string, type: string, code: string | null = null, param: string | null = null) => ({
  error: { message, type, param, code },
});
const limited = error(
  `Rate limit reached for gpt-4o-mini in organization ${account} on tokens per min (TPM): Limit 30000, Used 28039, Requested 3906. Please try again in 3.89s. Visit https://platform.openai.com/account/rate-limits to learn more.`,
  'tokens',
  'rate_limit_exceeded',
);
const failed = error('The server had an error while processing your request. Sorry about that!', 'server_error');
const chunk = (delta: object) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-4.1-mini', choices: [{ index: 0, delta, finish_reason: null }] })}`;

export const gptFailures: readonly Failure[] = [
  {
    name: 'is rate limited and requests a wait',
    source: 'github.com/continuedev/continue/issues/10502',
    sends: json(429, limited, { 'retry-after': '20', 'retry-after-ms': '20000' }),
    shown: {
      ...{ error: 'RateLimitError', status: 429, message: 'Rate limit reached for gpt-4o-mini' },
      ...{ retryAfter: '20', hides: account },
    },
    ...byNext,
  },
  {
    name: 'is rate limited and requests no wait',
    source: 'github.com/FoundationAgents/MetaGPT/issues/523',
    sends: json(429, limited),
    shown: { error: 'RateLimitError', status: 429, message: 'Rate limit reached', hides: account },
    ...byNext,
  },
  {
    name: 'is rate limited for one second',
    source: guide,
    sends: json(429, limited, { 'retry-after': '1' }),
    shown: undefined,
    next: true,
    again: true,
  },
  {
    name: 'has no money left',
    source: guide,
    sends: json(
      429,
      error(
        'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
        'insufficient_quota',
        'insufficient_quota',
      ),
    ),
    shown: { error: 'RateLimitError', status: 429, message: 'You exceeded your current quota' },
    ...byNext,
  },
  {
    name: 'fails',
    source: guide,
    sends: json(500, failed),
    shown: { error: 'InternalServerError', status: 500, message: 'The server had an error' },
    ...byNext,
  },
  {
    name: 'is overloaded',
    source: guide,
    sends: json(503, error('The engine is currently overloaded, please try again later', 'server_error'), {
      'retry-after': '5',
    }),
    shown: { error: 'InternalServerError', status: 503, message: 'currently overloaded', retryAfter: '5' },
    ...byNext,
  },
  {
    name: 'refuses the key',
    source: guide,
    sends: json(
      401,
      error(
        'Incorrect API key provided: sk-sim-f***************6789. You can find your API key at https://platform.openai.com/account/api-keys.',
        'invalid_request_error',
        'invalid_api_key',
      ),
    ),
    shown: { error: 'InternalServerError', status: 502, hides: '6789' },
    ...byNext,
  },
  {
    name: 'refuses the model for the key’s project',
    source: 'community.openai.com: Project does not have access to model',
    sends: json(
      403,
      error(
        'Project `proj_6FkJpyGtQ2xm1dhL3VhYHrGC` does not have access to model `gpt-4.1-mini`',
        'invalid_request_error',
        'model_not_found',
      ),
    ),
    shown: { error: 'InternalServerError', status: 502, hides: 'proj_6FkJpyGtQ2xm1dhL3VhYHrGC' },
    ...byNext,
  },
  {
    name: 'does not have the model',
    source: guide,
    sends: json(
      404,
      error(
        'The model `gpt-4.1-mini` does not exist or you do not have access to it.',
        'invalid_request_error',
        'model_not_found',
      ),
    ),
    shown: { error: 'NotFoundError', status: 404, message: 'does not know this model' },
    ...byNext,
  },
  {
    name: 'refuses a parameter',
    source: guide,
    sends: json(
      400,
      error(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        'invalid_request_error',
        'unsupported_parameter',
        'max_tokens',
      ),
    ),
    shown: { error: 'BadRequestError', status: 400, message: 'Unsupported parameter' },
    ...byNobody,
  },
  {
    name: 'refuses a context that is too long',
    source: 'community.openai.com: context_length_exceeded',
    sends: json(
      400,
      error(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130512 tokens. Please reduce the length of the messages.",
        'invalid_request_error',
        'context_length_exceeded',
        'messages',
      ),
    ),
    shown: { error: 'BadRequestError', status: 400, message: 'maximum context length' },
    ...byNobody,
  },
  {
    name: 'refuses the prompt by its policy',
    source: 'platform.openai.com/docs/guides/reasoning: invalid_prompt',
    sends: json(
      400,
      error(
        'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.',
        'invalid_request_error',
        'invalid_prompt',
      ),
    ),
    shown: { error: 'BadRequestError', status: 400, message: 'usage policy' },
    ...byNobody,
  },
  {
    name: 'refuses a body that is too large',
    source: 'nginx: 413 Request Entity Too Large, as a JSON error',
    sends: json(413, error('Request too large', 'invalid_request_error', 'request_too_large')),
    shown: { error: 'APIError', status: 413, message: 'Request too large' },
    ...byNobody,
  },
  {
    name: 'sends an error as the first event of a stream',
    source: 'core/streaming.ts of the SDK: a chunk with `error`',
    form: 'streamed',
    sends: events(`data: ${JSON.stringify(failed)}`),
    shown: { error: 'InternalServerError', status: 502, message: 'The server had an error' },
    ...byNext,
  },
  {
    name: 'sends an error after the first token of a stream',
    source: 'core/streaming.ts of the SDK: a chunk with `error`',
    form: 'streamed',
    sends: events(
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hi' }),
      `data: ${JSON.stringify(failed)}`,
    ),
    shown: { error: 'APIError', status: undefined, message: 'The server had an error' },
    ...byNobody,
  },
];
