// Writes tools and the tool choice as the vendor's `tools` and `toolConfig` (SDK types `Tool`,
// `FunctionCallingConfig`): all functions in one entry, or tools that the vendor runs.
import type { JsonObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import { mayCall } from '../../conversation/output-mode.ts';
import type { ToolChoice, ToolDefinition } from '../../conversation/tools.ts';
import { vendorSchema } from '../../models/gemini/schema.ts';
import type { FunctionNames } from './names.ts';
import type { RequestPlan } from './request-plan.ts';

export interface VendorTools {
  readonly tools?: readonly JsonObject[];
  readonly toolConfig?: JsonObject;
}

export function vendorTools(plan: RequestPlan, capabilities: ModelCapabilities): VendorTools {
  const { tools, own, names } = plan;
  const offered = isHidden(plan, capabilities)
    ? []
    : tools.definitions.filter(({ name }) => isOffered(name, tools.choice));
  if (offered.length === 0) return own.length > 0 ? { tools: own } : {};
  const functionDeclarations = offered.map((one) => declaration(one, names, capabilities));
  const functionCallingConfig = callingConfig(tools.choice, names);
  return {
    tools: [{ functionDeclarations }],
    ...(functionCallingConfig && { toolConfig: { functionCallingConfig } }),
  };
}

/** Functions that must not be called are omitted if the vendor refuses them beside the rest of the request. */
function isHidden({ tools, own, form }: RequestPlan, capabilities: ModelCapabilities): boolean {
  const isJson = form.kind === 'json' || form.kind === 'native';
  return !mayCall(tools) && (own.length > 0 || (isJson && !capabilities.jsonSchemaWithTools));
}

/** The vendor restricts only forced calls to named functions. For an optional call, the list itself is restricted. */
function isOffered(name: string, choice: ToolChoice): boolean {
  return choice.kind !== 'allowed' || choice.mode === 'required' || choice.names.includes(name);
}

function declaration(
  { name, description, parameters }: ToolDefinition,
  names: FunctionNames,
  capabilities: ModelCapabilities,
): JsonObject {
  const schema = parameters && vendorSchema(parameters, 'tools', capabilities);
  return {
    name: names.toVendor(name),
    ...(description !== undefined && { description }),
    ...(schema && !isEmpty(schema) && { [schemaFields[capabilities.schemaLanguage]]: schema }),
  };
}

const schemaFields = { 'json-schema': 'parametersJsonSchema', openapi: 'parameters' } as const;

/** The vendor expects no schema for a function without parameters. */
function isEmpty({ properties = {}, $ref, anyOf, additionalProperties }: JsonObject): boolean {
  const hasOthers = typeof additionalProperties === 'object' || $ref !== undefined || anyOf !== undefined;
  return !hasOthers && Object.keys(properties ?? {}).length === 0;
}

function callingConfig(choice: ToolChoice, names: FunctionNames): JsonObject | undefined {
  switch (choice.kind) {
    case 'default':
      return undefined;
    case 'auto':
      return { mode: 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'named':
      return { mode: 'ANY', allowedFunctionNames: [names.toVendor(choice.name)] };
    case 'allowed':
      if (choice.mode === 'auto') return { mode: 'AUTO' };
      return { mode: 'ANY', allowedFunctionNames: choice.names.map(names.toVendor) };
  }
}
