// Locations of text in a response (SDK types `ChatCompletion` and `ChatCompletionChunk`). A field that is not named
// here is inspected.
import { exempt, fields, type TextLocation, text, unseen } from './inspection-schema.ts';
import { id, messageFields, number, word } from './message-schema.ts';

const filterResults = unseen("the vendor's own verdicts");

/** For `message` and for `delta`. */
export const responseMessageLocations: TextLocation = { ...fields(messageFields), turn: 'own' };

export const choiceLocations = fields({
  index: number,
  message: responseMessageLocations,
  delta: responseMessageLocations,
  finish_reason: word,
  native_finish_reason: word,
  native_finish_message: text,
  stop_sequence: text,
  stop_reason: text,
  logprobs: unseen('refused, or removed, if a guardrail withholds text'),
  content_filter_results: filterResults,
});

export const responseLocations = fields({
  id,
  object: word,
  created: number,
  model: exempt('names the model that responds'),
  system_fingerprint: id,
  service_tier: word,
  usage: unseen('counts'),
  choices: choiceLocations,
  prompt_filter_results: filterResults,
  cloud_ai_safety_results: filterResults,
});
