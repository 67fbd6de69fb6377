// Reads a whole response (SDK type `Response` of the package openai) into the shared shape.
import { parseExactJson } from '../../../common/exact-json.ts';
import { plainNumber } from '../../../common/exact-number.ts';
import { isObject, type JsonObject, objectsOf, parseJson } from '../../../common/json.ts';
import { ResponseParts } from '../../conversation/response.ts';
import { noUsage } from '../../conversation/usage.ts';
import {
  type PassedFacts,
  type ReadResponse,
  type TranslatedCall,
  VendorFailure,
  type VendorResponse,
} from '../format.ts';
import { gptError } from '../gpt-error.ts';
import { protocolError } from '../protocol-error.ts';
import { OutputReader } from './output-reader.ts';
import { responseUsage } from './usage.ts';

export function readResponse(call: TranslatedCall, { body }: VendorResponse): ReadResponse {
  const response = parseExactJson(body.toString());
  if (!isObject(response)) throw protocolError('the response is no object');
  const failure = failureOf(response);
  if (failure !== undefined) throw new VendorFailure(gptError(failure));
  const { id, model, output } = response;
  if (typeof id !== 'string' || !Array.isArray(output)) throw protocolError('the response has no id or no output');
  const parts = new ResponseParts();
  const reader = new OutputReader(parts);
  for (const [index, item] of objectsOf(output).entries()) reader.read(item, index);
  const { refusal, ...extras } = parts.build().extras ?? {};
  const usage = responseUsage(response);
  return {
    message: {
      ...identityOf(response, call),
      choices: [
        {
          finish: reader.finish(response),
          ...parts.build(),
          ...(typeof refusal === 'string' && { refusal }),
          extras,
        },
      ],
      usage: usage ?? noUsage,
    },
    usage,
    model: typeof model === 'string' ? model : undefined,
  };
}

export function readPassedResponse(_call: TranslatedCall, { body }: VendorResponse): PassedFacts | undefined {
  // No number is written again.
  const response = parseJson(body.toString());
  if (!isObject(response) || !Array.isArray(response.output) || failureOf(response) !== undefined) return undefined;
  const { id, model } = response;
  const usage = responseUsage(response);
  if (usage === undefined || typeof id !== 'string') return undefined;
  return { usage, model: typeof model === 'string' ? model : undefined, responseId: id };
}

/** The error of a response that failed, in an envelope. */
export function failureOf({ status, error }: JsonObject): JsonObject | undefined {
  if (isObject(error)) return { error };
  return status === 'failed' ? { error: { message: 'the model failed' } } : undefined;
}

export function identityOf(
  { id, created_at: created, model }: JsonObject,
  call: Pick<TranslatedCall, 'now' | 'model'>,
): { readonly id: string; readonly created: number; readonly model: string } {
  return {
    id: typeof id === 'string' ? id : '',
    created: plainNumber(created) ?? Math.floor(call.now / 1000),
    model: typeof model === 'string' ? model : call.model,
  };
}
