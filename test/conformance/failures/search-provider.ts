// Errors of the search vendor, google.rpc.Status as JSON, in the bodies that its users have quoted.
import { byNext, byNobody, events, type Failure, json } from './failure.ts';

const page = 'ai.google.dev/gemini-api/docs/troubleshooting';
const service = 'generativelanguage.googleapis.com';
const project = '538392819237';
const error = (code: number, status: string, message: string, details: readonly object[] = []) => ({
  error: { code, message, status, ...(details.length > 0 && { details }) },
});
const detail = (type: string, fields: object) => ({ '@type': `type.googleapis.com/google.rpc.${type}`, ...fields });
const quota = (quotaId: string, retryDelay: string) =>
  error(
    429,
    'RESOURCE_EXHAUSTED',
    'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.',
    [
      detail('QuotaFailure', {
        violations: [
          { quotaMetric: `${service}/generate_content_free_tier_input_token_count`, quotaId, quotaValue: '250000' },
        ],
      }),
      detail('RetryInfo', { retryDelay }),
    ],
  );
const overloaded = error(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.');
const invalidKey = 'API key not valid. Please pass a valid API key.';

export const searchFailures: readonly Failure[] = [
  {
    name: 'is rate limited and requests a wait',
    source: 'github.com/RooCodeInc/Roo-Code/issues/3883',
    sends: json(429, quota('GenerateContentInputTokensPerModelPerMinute-FreeTier', '26s')),
    shown: { error: 'ApiError', status: 429, message: 'exceeded your current quota', retryAfter: '26' },
    ...byNext,
  },
  {
    name: 'is rate limited and requests no wait',
    source: 'cloud.google.com/docs/quotas/troubleshoot',
    sends: json(
      429,
      error(
        429,
        'RESOURCE_EXHAUSTED',
        `Quota exceeded for quota metric 'Generate Content API requests per minute' and limit 'GenerateContent request limit per minute for a region' of service '${service}' for consumer 'project_number:${project}'.`,
      ),
    ),
    shown: { error: 'ApiError', status: 429, message: 'Quota exceeded', hides: project },
    ...byNext,
  },
  {
    name: 'has no requests of this day left',
    source: 'github.com/diegosouzapw/OmniRoute/issues/9504',
    sends: json(429, quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier', '36s')),
    shown: { error: 'ApiError', status: 429, message: 'exceeded your current quota', retryAfter: '36' },
    ...byNext,
  },
  {
    name: 'has no billing',
    source: `${page}: 400 FAILED_PRECONDITION`,
    sends: json(
      400,
      error(
        400,
        'FAILED_PRECONDITION',
        'Gemini API free tier is not available in your country. Please enable billing on your project in Google AI Studio.',
      ),
    ),
    shown: { error: 'ApiError', status: 400, message: 'enable billing' },
    ...byNext,
  },
  {
    name: 'fails',
    source: page,
    sends: json(
      500,
      error(
        500,
        'INTERNAL',
        'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
      ),
    ),
    shown: { error: 'ApiError', status: 500, message: 'An internal error has occurred' },
    ...byNext,
  },
  {
    name: 'is overloaded',
    source: page,
    sends: json(503, overloaded),
    shown: { error: 'ApiError', status: 503, message: 'The model is overloaded' },
    ...byNext,
  },
  {
    name: 'exceeds its deadline',
    source: page,
    sends: json(504, error(504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.')),
    shown: { error: 'ApiError', status: 504, message: 'Deadline expired' },
    ...byNext,
  },
  {
    name: 'refuses the key, as a 400',
    source: 'github.com/continuedev/continue/issues/10290',
    sends: json(
      400,
      error(400, 'INVALID_ARGUMENT', invalidKey, [
        detail('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com', metadata: { service } }),
        detail('LocalizedMessage', { locale: 'en-US', message: invalidKey }),
      ]),
    ),
    shown: { error: 'ApiError', status: 502, hides: 'API key not valid' },
    ...byNext,
  },
  {
    name: 'denies its permission',
    source: page,
    sends: json(
      403,
      error(
        403,
        'PERMISSION_DENIED',
        `Generative Language API has not been used in project ${project} before or it is disabled.`,
        [
          detail('ErrorInfo', {
            reason: 'SERVICE_DISABLED',
            domain: 'googleapis.com',
            metadata: { consumer: `projects/${project}` },
          }),
        ],
      ),
    ),
    shown: { error: 'ApiError', status: 502, hides: project },
    ...byNext,
  },
  {
    name: 'does not have the model',
    source: page,
    sends: json(
      404,
      error(
        404,
        'NOT_FOUND',
        'models/gemini-2.5-flash is not found for API version v1beta, or is not supported for generateContent.',
      ),
    ),
    shown: { error: 'ApiError', status: 404, message: 'does not know this model' },
    ...byNext,
  },
  {
    name: 'refuses a parameter',
    source: page,
    sends: json(400, error(400, 'INVALID_ARGUMENT', '* GenerateContentRequest.contents: contents is not specified\n')),
    shown: { error: 'ApiError', status: 400, message: 'contents is not specified' },
    ...byNobody,
  },
  {
    name: 'refuses a context that is too long',
    source: 'discuss.ai.google.dev: input token count exceeds the maximum',
    sends: json(
      400,
      error(
        400,
        'INVALID_ARGUMENT',
        'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
      ),
    ),
    shown: { error: 'ApiError', status: 400, message: 'exceeds the maximum number of tokens' },
    ...byNobody,
  },
  {
    name: 'refuses a body that is too large',
    source: 'ai.google.dev/gemini-api/docs/files: 20 MB',
    sends: json(413, error(413, 'INVALID_ARGUMENT', 'Request payload size exceeds the limit: 20971520 bytes.')),
    shown: { error: 'ApiError', status: 413, message: 'payload size exceeds' },
    ...byNobody,
  },
  {
    name: 'blocks the prompt',
    source: `${page}: promptFeedback.blockReason`,
    sends: { blocked: 'SAFETY' },
    shown: undefined,
    ...byNobody,
  },
  {
    name: 'sends an error as the first event of a stream',
    source: 'chats and errors of @google/genai: a chunk with `error`',
    form: 'streamed',
    sends: events(`data: ${JSON.stringify(overloaded)}`),
    shown: { error: 'ApiError', status: 503, message: 'The model is overloaded' },
    ...byNext,
  },
  {
    name: 'sends an error after the first token of a stream',
    source: 'chats and errors of @google/genai: a chunk with `error`',
    form: 'streamed',
    sends: events(
      `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text: 'Hi' }], role: 'model' }, index: 0 }], modelVersion: 'gemini-2.5-flash' })}`,
      `data: ${JSON.stringify(overloaded)}`,
    ),
    shown: { error: 'ApiError', status: 503, message: 'The model is overloaded' },
    ...byNobody,
  },
];
