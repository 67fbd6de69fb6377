// Errors of the hosted studio, in the bodies that its users have quoted.
import { byNext, byNobody, events, type Failure, json } from './failure.ts';

const learn = 'learn.microsoft.com/azure/ai-services/openai: quotas, errors, content filters';
const limited =
  'Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-05-01-preview have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 26 seconds. Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit.';
const failed = {
  error: {
    code: 'InternalServerError',
    message: 'Backend returned unexpected response. Please contact Microsoft for help.',
  },
};

export const studioFailures: readonly Failure[] = [
  {
    name: 'is rate limited and requests a wait',
    source: 'github.com/alex-wolf-ps/dbchatprov2/issues/2',
    sends: json(429, { error: { code: '429', message: limited } }, { 'retry-after': '26', 'retry-after-ms': '26000' }),
    shown: { error: 'RateLimitError', status: 429, message: 'have exceeded token rate limit', retryAfter: '26' },
    ...byNext,
  },
  {
    name: 'is rate limited and requests no wait',
    source: 'github.com/langgenius/dify/issues/12709',
    sends: json(
      429,
      { error: { code: 'RateLimitReached', message: 'Rate limit is exceeded. Try again later.' } },
      { 'retry-after': '', 'retry-after-ms': '', 'x-ratelimit-remaining-requests': '999' },
    ),
    shown: { error: 'RateLimitError', status: 429, message: 'Rate limit' },
    ...byNext,
  },
  {
    name: 'has no money left',
    source: learn,
    sends: json(429, {
      error: {
        code: 'insufficient_quota',
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        param: null,
      },
    }),
    shown: { error: 'RateLimitError', status: 429, message: 'exceeded your current quota' },
    ...byNext,
  },
  {
    name: 'fails',
    source: 'github.com/Azure/azure-sdk-for-net: error responses of Azure OpenAI',
    sends: json(500, failed),
    shown: { error: 'InternalServerError', status: 500, message: 'Backend returned unexpected response' },
    ...byNext,
  },
  {
    name: 'is unavailable',
    source: learn,
    sends: json(503, {
      error: {
        code: 'ServiceUnavailable',
        message: 'The service is temporarily unable to process your request. Please try again later.',
      },
    }),
    shown: { error: 'InternalServerError', status: 503, message: 'temporarily unable' },
    ...byNext,
  },
  {
    name: 'refuses the key',
    source: 'github.com/openai/codex/issues/1354',
    sends: json(401, {
      statusCode: 401,
      message:
        'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
    }),
    shown: { error: 'InternalServerError', status: 502, hides: 'subscription' },
    ...byNext,
  },
  {
    name: 'denies the principal its permission',
    source: 'Microsoft Q&A, question 2168038',
    sends: json(401, {
      error: { code: 'PermissionDenied', message: 'Principal does not have access to API/Operation.' },
    }),
    shown: { error: 'InternalServerError', status: 502, hides: 'Principal' },
    ...byNext,
  },
  {
    name: 'is closed to the network',
    source: 'learn.microsoft.com/azure/ai-services/cognitive-services-virtual-networks',
    sends: json(403, {
      error: { code: 'AccessDenied', message: 'Access denied due to Virtual Network/Firewall rules.' },
    }),
    shown: { error: 'InternalServerError', status: 502, hides: 'Firewall' },
    ...byNext,
  },
  {
    name: 'does not have the deployment',
    source: learn,
    sends: json(404, {
      error: {
        code: 'DeploymentNotFound',
        message:
          'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
      },
    }),
    shown: { error: 'NotFoundError', status: 404, message: 'does not know this model' },
    ...byNext,
  },
  {
    name: 'refuses a parameter',
    source: learn,
    sends: json(400, {
      error: {
        message: 'Unrecognized request argument supplied: best',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    }),
    shown: { error: 'BadRequestError', status: 400, message: 'Unrecognized request argument' },
    ...byNobody,
  },
  {
    name: 'refuses a context that is too long',
    source: learn,
    sends: json(400, {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 130512 tokens. Please reduce the length of the messages.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    }),
    shown: { error: 'BadRequestError', status: 400, message: 'maximum context length' },
    ...byNobody,
  },
  {
    name: 'filters the prompt',
    source: 'learn.microsoft.com/azure/ai-services/openai/concepts/content-filter',
    sends: json(400, {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: { violence: { filtered: true, severity: 'medium' } },
        },
      },
    }),
    shown: { error: 'BadRequestError', status: 400, message: 'content management policy' },
    ...byNobody,
  },
  {
    name: 'refuses a body that is too large',
    source: 'learn.microsoft.com/azure/api-management: 413',
    sends: json(413, { error: { code: 'RequestEntityTooLarge', message: 'The request body is too large.' } }),
    shown: { error: 'APIError', status: 413, message: 'too large' },
    ...byNobody,
  },
  {
    name: 'sends an error as the first event of a stream',
    source: 'core/streaming.ts of the SDK: a chunk with `error`',
    form: 'streamed',
    sends: events(`data: ${JSON.stringify(failed)}`),
    shown: { error: 'InternalServerError', status: 500, message: 'Backend returned unexpected response' },
    ...byNext,
  },
];
