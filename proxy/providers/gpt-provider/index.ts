// The GPT vendor, whose wire format is also the callers': answers pass through as sent, only the usage is read out of them.
// Source: SDK types `ChatCompletion`, `ChatCompletionChunk` of the package openai.
import { isObject, parseJson } from '../../../common/json.ts';
import { readUsage } from '../../chat/usage.ts';
import { protocolError } from '../protocol-error.ts';
import type { CompleteAnswer, Provider } from '../provider.ts';
import { readGptError } from './errors.ts';
import { buildGptRequest } from './request.ts';
import { GptStreamReader } from './stream.ts';

export const gptProvider: Provider = {
  name: 'gpt-provider',
  aliases: ['openai'],
  defaultBaseUrl: 'https://api.openai.com/v1',
  routeCredential: 'bearer',
  fetchesImages: false,
  streamType: 'text/event-stream',
  buildRequest: buildGptRequest,
  readAnswer: (_call, { body }) => readGptAnswer(body),
  openStream: (call, _head, limits) => new GptStreamReader(call.request.includeUsage, limits),
  readError: readGptError,
};

function readGptAnswer(body: Buffer): CompleteAnswer {
  const answer = parseJson(body.toString());
  if (!isObject(answer) || !Array.isArray(answer.choices)) {
    throw protocolError('the answer is no chat completion');
  }
  return { body, usage: readUsage(answer.usage) };
}
