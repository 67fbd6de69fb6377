// How a response was requested, which decides how it is read: a pure function of the request, computed again for the
// response.
import { type OutputMode, outputModeOf, type ResponseFormat } from '../../../conversation/output-mode.ts';
import type { Tools } from '../../../conversation/tools.ts';
import type { ChatFormatCall } from '../read-request.ts';
import { readResponseFormat } from '../read-response-format.ts';
import { readTools } from '../read-tools.ts';

import { dialectOf } from './dialects.ts';

/** How a response is changed on its way to the caller. */
export interface ResponsePlan {
  readonly form: OutputMode;
  /**
   * The request used the deprecated `functions`, which the vendor does not support: calls are written in their form.
   */
  readonly asFunctions: boolean;
}

export interface InferencePlan extends ResponsePlan {
  readonly tools: Tools;
  readonly format: ResponseFormat;
}

const asSent: ResponsePlan = Object.freeze({ form: Object.freeze({ kind: 'text' }), asFunctions: false });

export function responsePlan(call: ChatFormatCall): ResponsePlan {
  return dialectOf(call.target.baseUrl).schema === 'gpt' ? asSent : inferencePlan(call);
}

/** @throws GatewayError invalid_request, unsupported_parameter */
export function inferencePlan({ request, capabilities }: ChatFormatCall): InferencePlan {
  const tools = readTools(request.body);
  const format = readResponseFormat(request.body);
  const form = outputModeOf(format, tools, {
    native: (schema) => (capabilities.jsonSchema ? schema : undefined),
    json: capabilities.jsonMode,
    forcedTools: false,
  });
  return { tools, format, form, asFunctions: tools.asFunctions };
}
