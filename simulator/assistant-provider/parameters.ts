// The fields of a request and the check of each, in the order in which the vendor reports errors. Follows
// MessageCreateParams and MessageCountTokensParams of the vendor's SDK; null is accepted only where the SDK has it.
import { anyObject, arrayOf, boolean, type Check, integer, nullable, object, string, wrongType } from '../checks.ts';
import type { Version } from './authorization.ts';
import { cacheControl, systemPrompt } from './blocks.ts';
import { choice, shape, share } from './fields.ts';
import { messages } from './messages.ts';
import { badRequest } from './refusal.ts';
import { thinkingConfig } from './thinking.ts';
import { toolChoice, tools } from './tools.ts';

export interface Parameter {
  readonly name: string;
  readonly check: Check;
  readonly required?: true;
  /** The field also exists in a request that only counts tokens. */
  readonly counted?: true;
  /** The field does not exist in versions after the first. */
  readonly sampling?: true;
  /** The field exists only for requests that name this beta. */
  readonly beta?: string;
}

export interface ParameterContext {
  readonly endpoint: 'message' | 'count';
  readonly version: Version;
  readonly betas: ReadonlySet<string>;
}

export function parametersFor({ endpoint, version, betas }: ParameterContext): readonly Parameter[] {
  return parameters.filter(
    ({ counted, sampling, beta }) =>
      (endpoint === 'message' || counted) &&
      (version === '2023-06-01' || !sampling) &&
      (beta === undefined || betas.has(beta)),
  );
}

const maxTokens: Check = (value, path) => {
  if (!Number.isInteger(value)) throw wrongType(path, 'an integer', value);
  // With 0, the vendor fills the prompt cache and returns no text.
  if ((value as number) < 0) throw badRequest(`${path}: must be greater than or equal to 0`);
};

const stopSequences: Check = (value, path) => {
  arrayOf(string())(value, path);
  if ((value as readonly string[]).every((one) => one.trim() !== '')) return;
  throw badRequest(`${path}: each stop sequence must contain non-whitespace`);
};

const metadata: Check = (value, path) => {
  shape(object({}, { user_id: nullable(string({ max: 256 })) }))(value, path);
  const { user_id } = value as { user_id?: string | null };
  if (!user_id || !/\S@\S+\.\S/.test(user_id)) return;
  throw badRequest(`${path}.user_id: user_id appears to contain an email address`);
};

const outputConfig = shape(
  object(
    {},
    {
      effort: nullable(choice('low', 'medium', 'high', 'xhigh', 'max')),
      format: nullable(object({ type: choice('json_schema'), schema: anyObject })),
    },
  ),
);

const skill = object({ skill_id: string(), type: choice('anthropic', 'custom') }, { version: string() });
const containerParams = shape(object({}, { id: nullable(string()), skills: nullable(arrayOf(skill)) }));

const container: Check = (value, path) => {
  if (typeof value !== 'string') containerParams(value, `${path}.ContainerParams`);
};

const inferenceGeo: Check = (value, path) => {
  string()(value, path);
  if (value !== 'global' && value !== 'us') throw badRequest(`${path}: must be one of ['global', 'us']`);
};

const parameters: readonly Parameter[] = [
  { name: 'model', check: string({ min: 1 }), required: true, counted: true },
  { name: 'tool_choice', check: toolChoice, counted: true },
  { name: 'tools', check: tools, counted: true },
  { name: 'messages', check: messages, required: true, counted: true },
  { name: 'system', check: systemPrompt, counted: true },
  { name: 'thinking', check: thinkingConfig, counted: true },
  { name: 'output_config', check: outputConfig, counted: true },
  { name: 'cache_control', check: nullable(cacheControl), counted: true },
  { name: 'max_tokens', check: maxTokens, required: true },
  { name: 'metadata', check: metadata },
  { name: 'stop_sequences', check: stopSequences },
  { name: 'temperature', check: share, sampling: true },
  { name: 'service_tier', check: choice('auto', 'standard_only') },
  { name: 'top_k', check: integer(0), sampling: true },
  { name: 'top_p', check: share, sampling: true },
  { name: 'stream', check: boolean },
  { name: 'container', check: nullable(container) },
  { name: 'inference_geo', check: nullable(inferenceGeo) },
  { name: 'speed', check: nullable(choice('standard', 'fast')), counted: true },
  // SDK type `BetaContextManagementConfig`; the kinds of edits change with each beta.
  {
    name: 'context_management',
    check: nullable(object({}, { edits: arrayOf(anyObject) })),
    counted: true,
    beta: 'context-management-2025-06-27',
  },
  { name: 'diagnostics', check: nullable(object({}, { previous_message_id: nullable(string()) })) },
];
