// What a request asks of the answer: which tools, which form of the text, under which names. Sending and reading are both built
// on it, so that an answer is read as it was asked for.
import type { JsonObject } from '../../../common/json.ts';
import type { Traits } from '../../catalog/capabilities.ts';
import { unsupported } from '../../conversation/invalid.ts';
import { type ResponseFormat, readResponseFormat } from '../../conversation/options.ts';
import { type AnswerForm, answerForm, mustCall, withAnswerTool } from '../../conversation/output-mode.ts';
import { readTools, type Tools } from '../../conversation/tools.ts';
import type { ProviderCall } from '../../providers/provider.ts';
import { type FunctionNames, functionNames } from './names.ts';
import { splitTools, withSearch } from './own-tools.ts';
import { vendorSchema } from './schema.ts';

export interface Asked {
  /** The caller's, and the one that stands for the answer. */
  readonly tools: Tools;
  /** Tools that the vendor runs itself, in its form; never beside functions that may be called. */
  readonly own: readonly JsonObject[];
  readonly form: AnswerForm;
  readonly format: ResponseFormat;
  readonly names: FunctionNames;
}

/** @throws GatewayError invalid_request, unsupported_parameter */
export function readAsked({ request, traits }: ProviderCall): Asked {
  const { body, own: named } = splitTools(request.body);
  const tools = readTools(body);
  // Newer models do both, if what their own tools did comes back in the next request; callers' messages cannot hold that.
  if (named.length > 0 && mayCall(tools)) {
    throw unsupported('tools', "this provider's own tools cannot be combined with functions");
  }
  const own = searches(request.body, tools) ? withSearch(named) : named;
  const format = readResponseFormat(body);
  const form = answerForm(format, tools, abilities({ format, tools, own, traits }));
  const all = withAnswerTool(tools, form);
  return { tools: all, own, form, format, names: functionNames(all.definitions.map(({ name }) => name)) };
}

/** Whether the model may call a function. */
export function mayCall({ definitions, choice }: Tools): boolean {
  return definitions.length > 0 && choice.kind !== 'none';
}

/** Whether the search that `web_search_options` asks for is done: not beside functions, see above. */
function searches({ web_search_options: options }: JsonObject, tools: Tools): boolean {
  return options !== undefined && options !== null && !mayCall(tools);
}

interface FormContext {
  readonly format: ResponseFormat;
  readonly tools: Tools;
  readonly own: readonly JsonObject[];
  readonly traits: Traits;
}

function abilities({ format, tools, own, traits }: FormContext) {
  const hasTools = own.length > 0 || mayCall(tools);
  // A demanded call and JSON in one request are refused.
  const native = (traits.jsonSchemaWithTools || !hasTools) && !mustCall(tools);
  return {
    native: (schema: JsonObject) =>
      native && traits.jsonSchema ? vendorSchema(described(schema, format), schemaPlace, traits) : undefined,
    json: native && traits.jsonMode,
    forcedTools: traits.forcedTools && own.length === 0,
  };
}

const schemaPlace = 'response_format.json_schema.schema';

function described(schema: JsonObject, format: ResponseFormat): JsonObject {
  const description = format.kind === 'schema' ? format.description : undefined;
  return description === undefined || schema.description !== undefined ? schema : { ...schema, description };
}
