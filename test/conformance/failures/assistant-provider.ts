// Errors of the assistant vendor: its page "Errors", the types `ErrorType` of its SDK, and bodies that its users have
// quoted.
import { byNext, byNobody, events, type Failure, json } from './failure.ts';

const page = 'docs.claude.com/en/api/errors';
const account = '0dccdde6-f924-4f1b-bb3b-92ef846e0a5b';
const error = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
});
const limited = error(
  'rate_limit_error',
  `This request would exceed the rate limit for your organization (${account}) of 20,000 input tokens per minute. For details, refer to: https://docs.anthropic.com/en/api/rate-limits.`,
);
const overloaded = error('overloaded_error', 'Overloaded');
const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}`;
const usage = { input_tokens: 9, output_tokens: 1 };
const start = event('message_start', {
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  },
});
const overloadedEvent = event('error', { error: overloaded.error });

export const assistantFailures: readonly Failure[] = [
  {
    name: 'is rate limited and requests a wait',
    source: 'github.com/OpenHands/OpenHands/issues/9259',
    sends: json(429, limited, { 'retry-after': '17' }),
    shown: {
      ...{ error: 'RateLimitError', status: 429, message: 'would exceed the rate limit for your organization' },
      ...{ retryAfter: '17', hides: account },
    },
    ...byNext,
  },
  {
    name: 'is rate limited and requests no wait',
    source: 'github.com/bhouston/mycoder/issues/62',
    sends: json(429, limited),
    shown: { error: 'RateLimitError', status: 429, message: 'would exceed the rate limit', hides: account },
    ...byNext,
  },
  {
    name: 'reports a limit with the account beside the model',
    source: 'github.com/anthropics/claude-code/issues/55132',
    sends: json(
      429,
      error(
        'rate_limit_error',
        `This request would exceed your organization's rate limit of 30,000 input tokens per minute (org: ${account}, model: claude-sonnet-4-6).`,
      ),
      { 'retry-after': '9' },
    ),
    shown: {
      error: 'RateLimitError',
      status: 429,
      message: 'model: claude-sonnet-4-6',
      retryAfter: '9',
      hides: account,
    },
    ...byNext,
  },
  {
    name: 'has too little credit, as a 400',
    source: 'github.com/anthropics/claude-code/issues/66314',
    sends: json(
      400,
      error(
        'invalid_request_error',
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      ),
    ),
    // Agents match the vendor's words, so its own response is passed.
    shown: { error: 'BadRequestError', status: 400, message: 'Your credit balance is too low' },
    ...byNext,
  },
  {
    name: 'has no money left',
    source: `${page}: 402 billing_error`,
    sends: json(402, error('billing_error', 'There is an issue with your billing or payment information.')),
    shown: { error: 'RateLimitError', status: 429, message: 'billing or payment information' },
    ...byNext,
  },
  {
    name: 'fails',
    source: page,
    sends: json(500, error('api_error', 'Internal server error')),
    shown: { error: 'InternalServerError', status: 500, message: 'Internal server error' },
    ...byNext,
  },
  {
    name: 'is overloaded',
    source: page,
    sends: json(529, overloaded),
    shown: { error: 'OverloadedError', status: 529, message: 'Overloaded' },
    ...byNext,
  },
  {
    name: 'is unavailable',
    source: 'the load balancer in front of the vendor: 503 with a text',
    sends: {
      status: 503,
      body: 'upstream connect error or disconnect/reset before headers',
      headers: { 'content-type': 'text/plain' },
    },
    shown: { error: 'ServiceUnavailableError', status: 503, hides: 'upstream connect error' },
    ...byNext,
  },
  {
    name: 'times out',
    source: `${page}: 504 timeout_error`,
    sends: json(504, error('timeout_error', 'Request timed out')),
    shown: { error: 'GatewayTimeoutError', status: 504, message: 'Request timed out' },
    ...byNext,
  },
  {
    name: 'refuses the key',
    source: page,
    sends: json(401, error('authentication_error', 'invalid x-api-key')),
    shown: { error: 'InternalServerError', status: 502, hides: 'invalid x-api-key' },
    ...byNext,
  },
  {
    name: 'denies its permission',
    source: page,
    sends: json(403, error('permission_error', 'Your API key does not have permission to use the specified resource.')),
    shown: { error: 'InternalServerError', status: 502, hides: 'specified resource' },
    ...byNext,
  },
  {
    name: 'does not have the model',
    source: page,
    sends: json(404, error('not_found_error', 'model: claude-sonnet-4-5')),
    shown: { error: 'NotFoundError', status: 404, message: 'does not know this model' },
    ...byNext,
  },
  {
    name: 'refuses a parameter',
    source: page,
    sends: json(400, error('invalid_request_error', 'messages: roles must alternate between "user" and "assistant"')),
    shown: { error: 'BadRequestError', status: 400, message: 'roles must alternate' },
    ...byNobody,
  },
  {
    name: 'refuses a context that is too long',
    source: 'github.com/anthropics/claude-code: prompt is too long',
    sends: json(400, error('invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum')),
    shown: { error: 'BadRequestError', status: 400, message: 'prompt is too long' },
    ...byNobody,
  },
  {
    name: 'filters the output',
    source: 'github.com/anthropics/claude-code: Output blocked by content filtering policy',
    sends: json(400, error('invalid_request_error', 'Output blocked by content filtering policy')),
    shown: { error: 'BadRequestError', status: 400, message: 'content filtering policy' },
    ...byNobody,
  },
  {
    name: 'refuses a body that is too large',
    source: page,
    sends: json(413, error('request_too_large', 'Request exceeds the maximum size')),
    shown: { error: 'ContentTooLargeError', status: 413, message: 'Request exceeds the maximum size' },
    ...byNobody,
  },
  {
    name: 'sends an error as the first event of a stream',
    source: 'docs.claude.com/en/docs/build-with-claude/streaming: error events',
    form: 'streamed',
    sends: events(overloadedEvent),
    shown: { error: 'ServiceUnavailableError', status: 503, message: 'Overloaded' },
    ...byNext,
  },
  {
    // The head has left, so no other target can serve the request.
    name: 'sends an error after the head of a stream',
    source: 'docs.claude.com/en/docs/build-with-claude/streaming: error events',
    form: 'streamed',
    sends: events(start, overloadedEvent),
    shown: { error: 'APIError', status: undefined, message: 'Overloaded' },
    ...byNobody,
  },
  {
    name: 'sends an error after the first token of a stream',
    source: 'docs.claude.com/en/docs/build-with-claude/streaming: error events',
    form: 'streamed',
    sends: events(
      start,
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi' } }),
      overloadedEvent,
    ),
    shown: { error: 'APIError', status: undefined, message: 'Overloaded' },
    ...byNobody,
  },
];
