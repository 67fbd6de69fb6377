// Inspects fields that are complete in one chunk of a stream, with the same schema as for a complete response.
import type { JsonObject } from '../../../common/json.ts';
import { fields, type TextLocation, TooDeepError } from '../../../guardrails/inspection/inspection-schema.ts';
import { messageFields } from '../../../guardrails/inspection/message-schema.ts';
import { responseLocations } from '../../../guardrails/inspection/response-schema.ts';
import type { ResponseGuards } from '../response-guards.ts';
import { guardStrings } from '../response-guards.ts';

/**
 * Guards fields by their location.
 * @throws BlockedError; GatewayError guardrail_blocked for fields that are nested too deep
 */
export interface WholeGuard {
  ofDelta(fields: JsonObject): JsonObject;
  ofChoice(fields: JsonObject): JsonObject;
  ofChunk(fields: JsonObject): JsonObject;
}

const deltaLocation = fields(messageFields);
const choiceLocation = responseLocations.fields?.choices ?? responseLocations;

export function createWholeGuard(guards: ResponseGuards): WholeGuard {
  const at = (location: TextLocation) => (body: JsonObject) => {
    try {
      return guardStrings(body, (form) => guards.guards(form), location);
    } catch (error) {
      if (!(error instanceof TooDeepError)) throw error;
      guards.tooLong();
      return body;
    }
  };
  return { ofDelta: at(deltaLocation), ofChoice: at(choiceLocation), ofChunk: at(responseLocations) };
}
