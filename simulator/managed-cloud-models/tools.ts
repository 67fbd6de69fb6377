// The tools of a request and the choice among them: the service's rules for schemas, and features of some models only.
import { isObject, type Json } from '../checks.ts';
import { invalid, malformedForModel, modelRefuses, unsupportedField } from './refusal.ts';
import { type ConverseRequest, extraFieldsOf, isForced, toolChoiceOf, toolsOf } from './request.ts';
import { checkStrictSchema } from './structured.ts';

export function toolSpecsFit(request: ConverseRequest): void {
  const names = new Set<string>();
  for (const [at, { toolSpec, systemTool }] of toolsOf(request).entries()) {
    if (systemTool !== undefined && request.model.family !== 'nova') throw unsupportedField('systemTool');
    if (isObject(toolSpec)) checkSpec(request, toolSpec, at);
    const { name } = (isObject(toolSpec) ? toolSpec : (systemTool ?? {})) as Json;
    if (typeof name === 'string' && names.has(name)) throw modelRefuses('tools: Tool names must be unique.');
    if (typeof name === 'string') names.add(name);
  }
}

function checkSpec({ model }: ConverseRequest, { inputSchema, strict }: Json, at: number): void {
  const { json } = inputSchema as { readonly json: Json };
  const path = `toolConfig.tools.${at}.toolSpec.inputSchema.json`;
  if (json.type !== 'object') {
    throw invalid(`The value at ${path}.type must be one of the following: object.`);
  }
  // This family reads only these keys of a schema's root, so definitions and references must be resolved before.
  const stray = Object.keys(json).find((key) => !['type', 'properties', 'required'].includes(key));
  if (model.family === 'nova' && stray !== undefined) {
    throw malformedForModel(`#/${path.replaceAll('.', '/')}: extraneous key [${stray}] is not permitted`);
  }
  if (strict !== true) return;
  if (!model.structured) throw unsupportedField('strict');
  checkStrictSchema(json, `tools.${at}.custom`, model);
}

export function toolChoiceFits(request: ConverseRequest): void {
  const { toolConfig } = request.body;
  const common = isObject(toolConfig) ? toolConfig.toolChoice : undefined;
  const own = extraFieldsOf(request).tool_choice;
  if (common !== undefined && own !== undefined) {
    throw invalid('The additional field tool_choice conflicts with an existing field.');
  }
  if (own !== undefined && toolConfig === undefined) {
    throw modelRefuses('tool_choice may only be specified while providing tools.');
  }
  const choice = toolChoiceOf(request);
  if (!isForced(choice)) return;
  checkForced(request, choice.kind);
  if (choice.kind !== 'tool') return;
  const names = toolsOf(request).map(({ toolSpec, systemTool }) => ((toolSpec ?? systemTool ?? {}) as Json).name);
  if (!names.includes(choice.name)) {
    throw modelRefuses(`tool_choice: Tool '${choice.name}' not found in provided tools`);
  }
}

function checkForced({ model }: ConverseRequest, kind: string): void {
  if (model.toolChoices.some((taken) => taken === kind)) return;
  if (model.family !== 'claude') throw unsupportedField(`toolConfig.toolChoice.${kind}`);
  // These models always think. The text is the simulator's own; the vendor's is unknown.
  throw modelRefuses('tool_choice: Forced tool use is not supported for this model.');
}
