// The tools, the output mode and the function names of a request. Both writing and reading use this plan, so that a
// response is read the way it was requested.
import type { JsonObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import { unsupported } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import {
  describedSchema,
  mayCall,
  mustCall,
  type OutputMode,
  outputModeOf,
  type ResponseFormat,
  withResponseTool,
} from '../../conversation/output-mode.ts';
import type { Tools } from '../../conversation/tools.ts';
import { vendorSchema } from '../../models/gemini/schema.ts';
import type { TranslatedCall } from '../format.ts';
import { type ReadBy, readBy } from './fields.ts';
import { type FunctionNames, functionNames } from './names.ts';
import { splitTools, withSearch } from './own-tools.ts';

export interface RequestPlan {
  /** The caller's tools, and the tool whose input is the response. */
  readonly tools: Tools;
  /** Tools that the vendor runs, in its form. They are never combined with callable functions. */
  readonly own: readonly JsonObject[];
  readonly form: OutputMode;
  readonly format: ResponseFormat;
  readonly names: FunctionNames;
}

/** @throws GatewayError invalid_request, unsupported_parameter */
export function requestPlan({ request, capabilities }: TranslatedCall): RequestPlan {
  const { options, own: named } = splitTools(request.options);
  const tools = request.tools(options);
  // Newer models can combine both if the next request returns what the vendor's tools did. Callers' messages cannot
  // contain that.
  if (named.length > 0 && mayCall(tools)) {
    throw unsupported('tools', "this provider's own tools cannot be combined with functions");
  }
  const own = searches(readBy(request.options, 'search'), tools) ? withSearch(named) : named;
  const format = request.responseFormat();
  const form = outputModeOf(format, tools, abilities({ format, tools, own, capabilities }));
  const all = withResponseTool(tools, form);
  return { tools: all, own, form, format, names: functionNames(all.definitions.map(({ name }) => name)) };
}

/** Whether the search of `web_search_options` is requested: not beside functions, see above. */
function searches({ web_search_options: options }: ReadBy<'search'>, tools: Tools): boolean {
  return isGiven(options) && !mayCall(tools);
}

interface FormContext {
  readonly format: ResponseFormat;
  readonly tools: Tools;
  readonly own: readonly JsonObject[];
  readonly capabilities: ModelCapabilities;
}

function abilities({ format, tools, own, capabilities }: FormContext) {
  const hasTools = own.length > 0 || mayCall(tools);
  // The vendor refuses a request for both a forced call and JSON.
  const native = (capabilities.jsonSchemaWithTools || !hasTools) && !mustCall(tools);
  return {
    native: (schema: JsonObject) =>
      native && capabilities.jsonSchema
        ? vendorSchema(describedSchema(schema, format), schemaPath, capabilities)
        : undefined,
    json: native && capabilities.jsonMode,
    forcedTools: capabilities.forcedTools && own.length === 0,
  };
}

const schemaPath = 'response_format.json_schema.schema';
