// What of a request decides how its response is read: the tools that the vendor gets, and the form of its text.
// Worked out anew for the request and for its response, always to the same result.
import { type OutputMode, outputModeOf, withResponseTool } from '../../conversation/output-mode.ts';
import type { Tools } from '../../conversation/tools.ts';
import { StrictSchemas } from '../../models/claude/schema.ts';
import type { TranslatedCall } from '../format.ts';

export interface Plan {
  /** With the one that gives the response, where the form needs it. */
  readonly tools: Tools;
  readonly form: OutputMode;
  /** What of the vendor's limits is left for strict tools. */
  readonly schemas: StrictSchemas;
  /** Something of the response's schema is in a description. */
  readonly movesFormat: boolean;
}

/** @throws GatewayError invalid_request, unsupported_parameter */
export function responsePlan({ request, capabilities }: TranslatedCall): Plan {
  const schemas = new StrictSchemas();
  const tools = request.tools();
  const form = outputModeOf(request.responseFormat(), tools, {
    native: (schema) => (capabilities.jsonSchema ? schemas.take(schema) : undefined),
    forcedTools: capabilities.forcedTools,
  });
  const movesFormat = schemas.takeMoves();
  return { tools: withResponseTool(tools, form), form, schemas, movesFormat };
}
