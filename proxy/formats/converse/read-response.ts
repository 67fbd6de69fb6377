// Reads a whole response (SDK type `ConverseResponse`) into the shape that all formats share.
import type { IncomingHttpHeaders } from 'node:http';
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { ResponseParts } from '../../conversation/response.ts';
import { noUsage } from '../../conversation/usage.ts';
import { type ReadResponse, type TranslatedCall, VendorFailure, type VendorResponse } from '../format.ts';
import { protocolError } from '../protocol-error.ts';
import { converseError, messageOf, typeName } from './errors.ts';
import { MessageReader } from './message-reader.ts';
import { responsePlan } from './request-plan.ts';
import { readConverseUsage } from './usage.ts';

export function readConverseResponse(call: TranslatedCall, { head, body }: VendorResponse): ReadResponse {
  const response = parseResponse(body);
  const { form } = responsePlan(call);
  const parts = new ResponseParts();
  const reader = new MessageReader(parts, form);
  for (const [index, block] of response.content.entries()) reader.block(index, block);
  const finish = reader.finish(response.stopReason);
  const reported = readConverseUsage(response.body, call.request.options.service_tier);
  return {
    message: {
      ...responseIdentity(call, head),
      choices: [{ finish, ...parts.build() }],
      usage: reported?.usage ?? noUsage,
      usageExtras: reported?.extras ?? {},
    },
    usage: reported?.usage,
    model: routedModel(response.trace),
  };
}

/** The vendor names the model only if one of its prompt routers chose it (SDK type `PromptRouterTrace`). */
export function routedModel(trace: unknown): string | undefined {
  const router = isObject(trace) ? trace.promptRouter : undefined;
  const model = isObject(router) ? router.invokedModelId : undefined;
  return typeof model === 'string' ? model : undefined;
}

/** The vendor's responses contain the id of the request, but no model name. */
export function responseIdentity({ now, model }: TranslatedCall, head: IncomingHttpHeaders) {
  const requestId = head['x-amzn-requestid'];
  const id = typeof requestId === 'string' && /^[\w-]{1,64}$/.test(requestId) ? requestId : now;
  return { id: `chatcmpl-${id}`, created: Math.floor(now / 1000), model };
}

interface ParsedResponse {
  readonly content: readonly JsonObject[];
  readonly stopReason: unknown;
  readonly body: JsonObject;
  readonly trace: unknown;
}

/** @throws GatewayError upstream_protocol_error; VendorFailure if the body is an error */
function parseResponse(body: Buffer): ParsedResponse {
  const response = parseExactJson(body.toString());
  if (!isObject(response)) throw protocolError('the response is no JSON object');
  const { output, stopReason, trace } = response;
  const message = isObject(output) ? output.message : undefined;
  if (isObject(message) && Array.isArray(message.content)) {
    return { content: message.content.filter(isObject), stopReason, body: response, trace };
  }
  const error = messageOf(response);
  if (error === undefined) throw protocolError('the response contains no message');
  throw new VendorFailure(converseError({ type: typeName(response.__type), message: error }));
}
