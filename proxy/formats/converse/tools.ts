// Writes the tools and the tool choice as the vendor's `toolConfig` (SDK type `ToolConfiguration`). It has no choice
// `none`, not every model can be forced to call a tool, and the vendor refuses a history with calls if no tool is
// defined.
import type { JsonObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import type { Turn } from '../../conversation/conversation.ts';
import { mustCall } from '../../conversation/output-mode.ts';
import { withoutReferences } from '../../conversation/schema-references.ts';
import type { ToolChoice, ToolDefinition, Tools } from '../../conversation/tools.ts';
import { inputSchema, type StrictSchemas } from '../../models/claude/schema.ts';
import type { Family } from '../../models/families.ts';
import { cachePoint } from './blocks.ts';
import type { ReadBy } from './fields.ts';

export interface ToolContext {
  readonly family: Family;
  readonly capabilities: ModelCapabilities;
  /** A model that reasons cannot be forced to call a tool. */
  readonly reasons: boolean;
  readonly turns: readonly Turn[];
  readonly strictSchemas: StrictSchemas;
  /** The tool whose input is the response, if there is one. */
  readonly responseTool: string | undefined;
}

export interface VendorTools {
  readonly toolConfig: JsonObject | undefined;
  /** `tool_choice` in additionalModelRequestFields, instead of the common choice. */
  readonly ownChoice: JsonObject | undefined;
  readonly dropped: readonly string[];
}

/** @throws GatewayError invalid_request */
export function vendorTools(options: ReadBy<'tools'>, tools: Tools, context: ToolContext): VendorTools {
  const { family, capabilities, reasons } = context;
  const usedNames = usedToolNames(context.turns);
  const usable = usableTools(tools, usedNames);
  if (usable.length === 0) return standIns(usedNames, family);
  const isLeft = mustCall(tools) && (!capabilities.forcedTools || reasons);
  const choice = isLeft ? auto : choiceOf(tools.choice, usable, family);
  const written = usable
    .filter(({ name }) => choice.only === undefined || name === choice.only)
    .map((definition) => ({ definition, spec: toolSpec(definition, context) }));
  const entries = written.flatMap(({ definition, spec }) => [
    { toolSpec: spec },
    ...(family.cachesTools ? cachePoint(definition.cache, capabilities.promptCache) : []),
  ]);
  const own = ownChoice(tools, choice, family);
  return {
    toolConfig: { tools: entries, ...(own === undefined && choice.common && { toolChoice: choice.common }) },
    ownChoice: own,
    dropped: [
      ...(isLeft || isForbiddenInVain(tools, family) ? [tools.asFunctions ? 'function_call' : 'tool_choice'] : []),
      ...(options.parallel_tool_calls === false && !family.hasClaudeFields ? ['parallel_tool_calls'] : []),
      ...(written.some(({ definition, spec }) => definition.strict === true && spec.strict !== true)
        ? ['tools.strict']
        : []),
      ...lostKeywords(
        written.map(({ definition }) => definition),
        family,
        context.responseTool,
      ),
    ],
  };
}

/** The history needs the tools, and this family has no choice that forbids their calls. */
function isForbiddenInVain({ choice }: Tools, { hasClaudeFields }: Family): boolean {
  return choice.kind === 'none' && !hasClaudeFields;
}

/** Keywords at the root of a schema that the family of bare schemas gets, or that limit nothing. */
const bareKeywords: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', '$schema', '$id', '$defs', 'definitions', 'title'],
]);

function lostKeywords(
  definitions: readonly ToolDefinition[],
  { schemas }: Family,
  responseTool: string | undefined,
): readonly string[] {
  if (schemas !== 'bare') return [];
  const isLost = ({ parameters = {} }: ToolDefinition) =>
    Object.keys(parameters).some(
      (name) => !bareKeywords.has(name) && !(name === 'additionalProperties' && typeof parameters[name] === 'boolean'),
    );
  const lost = definitions.filter(isLost).map(({ name }) => name);
  return [
    ...(lost.some((name) => name !== responseTool) ? ['tools.parameters'] : []),
    ...(lost.some((name) => name === responseTool) ? ['response_format.schema'] : []),
  ];
}

