// Writes the vendor's request (SDK type `GenerateContentParameters`, on the wire `GenerateContentRequest` of v1beta):
// the model and the method are in the path, everything else is in the body.
import { writeJson } from '../../../common/exact-json.ts';
import type { JsonObject } from '../../../common/json.ts';
import { emulateTurns } from '../../conversation/emulated-turns.ts';
import type { OutputMode } from '../../conversation/output-mode.ts';
import type { TextPart } from '../../conversation/parts.ts';
import { movedSchemas } from '../../models/gemini/schema.ts';
import { readThinking } from '../../models/gemini/thinking.ts';
import { commonHeaders, type TranslatedCall, type WrittenRequest } from '../format.ts';
import { isTakenInResult, vendorContents } from './contents.ts';
import { fieldRules, readBy, requestScalars } from './fields.ts';
import { generationConfig } from './generation.ts';
import { lostOfSearch } from './own-tools.ts';
import { requestPlan } from './request-plan.ts';
import { vendorTools } from './tools.ts';

export function writeGenerateContentRequest(call: TranslatedCall): WrittenRequest {
  const { body, dropped, emulated } = vendorBody(call);
  return {
    headers: commonHeaders(call.request.stream),
    body: writeJson(body),
    dropped,
    ...(emulated.length > 0 && { emulated }),
  };
}

interface VendorBody {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
  readonly emulated: readonly string[];
}

function vendorBody(call: TranslatedCall): VendorBody {
  const { request, model, capabilities, images } = call;
  const plan = requestPlan(call);
  const { names, form } = plan;
  const thinking = readThinking(readBy(request.options, 'thinking'), capabilities);
  const context = {
    capabilities,
    stream: request.stream,
    options: request.options,
    tools: plan.tools,
    thinking,
  };
  const taken = fieldRules.taken(request, context);
  const dropped = [
    ...fieldRules.dropped(request, context),
    ...request.cacheMarks(),
    ...request.citations(),
    ...request.inMessages(['messages.audio', 'messages.file.filename', 'messages.thinking_blocks']),
    ...(plan.tools.definitions.some(({ strict }) => strict === true) ? ['tools.strict'] : []),
    ...lostOfSearch(readBy(taken, 'search')),
  ];
  const { conversation: read, emulated } = emulateTurns(request.conversation(), {
    systemInPlace: false,
    inResult: (part) => capabilities.mediaInResults && isTakenInResult(part, images),
    madeImages: true,
  });
  const conversation = { ...read, system: [...read.system, ...wordsOf(form)] };
  const body = {
    ...vendorContents(conversation, { model, names, capabilities, images }),
    ...vendorTools(plan, capabilities),
    generationConfig: generationConfig(taken, {
      conversation,
      form,
      thinking: thinking.config,
      capabilities,
    }),
    ...Object.fromEntries(requestScalars.map(({ name, read }) => [name, read(taken)])),
  };
  return { body, dropped, emulated: [...emulated, ...movedSchemas(plan, capabilities)] };
}

function wordsOf(form: OutputMode): TextPart[] {
  return form.kind === 'words' ? [{ kind: 'text', text: form.text, cache: undefined }] : [];
}
