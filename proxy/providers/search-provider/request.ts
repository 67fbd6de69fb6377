// The vendor's request (SDK type `GenerateContentParameters`, on the wire `GenerateContentRequest` of v1beta): the model and the
// method in the path, everything else in the body.
import { writeJson } from '../../../common/exact-json.ts';
import type { JsonObject } from '../../../common/json.ts';
import type { TextPart } from '../../chat/content.ts';
import { readConversation } from '../../chat/conversation.ts';
import { droppedFields } from '../../chat/fields.ts';
import type { AnswerForm } from '../answer-form.ts';
import type { ProviderCall, UpstreamRequest } from '../provider.ts';
import { apiKeyOf, commonHeaders } from '../vendor-request.ts';
import { readAsked } from './asked.ts';
import { vendorContents } from './contents.ts';
import { cachedContent, safetySettings, serviceTier } from './extensions.ts';
import { takenFields } from './fields.ts';
import { generationConfig } from './generation.ts';
import { readThinking } from './thinking.ts';
import { vendorTools } from './tools.ts';

export function buildSearchRequest(call: ProviderCall): UpstreamRequest {
  const { request, target } = call;
  const { body, dropped } = vendorBody(call);
  return {
    origin: target.baseUrl.origin,
    path: target.baseUrl.path + methodPath(call),
    headers: ['x-goog-api-key', apiKeyOf(target), ...commonHeaders(request.stream)],
    body: writeJson(body),
    dropped,
  };
}

function methodPath({ request, model }: ProviderCall): string {
  const name = model
    .replace(/^models\//, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  const method = request.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return `/v1beta/models/${name}:${method}`;
}

function vendorBody(call: ProviderCall): { readonly body: JsonObject; readonly dropped: readonly string[] } {
  const { request, model, traits, images } = call;
  const asked = readAsked(call);
  const { names, form } = asked;
  const thinking = readThinking(request.body, traits);
  const mapped = new Set([...thinking.fields, ...takenFields(call, asked)]);
  const dropped = droppedFields(request.body, mapped);
  const fields = Object.fromEntries(Object.entries(request.body).filter(([name]) => mapped.has(name)));
  const read = readConversation(request);
  const conversation = { ...read, system: [...read.system, ...wordsOf(form)] };
  const body = {
    ...vendorContents(conversation, { model, names, traits, images }),
    ...vendorTools(asked, traits),
    generationConfig: generationConfig(fields, { conversation, form, thinking: thinking.config, traits }),
    safetySettings: safetySettings(fields),
    cachedContent: cachedContent(fields),
    serviceTier: serviceTier(fields),
  };
  return { body, dropped };
}

function wordsOf(form: AnswerForm): TextPart[] {
  return form.kind === 'words' ? [{ kind: 'text', text: form.text, cache: undefined }] : [];
}
