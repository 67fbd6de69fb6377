// Requests that differ in a field other than the messages.
import { boil, group, look, spoken, user } from './request-parts.ts';
import type { CorpusRequest, Json } from './requests.ts';

const tools = [boil, look];
const named = { type: 'function', function: { name: 'boil' } };

const rows: Readonly<Record<string, Json>> = {
  'no limit': { max_tokens: undefined },
  max_completion_tokens: { max_tokens: undefined, max_completion_tokens: 200 },
  'temperature 0': { temperature: 0 },
  'temperature 0.7': { temperature: 0.7 },
  'temperature 1.7': { temperature: 1.7 },
  top_p: { top_p: 0.9 },
  'temperature and top_p': { temperature: 0.5, top_p: 0.9 },
  'one stop text': { stop: 'END' },
  'stop texts': { stop: ['END', 'FIN'] },
  'a blank stop text': { stop: ['\n'] },
  seed: { seed: 7 },
  penalties: { frequency_penalty: 0.5, presence_penalty: 0.5 },
  logit_bias: { logit_bias: { '1': 5 } },
  user: { user: 'u-1' },
  metadata: { metadata: { team: 'a' } },
  'n of 1': { n: 1 },
  'n of 2': { n: 2 },
  logprobs: { logprobs: true, top_logprobs: 2 },
  'a JSON object': { response_format: { type: 'json_object' } },
  'format text': { response_format: { type: 'text' } },
  'tools that may be called': { tools, tool_choice: 'auto' },
  'tools that may not be called': { tools, tool_choice: 'none' },
  'tools of which one must be called': { tools, tool_choice: 'required' },
  'a tool by name': { tools, tool_choice: named },
  'allowed tools': {
    tools,
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named] } },
  },
  'one call at a time': { tools, parallel_tool_calls: false },
  'an empty list of tools': { tools: [] },
  'effort minimal': { reasoning_effort: 'minimal', max_tokens: 8000 },
  'effort low': { reasoning_effort: 'low', max_tokens: 8000 },
  'effort medium': { reasoning_effort: 'medium', max_tokens: 8000 },
  'effort high': { reasoning_effort: 'high', max_tokens: 16_000 },
  'effort none': { reasoning_effort: 'none', max_tokens: 8000 },
  'thinking with a budget': { thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 8000 },
  service_tier: { service_tier: 'auto' },
  store: { store: false },
  top_k: { top_k: 20 },
  verbosity: { verbosity: 'low' },
  prompt_cache_key: { prompt_cache_key: 'k' },
  'web search': { web_search_options: {} },
  'sound in the response': { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
};

export const optionRequests: readonly CorpusRequest[] = group(
  'option',
  Object.fromEntries(
    Object.entries(rows).map(([name, fields]) => [name, { ...spoken(user('Is tea hot?')), ...fields }]),
  ),
);
