// Which fields of a caller's body reach a provider that gets the body as sent. A provider's URL may lead to a router or
// another gateway, where further fields select the model, the host and the key, past every allow-list, limit and price.
// So custom providers get only known fields and those that their operator lists.
import type { JsonObject } from '../../../common/json.ts';
import { chatFields, gatewayFields } from '../../conversation/fields.ts';

/** Whether the provider gets a field of this name. */
export type PassesField = (name: string) => boolean;

/** The callers' format: type `ChatCompletionCreateParams` of the package openai. */
export const formatFields: ReadonlySet<string> = new Set([...gatewayFields, ...chatFields]);

/**
 * Sampling, output form and reasoning, as vendors of open models and their servers accept them beside the format (vLLM,
 * SGLang, llama.cpp, TGI, and the APIs of DeepSeek, Groq, Mistral, Qwen, xAI). No field in this list names a model, an
 * adapter, a host, a key, a file, a template or code, and none makes a response cost more than its reservation.
 */
export const samplingFields: ReadonlySet<string> = new Set([
  ...['top_k', 'top_a', 'min_p', 'typical_p', 'tfs_z', 'temperature_last', 'random_seed', 'repetition_penalty'],
  ...['repeat_penalty', 'repeat_last_n', 'length_penalty', 'no_repeat_ngram_size', 'min_tokens'],
  ...['stop_token_ids', 'ignore_eos', 'bad_words', 'allowed_token_ids'],
  ...['skip_special_tokens', 'spaces_between_special_tokens', 'include_stop_str_in_output', 'no_stop_trim'],
  ...['add_generation_prompt', 'continue_final_message', 'return_token_ids'],
  ...['return_tokens_as_token_ids', 'mirostat', 'mirostat_tau', 'mirostat_eta', 'mirostat_mode'],
  ...['dry_multiplier', 'dry_base', 'dry_allowed_length', 'dry_sequence_breakers', 'dry_penalty_last_n'],
  ...['xtc_probability', 'xtc_threshold', 'dynatemp_range', 'dynatemp_exponent', 'cache_prompt', 'safe_prompt'],
  ...['guided_json', 'guided_regex', 'guided_choice', 'guided_grammar', 'structured_outputs', 'regex', 'ebnf'],
  ...['grammar', 'json_schema', 'thinking', 'enable_thinking', 'thinking_budget', 'reasoning'],
  ...['include_reasoning', 'separate_reasoning', 'reasoning_format', 'reasoning_split', 'reasoning_budget'],
  'prompt_mode',
]);

/** Routers and gateways read these as the choice of a model, a host, a key or a route. No vendor uses them. */
export const routingFields: ReadonlySet<string> = new Set([
  ...['models', 'route', 'fallbacks', 'context_window_fallback_dict', 'content_policy_fallbacks', 'provider'],
  ...['api_base', 'base_url', 'api_key', 'api_version', 'organization', 'extra_headers', 'extra_body', 'extra_query'],
  ...['headers', 'model_list', 'model_group', 'deployment_id', 'azure_endpoint', 'custom_llm_provider', 'user_config'],
  ...[
    'router_settings_override',
    'litellm_params',
    'mock_response',
    'targets',
    'strategy',
    'virtual_key',
    'custom_host',
  ],
]);

/** For the vendors themselves: also fields that they add later. */
export const passesToVendor: PassesField = (name) => !routingFields.has(name);

/** In an operator's list: every field passes. */
export const everyField = '*';

/**
 * @param listed fields that the provider's operator lists
 * @param known those of the wire format
 */
export function passesToCustom(listed: readonly string[], known = formatFields): PassesField {
  if (listed.includes(everyField)) return () => true;
  const passed = new Set(listed);
  return (name) => known.has(name) || samplingFields.has(name) || passed.has(name);
}

/** Returns the same body object if every field passes. */
export function passingBody(
  body: JsonObject,
  passes: PassesField,
): { readonly body: JsonObject; readonly dropped: readonly string[] } {
  const dropped = Object.keys(body).filter((name) => !passes(name));
  if (dropped.length === 0) return { body, dropped };
  return { body: Object.fromEntries(Object.entries(body).filter(([name]) => passes(name))), dropped };
}
