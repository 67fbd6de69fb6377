// The vendor's request (SDK type `GenerateContentParameters`, on the wire `GenerateContentRequest` of v1beta): the model and the
// method in the path, everything else in the body.
import { writeJson } from '../../../common/exact-json.ts';
import type { JsonObject } from '../../../common/json.ts';
import { emulateTurns } from '../../conversation/emulated-turns.ts';
import type { OutputMode } from '../../conversation/output-mode.ts';
import type { TextPart } from '../../conversation/parts.ts';
import { movedSchemas } from '../../models/gemini/schema.ts';
import { readThinking } from '../../models/gemini/thinking.ts';
import { droppedFields } from '../fields.ts';
import { commonHeaders, type TranslatedCall, type WrittenRequest } from '../format.ts';
import { isTakenInResult, vendorContents } from './contents.ts';
import { cachedContent, safetySettings, serviceTier } from './extensions.ts';
import { takenFields } from './fields.ts';
import { generationConfig } from './generation.ts';
import { readAsked } from './request-plan.ts';
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
  const asked = readAsked(call);
  const { names, form } = asked;
  const thinking = readThinking(request.options, capabilities);
  const mapped = new Set([...thinking.fields, ...takenFields(call, asked)]);
  const dropped = [...droppedFields(request, mapped), ...request.cacheMarks(), ...request.citations()];
  const fields = Object.fromEntries(Object.entries(request.options).filter(([name]) => mapped.has(name)));
  const { conversation: read, emulated } = emulateTurns(request.conversation(), {
    systemInPlace: false,
    inResult: (part) => capabilities.mediaInResults && isTakenInResult(part, images),
    madeImages: true,
  });
  const conversation = { ...read, system: [...read.system, ...wordsOf(form)] };
  const body = {
    ...vendorContents(conversation, { model, names, capabilities, images }),
    ...vendorTools(asked, capabilities),
    generationConfig: generationConfig(fields, {
      conversation,
      form,
      thinking: thinking.config,
      capabilities,
    }),
    safetySettings: safetySettings(fields),
    cachedContent: cachedContent(fields),
    serviceTier: serviceTier(fields),
  };
  return { body, dropped, emulated: [...emulated, ...movedSchemas(asked, capabilities)] };
}

function wordsOf(form: OutputMode): TextPart[] {
  return form.kind === 'words' ? [{ kind: 'text', text: form.text, cache: undefined }] : [];
}
