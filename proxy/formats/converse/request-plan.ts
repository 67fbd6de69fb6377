// What form a request wants its response in, and so which tools. A pure function of request and model: the response is read
// by the same plan as the request was made.
import {
  type OutputMode,
  outputModeOf,
  type ResponseFormat,
  withResponseTool,
} from '../../conversation/output-mode.ts';
import type { Tools } from '../../conversation/tools.ts';
import { StrictSchemas } from '../../models/claude/schema.ts';
import { familyOf } from '../../models/families.ts';
import type { TranslatedCall } from '../format.ts';

export interface ResponsePlan {
  readonly format: ResponseFormat;
  readonly form: OutputMode;
  /** With the one that gives the response, if there is such a one. */
  readonly tools: Tools;
  /** What is left of the room for strict schemas. */
  readonly strictSchemas: StrictSchemas;
  /** Something of the response's schema is in a description. */
  readonly movesFormat: boolean;
}

/** @throws GatewayError invalid_request, unsupported_parameter */
export function responsePlan({ request, capabilities }: TranslatedCall): ResponsePlan {
  const tools = request.tools();
  const format = request.responseFormat();
  const strictSchemas = new StrictSchemas();
  const form = outputModeOf(format, tools, {
    native: (schema) => {
      if (!capabilities.jsonSchema) return undefined;
      return familyOf(capabilities).hasClaudeFields ? strictSchemas.take(schema) : schema;
    },
    forcedTools: capabilities.forcedTools,
  });
  const movesFormat = strictSchemas.takeMoves();
  return { format, form, tools: withResponseTool(tools, form), strictSchemas, movesFormat };
}
