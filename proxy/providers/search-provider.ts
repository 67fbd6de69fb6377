// The search-company vendor: generateContent of its API v1beta, with the model and the method in the path.
import { vendorIdentity } from '../../common/vendors.ts';
import { forNativeClients } from '../formats/chat-completions/native.ts';
import { forChatClients } from '../formats/chat-completions/translated.ts';
import { passedTools } from '../formats/generate-content/client-own-tools.ts';
import { generateContentCount } from '../formats/generate-content/count.ts';
import { generateContent } from '../formats/generate-content/index.ts';
import { passGenerateContentRequest } from '../formats/generate-content/pass-request.ts';
import { onlyTextOf } from '../formats/generate-content/read-stream.ts';
import { rightsOf } from '../formats/own-tools.ts';
import { keyInHeader } from './credentials/api-key.ts';
import type { Counter, Provider, ProviderCall } from './provider.ts';

const counter: Counter = {
  path: ({ target, model }) => target.baseUrl.path + methodPath(model, 'countTokens'),
  form: generateContentCount,
};

export const searchProvider: Provider = {
  ...vendorIdentity('search-provider'),
  routeCredential: 'plain',
  authorize: keyInHeader('x-goog-api-key'),
  format: forChatClients(generateContent, { noCalls: 'array' }),
  path: generationPath,
  counter,
  native: {
    generate_content: {
      ...forNativeClients(
        generateContent,
        (client, { model, target, request }) =>
          passGenerateContentRequest(client, {
            model,
            rights: rightsOf(target),
            outputTokens: request.body.max_completion_tokens,
          }),
        // Which of them passed decides what counts as a search.
        { read: ({ body }, { target }) => ({ tools: passedTools(body, rightsOf(target)) }), onlyText: onlyTextOf },
      ),
      path: generationPath,
      counter,
    },
  },
  fetchesImages: true,
  streamStops: { value: false, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
};

function generationPath({ target, model, request }: ProviderCall): string {
  const method = request.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return target.baseUrl.path + methodPath(model, method);
}

function methodPath(model: string, method: string): string {
  const name = model
    .replace(/^models\//, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  return `/v1beta/models/${name}:${method}`;
}