/** A name that the vendor accepts. Names in the history can be any text. */
export function vendorToolName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'tool';
}

function usedToolNames(turns: readonly Turn[]): ReadonlySet<string> {
  const calls = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : []));
  return new Set(calls.map(({ name }) => vendorToolName(name)));
}

/** With choice `none`, the tools are sent only if the history needs them. */
function usableTools({ definitions, choice }: Tools, usedNames: ReadonlySet<string>): readonly ToolDefinition[] {
  if (choice.kind === 'none' && usedNames.size === 0) return [];
  if (choice.kind !== 'allowed') return definitions;
  const names = new Set(choice.names);
  return definitions.filter(({ name }) => names.has(name));
}

/** Definitions of the tools that the history calls, for a request without callable tools. */
function standIns(usedNames: ReadonlySet<string>, { hasClaudeFields }: Family): VendorTools {
  if (usedNames.size === 0) return { toolConfig: undefined, ownChoice: undefined, dropped: [] };
  const tools = [...usedNames].map((name) => ({
    toolSpec: { name, inputSchema: { json: inputSchema(undefined) } },
  }));
  return { toolConfig: { tools }, ownChoice: hasClaudeFields ? { type: 'none' } : undefined, dropped: [] };
}

interface Choice {
  /** SDK type `ToolChoice`; undefined for the default. */
  readonly common?: JsonObject;
  /** The same choice in the assistant-model vendor's format. */
  readonly own: JsonObject;
  /** The only tool that is sent. */
  readonly only?: string;
}

const auto: Choice = { own: { type: 'auto' } };
const any: Choice = { common: { any: {} }, own: { type: 'any' } };

function choiceOf(choice: ToolChoice, usable: readonly ToolDefinition[], { forcesNamed }: Family): Choice {
  const isRequired = choice.kind === 'required' || (choice.kind === 'allowed' && choice.mode === 'required');
  const [first, ...more] = usable;
  // A single tool is forced by name: more models support that.
  const soleName = isRequired && more.length === 0 ? first?.name : undefined;
  const name = choice.kind === 'named' ? choice.name : soleName;
  if (name === undefined) return isRequired ? any : auto;
  return forcesNamed ? { common: { tool: { name } }, own: { type: 'tool', name } } : { ...any, only: name };
}

/** Choices that the common form lacks: no call at all, or no parallel calls. */
function ownChoice({ choice, parallel }: Tools, { own }: Choice, family: Family): JsonObject | undefined {
  if (!family.hasClaudeFields) return undefined;
  if (choice.kind === 'none') return { type: 'none' };
  return parallel === false ? { ...own, disable_parallel_tool_use: true } : undefined;
}

function toolSpec(definition: ToolDefinition, context: ToolContext): JsonObject {
  const { name, description, parameters } = definition;
  const strict = strictSchema(definition, context);
  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema: { json: strict ?? schemaFor(parameters, context.family) },
    ...(strict && { strict: true }),
  };
}

function strictSchema(
  { strict, parameters }: ToolDefinition,
  { family, capabilities, strictSchemas }: ToolContext,
): JsonObject | undefined {
  if (strict !== true || !capabilities.jsonSchema || !family.hasClaudeFields) return undefined;
  return strictSchemas.take(inputSchema(parameters));
}

function schemaFor(parameters: JsonObject | undefined, { schemas }: Family): JsonObject {
  if (parameters === undefined || schemas === 'any') return inputSchema(parameters);
  const { $schema: _, $id: __, ...plain } = withoutReferences(parameters, 'tools');
  if (schemas === 'plain') return inputSchema(plain);
  const { properties = {}, required } = plain;
  return { type: 'object', properties, ...(Array.isArray(required) && { required }) };
}
