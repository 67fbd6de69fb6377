// Errors of the cloud's models: the exceptions of its SDK (`ConverseStreamOutput`, `…Exception`) with the messages that
// its users have quoted. A header has the type.
import { framesOf } from '../../support/cloud-frames.ts';
import { byNext, byNobody, type Failure, json } from './failure.ts';

const api = 'docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html';
const common = 'docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html';
const exception = (status: number, type: string, message: string, headers: Readonly<Record<string, string>> = {}) =>
  json(
    status,
    { message },
    { 'x-amzn-ErrorType': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`, ...headers },
  );
const frames = (...lines: readonly object[]) => ({
  bodyBase64: framesOf(lines.map((line) => JSON.stringify(line)).join('\n')).toString('base64'),
  headers: { 'content-type': 'application/vnd.amazon.eventstream' },
});
const broken = {
  exception: {
    modelStreamErrorException: {
      message: 'The system encountered an unexpected error during processing. Try again your request.',
    },
  },
};
const start = { messageStart: { role: 'assistant' } };
const user = 'arn:aws:iam::123456789012:user/bedrock';

export const cloudFailures: readonly Failure[] = [
  {
    name: 'is throttled',
    source: 'github.com/aws-samples/amazon-bedrock-client-for-mac/issues/99',
    sends: exception(429, 'ThrottlingException', 'Too many tokens, please wait before trying again.'),
    shown: { error: 'ThrottlingException', status: 429, message: 'Too many tokens' },
    ...byNext,
  },
  {
    name: 'is throttled and requests a wait',
    source: 'docs.aws.amazon.com: Retry-After of SDKs’ throttling errors',
    sends: exception(429, 'ThrottlingException', 'Too many requests, please wait before trying again.', {
      'retry-after': '8',
    }),
    shown: { error: 'ThrottlingException', status: 429, message: 'Too many requests', retryAfter: '8' },
    ...byNext,
  },
  {
    name: 'has no tokens of this day left',
    source: 'github.com/minorun365/agent-book/issues/29',
    sends: exception(429, 'ThrottlingException', 'Too many tokens per day, please wait before trying again.'),
    shown: { error: 'ThrottlingException', status: 429, message: 'Too many tokens per day' },
    ...byNext,
  },
  {
    name: 'exceeds a quota of the service',
    source: `${api.replace('Converse', 'InvokeModel')}: ServiceQuotaExceededException`,
    sends: exception(400, 'ServiceQuotaExceededException', 'Your request exceeds the service quota for your account.'),
    shown: { error: 'ServiceQuotaExceededException', status: 400, message: 'service quota' },
    ...byNext,
  },
  {
    name: 'does not have the model ready',
    source: api,
    sends: exception(
      429,
      'ModelNotReadyException',
      'Model is not ready for inference. Wait and try your request again.',
    ),
    shown: { error: 'ModelNotReadyException', status: 429, message: 'not ready' },
    ...byNext,
  },
  {
    name: 'fails',
    source: api,
    sends: exception(
      500,
      'InternalServerException',
      'The system encountered an unexpected error during processing. Try your request again.',
    ),
    shown: { error: 'InternalServerException', status: 500, message: 'unexpected error' },
    ...byNext,
  },
  {
    name: 'is unavailable',
    source: api,
    sends: exception(503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.'),
    shown: { error: 'ServiceUnavailableException', status: 503, message: 'unable to process' },
    ...byNext,
  },
  {
    name: 'reports an error of the model',
    source: `${api}: ModelErrorException 424`,
    sends: exception(
      424,
      'ModelErrorException',
      'The system encountered an unexpected error during processing. Try your request again.',
    ),
    shown: { error: 'ModelErrorException', status: 502, message: 'unexpected error' },
    ...byNext,
  },
  {
    name: 'reports a timeout of the model',
    source: `${api}: ModelTimeoutException 408`,
    sends: exception(
      408,
      'ModelTimeoutException',
      'Model has timed out in processing the request. Try your request again.',
    ),
    shown: { error: 'ModelTimeoutException', status: 504, message: 'timed out' },
    ...byNext,
  },
  {
    name: 'may not use the model',
    source: 'github.com/anthropics/claude-code/issues/536',
    sends: exception(403, 'AccessDeniedException', "You don't have access to the model with the specified model ID."),
    shown: { error: 'InternalServerException', status: 502, hides: 'specified model ID' },
    ...byNext,
  },
  {
    name: 'has no permission',
    source: 'docs.aws.amazon.com/bedrock/latest/userguide/security_iam_troubleshoot.html',
    sends: exception(
      403,
      'AccessDeniedException',
      `User: ${user} is not authorized to perform: bedrock:InvokeModel on resource: arn:aws:bedrock:eu-west-1::foundation-model/x because no identity-based policy allows the bedrock:InvokeModel action`,
    ),
    shown: { error: 'InternalServerException', status: 502, hides: '123456789012' },
    ...byNext,
  },
  {
    name: 'has an expired token',
    source: common,
    sends: exception(403, 'ExpiredTokenException', 'The security token included in the request is expired'),
    shown: { error: 'InternalServerException', status: 502, hides: 'security token' },
    ...byNext,
  },
  {
    name: 'is not recognized',
    source: common,
    sends: exception(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'),
    shown: { error: 'InternalServerException', status: 502, hides: 'security token' },
    ...byNext,
  },
  {
    name: 'does not have the model',
    source: api,
    sends: exception(404, 'ResourceNotFoundException', `Could not find ${user.replace('iam', 'bedrock')}`),
    shown: { error: 'ResourceNotFoundException', status: 404, hides: '123456789012' },
    ...byNext,
  },
  {
    name: 'refuses a parameter',
    source: api,
    sends: exception(400, 'ValidationException', 'The value at inferenceConfig.temperature must be at most 1.'),
    shown: { error: 'ValidationException', status: 400, message: 'inferenceConfig.temperature' },
    ...byNobody,
  },
  {
    name: 'refuses a context that is too long',
    source: 'github.com/anthropics/claude-code: Input is too long for requested model',
    sends: exception(400, 'ValidationException', 'Input is too long for requested model.'),
    shown: { error: 'ValidationException', status: 400, message: 'Input is too long' },
    ...byNobody,
  },
  {
    name: 'refuses a body that is too large',
    source: 'docs.aws.amazon.com/apigateway: 413 RequestEntityTooLargeException',
    sends: exception(413, 'RequestEntityTooLargeException', 'Request Entity Too Large'),
    shown: { error: 'ValidationException', status: 413, message: 'Too Large' },
    ...byNobody,
  },
  {
    name: 'filters the response',
    source: 'docs.aws.amazon.com/bedrock/latest/userguide/guardrails-use-converse-api.html',
    sends: { blocked: 'guardrail_intervened' },
    shown: undefined,
    ...byNobody,
  },
  {
    name: 'sends an exception as the first event of a stream',
    source: 'ConverseStreamOutput of the SDK',
    form: 'streamed',
    sends: frames(broken),
    shown: { error: 'ModelStreamErrorException', status: 502, message: 'unexpected error' },
    ...byNext,
  },
  {
    name: 'is throttled as the first event of a stream',
    source: 'github.com/aws-samples/aws-genai-llm-chatbot/issues/220',
    form: 'streamed',
    sends: frames({
      exception: { throttlingException: { message: 'Too many requests, please wait before trying again.' } },
    }),
    shown: { error: 'ThrottlingException', status: 429, message: 'Too many requests' },
    ...byNext,
  },
  {
    name: 'sends an exception after the first token of a stream',
    source: 'ConverseStreamOutput of the SDK',
    form: 'streamed',
    sends: frames(start, { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Hi' } } }, broken),
    shown: { error: 'ModelStreamErrorException', status: undefined, message: 'unexpected error' },
    ...byNobody,
  },
];
