// Which fields of a caller's body go on to a provider that is sent the body as it came. A provider's URL may lead to a router or
// another gateway, where fields beside the format select the model, the host and the key: what no allow-list,
// limit or price knows of. So custom providers get known fields only, and those that their operator lets pass.
import type { JsonObject } from '../../../common/json.ts';
import { chatFields, gatewayFields } from '../../conversation/fields.ts';

/** Whether a field of this name goes on. */
export type PassesField = (name: string) => boolean;

/** The callers' format, type `ChatCompletionCreateParams` of the package openai. */
export const formatFields: ReadonlySet<string> = new Set([...gatewayFields, ...chatFields]);

/**
 * How a model draws its words, what form they have and how much it thinks, as vendors of open models and their servers take it beside the
 * format (vLLM, SGLang, llama.cpp, TGI, and the APIs of DeepSeek, Groq, Mistral, Qwen, xAI). None of them names a model, an adapter, a host, a key,
 * a file, a template or code, or makes a response cost what no budget has held.
 */
export const samplingFields: ReadonlySet<string> = new Set([
  ...[
    'top_k',
    'top_a',
    'min_p',
    'typical_p',
    'tfs_z',
    'temperature_last',
    'random_seed',
    'repetition_penalty',
  ],
  ...['repeat_penalty', 'repeat_last_n', 'length_penalty', 'no_repeat_ngram_size', 'min_tokens'],
  ...['stop_token_ids', 'ignore_eos', 'bad_words', 'allowed_token_ids'],
  ...['skip_special_tokens', 'spaces_between_special_tokens', 'include_stop_str_in_output', 'no_stop_trim'],
  ...['add_generation_prompt', 'continue_final_message', 'return_token_ids'],
  ...['return_tokens_as_token_ids', 'mirostat', 'mirostat_tau', 'mirostat_eta', 'mirostat_mode'],
  ...['dry_multiplier', 'dry_base', 'dry_allowed_length', 'dry_sequence_breakers', 'dry_penalty_last_n'],
  ...[
    'xtc_probability',
    'xtc_threshold',
    'dynatemp_range',
    'dynatemp_exponent',
    'cache_prompt',
    'safe_prompt',
  ],
  ...[
    'guided_json',
    'guided_regex',
    'guided_choice',
    'guided_grammar',
    'structured_outputs',
    'regex',
    'ebnf',
  ],
  ...['grammar', 'json_schema', 'thinking', 'enable_thinking', 'thinking_budget', 'reasoning'],
  ...['include_reasoning', 'separate_reasoning', 'reasoning_format', 'reasoning_split', 'reasoning_budget'],
  'prompt_mode',
]);

/** What routers and gateways read as the choice of a model, a host, a key or a route. The vendors know none of them. */
export const routingFields: ReadonlySet<string> = new Set([
  ...['models', 'route', 'fallbacks', 'context_window_fallback_dict', 'content_policy_fallbacks', 'provider'],
  ...[
    'api_base',
    'base_url',
    'api_key',
    'api_version',
    'organization',
    'extra_headers',
    'extra_body',
    'extra_query',
  ],
  ...[
    'headers',
    'model_list',
    'model_group',
    'deployment_id',
    'azure_endpoint',
    'custom_llm_provider',
    'user_config',
  ],
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

/** To the vendors themselves: what they come up with next too. */
export const passesToVendor: PassesField = (name) => !routingFields.has(name);

/** Lets every field pass. */
export const everyField = '*';

/** @param listed by the provider's operator */
export function passesToCustom(listed: readonly string[]): PassesField {
  if (listed.includes(everyField)) return () => true;
  const passed = new Set(listed);
  return (name) => formatFields.has(name) || samplingFields.has(name) || passed.has(name);
}

/** The very body where all of it goes on. */
export function passingBody(
  body: JsonObject,
  passes: PassesField,
): { readonly body: JsonObject; readonly dropped: readonly string[] } {
  const dropped = Object.keys(body).filter((name) => !passes(name));
  if (dropped.length === 0) return { body, dropped };
  return { body: Object.fromEntries(Object.entries(body).filter(([name]) => passes(name))), dropped };
}
