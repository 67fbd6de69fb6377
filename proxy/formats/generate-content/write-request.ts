// The vendor's request (SDK type `GenerateContentParameters`, on the wire `GenerateContentRequest` of v1beta): the model and the
// method in the path, everything else in the body.
import { writeJson } from '../../../common/exact-json.ts';
import type { JsonObject } from '../../../common/json.ts';
import { citedField, markedFields } from '../../conversation/cache-marks.ts';
import type { TextPart } from '../../conversation/content.ts';
import { readConversation } from '../../conversation/conversation.ts';
import { emulateTurns } from '../../conversation/emulated-turns.ts';
import type { AnswerForm } from '../../conversation/output-mode.ts';
import type { ProviderCall, UpstreamRequest } from '../../providers/provider.ts';
import { apiKeyOf, commonHeaders } from '../../providers/vendor-request.ts';
import { droppedFields } from '../chat-completions/fields.ts';
import { isTakenInResult, vendorContents } from './contents.ts';
import { cachedContent, safetySettings, serviceTier } from './extensions.ts';
import { takenFields } from './fields.ts';
import { generationConfig } from './generation.ts';
import { readAsked } from './request-plan.ts';
import { movedSchemas } from './schema.ts';
import { readThinking } from './thinking.ts';
import { vendorTools } from './tools.ts';

export function buildSearchRequest(call: ProviderCall): UpstreamRequest {
  const { request, target } = call;
  const { body, dropped, emulated } = vendorBody(call);
  return {
    origin: target.baseUrl.origin,
    path: target.baseUrl.path + methodPath(call),
    headers: ['x-goog-api-key', apiKeyOf(target), ...commonHeaders(request.stream)],
    body: writeJson(body),
    dropped,
    ...(emulated.length > 0 && { emulated }),
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

interface VendorBody {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
  readonly emulated: readonly string[];
}

function vendorBody(call: ProviderCall): VendorBody {
  const { request, model, traits, images } = call;
  const asked = readAsked(call);
  const { names, form } = asked;
  const thinking = readThinking(request.body, traits);
  const mapped = new Set([...thinking.fields, ...takenFields(call, asked)]);
  const dropped = [
    ...droppedFields(request.body, mapped),
    ...markedFields(request.body),
    ...citedField(request.body),
  ];
  const fields = Object.fromEntries(Object.entries(request.body).filter(([name]) => mapped.has(name)));
  const { conversation: read, emulated } = emulateTurns(readConversation(request), {
    systemInPlace: false,
    inResult: (part) => traits.mediaInResults && isTakenInResult(part, images),
    madeImages: true,
  });
  const conversation = { ...read, system: [...read.system, ...wordsOf(form)] };
  const body = {
    ...vendorContents(conversation, { model, names, traits, images }),
    ...vendorTools(asked, traits),
    generationConfig: generationConfig(fields, { conversation, form, thinking: thinking.config, traits }),
    safetySettings: safetySettings(fields),
    cachedContent: cachedContent(fields),
    serviceTier: serviceTier(fields),
  };
  return { body, dropped, emulated: [...emulated, ...movedSchemas(asked, traits)] };
}

function wordsOf(form: AnswerForm): TextPart[] {
  return form.kind === 'words' ? [{ kind: 'text', text: form.text, cache: undefined }] : [];
}
