// The output mode that a request uses, and the tools that follow from it. A pure function of request and model: the
// response is read with the same plan.
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
  /** Includes the tool whose input is the response, if there is one. */
  readonly tools: Tools;
  /** Counts the remaining strict schemas that the request may have. */
  readonly strictSchemas: StrictSchemas;
  /** A part of the response schema moved into a description. */
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
