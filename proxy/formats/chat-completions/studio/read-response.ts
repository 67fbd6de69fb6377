// A whole response: the vendor's own bytes, unless a choice has to be changed.
import { parseExactJson } from '../../../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../../../common/json.ts';
import type { CompleteResponse, VendorResponse } from '../../format.ts';
import { protocolError } from '../../protocol-error.ts';
import type { ChatFormatCall } from '../read-request.ts';
import { readCompletion } from '../read-response.ts';
import { ChoiceReader } from './choice.ts';
import { studioError } from './errors.ts';
import { responsePlan } from './request-plan.ts';

/** @throws GatewayError upstream_protocol_error, VendorFailure */
export function readStudioResponse(call: ChatFormatCall, { body }: VendorResponse): CompleteResponse {
  const parsed = parseExactJson(body.toString());
  const { response, choices, usage, model } = readCompletion(call, parsed, studioError);
  const plan = responsePlan(call);
  const readChoices = choices.map((choice) => new ChoiceReader(plan).message(checked(choice)));
  if (readChoices.every((choice, index) => choice === choices[index])) return { body, usage, model };
  return { body: Buffer.from(JSON.stringify({ ...response, choices: readChoices })), usage, model };
}

export function checked(choice: unknown): JsonObject {
  if (isObject(choice)) return choice;
  throw protocolError('a choice of the response is no object');
}
