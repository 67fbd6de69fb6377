// Random behaviours of a model for cases that the simulator does not choose: texts, thoughts, calls, finish reasons,
// sources and counts in each vendor's own terms, known and unknown.
import type { JsonObject } from '../../common/json.ts';
import type { Behaviour } from '../../simulator/behaviour.ts';
import type { VendorName } from '../../simulator/vendors.ts';
import type { Random } from '../support/access/random.ts';

export function randomBehaviour(
  random: Random,
  vendor: VendorName,
  { tools, tool_choice: choice, n }: JsonObject,
): Behaviour | undefined {
  const names = Array.isArray(tools) && choice !== 'none' ? tools.map((tool) => tool.function.name) : [];
  // Calls in several choices are left out, because the common stream cannot distinguish them.
  const calls = names.length === 0 || n === 2 ? {} : { toolCalls: callsOf(random, names) };
  const text = random.pick(texts);
  const reasoning = random.pick([{}, {}, { reasoning: 'Hm … 🤔' }, { reasoning: 'Hm.', reasoningRedacted: true }]);
  const makers: (() => Behaviour | undefined)[] = [
    () => undefined,
    () => undefined,
    () => reasoning,
    () => ({ ...reasoning, text }),
    () => ({ tokens: random.below(60) }),
    () => ({ ...reasoning, ...calls }),
    () => ({ ...reasoning, text, ...calls }),
    () => ({ text, finishReason: random.pick(ends[vendor]) }),
    () => ({ text, usage: random.pick(counts[vendor]) }),
    () => ({ text: 'Tea 🫖 is ready.', citations: sources }),
  ];
  return random.pick(makers)();
}

const texts = [
  'Tea 🫖 is ready.',
  ' ',
  'a\n\nb',
  '{"cups":2}',
  '```json\n{"a":1}\n```',
  'data: [DONE]\n\n',
  'x'.repeat(500),
];

function callsOf(random: Random, names: readonly string[]): NonNullable<Behaviour['toolCalls']> {
  return Array.from({ length: 1 + random.below(3) }, () => ({
    name: random.pick(names),
    arguments: random.pick(['{}', '{"cups":2,"ü":["🫖",null,1.5]}']),
  }));
}

const sources = [
  { uri: 'https://example.com/tea', title: 'Tea', text: 'is ready' },
  { uri: 'https://example.com/cups' },
];

const gptEnds = ['stop', 'length', 'content_filter'];
const ends: Readonly<Record<VendorName, readonly string[]>> = {
  'gpt-provider': gptEnds,
  'studio-ai': gptEnds,
  'assistant-provider': ['max_tokens', 'refusal', 'pause_turn', 'model_context_window_exceeded', 'unknown_reason'],
  'managed-cloud-models': [
    ...['max_tokens', 'content_filtered', 'guardrail_intervened', 'malformed_model_output', 'unknown_reason'],
    'model_context_window_exceeded',
  ],
  'search-provider': ['MAX_TOKENS', 'SAFETY', 'RECITATION', 'OTHER', 'MALFORMED_FUNCTION_CALL', 'UNKNOWN_REASON'],
};

const gptCounts = [{ prompt_tokens_details: { cached_tokens: 1 } }];
const counts: Readonly<Record<VendorName, readonly (JsonObject | null)[]>> = {
  'gpt-provider': gptCounts,
  'studio-ai': gptCounts,
  'assistant-provider': [
    { cache_read_input_tokens: 400, cache_creation_input_tokens: 100 },
    { cache_read_input_tokens: null, cache_creation_input_tokens: null },
  ],
  'managed-cloud-models': [
    {
      inputTokens: 20,
      outputTokens: 5,
      cacheReadInputTokens: 400,
      cacheWriteInputTokens: 100,
      totalTokens: 525,
    },
    null,
  ],
  'search-provider': [
    { promptTokenCount: 520, cachedContentTokenCount: 400, candidatesTokenCount: 3, totalTokenCount: 523 },
    null,
  ],
};
