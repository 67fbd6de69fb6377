// The parts of a request that decide how its response is read: the tools that the vendor gets, and the output mode. It
// is computed for the request and again for its response, always with the same result.
import { describedSchema, type OutputMode, outputModeOf, withResponseTool } from '../../conversation/output-mode.ts';
import type { Tools } from '../../conversation/tools.ts';
import { StrictSchemas } from '../../models/claude/schema.ts';
import type { TranslatedCall } from '../format.ts';

export interface Plan {
  /** Includes the tool whose input is the response, if the output mode needs one. */
  readonly tools: Tools;
  readonly form: OutputMode;
  /** Counts the remaining strict tools within the vendor's limits. */
  readonly schemas: StrictSchemas;
  /** A part of the response schema moved into a description. */
  readonly movesFormat: boolean;
}

/** @throws GatewayError invalid_request, unsupported_parameter */
export function responsePlan({ request, capabilities }: TranslatedCall): Plan {
  const schemas = new StrictSchemas();
  const tools = request.tools();
  const format = request.responseFormat();
  const form = outputModeOf(format, tools, {
    native: (schema) => (capabilities.jsonSchema ? schemas.take(describedSchema(schema, format)) : undefined),
    forcedTools: capabilities.forcedTools,
  });
  const movesFormat = schemas.takeMoves();
  return { tools: withResponseTool(tools, form), form, schemas, movesFormat };
}
