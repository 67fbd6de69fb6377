// Chat requests with random numbers at every location where a caller may write one, and which of these a vendor has a
// field for.
import type { VendorName } from '../../simulator/vendors.ts';
import type { Random } from '../support/access/random.ts';
import { randomFraction, randomNumber, randomWhole } from '../support/json-numbers.ts';
import { type Expected, Planted } from '../support/planted-numbers.ts';

export interface Route {
  readonly vendor: VendorName;
  readonly model: string;
  /** The rest of the path after the vendor's base URL. */
  readonly dialect: string;
  /** Keywords with numbers that a tool's schema may use at this vendor. */
  readonly bounds: readonly ('minimum' | 'maximum' | 'multipleOf' | 'default' | 'const' | 'enum')[];
  /** Options for which the vendor has a field. */
  readonly options: readonly (keyof typeof optionForms)[];
  /** Accepts unknown fields. */
  readonly takesAny: boolean;
  /** Requires the arguments of calls as text. */
  readonly argumentsAsText: boolean;
}

const all = ['minimum', 'maximum', 'multipleOf', 'default', 'const', 'enum'] as const;
const usual = ['temperature', 'max_tokens'] as const;
const further = [...usual, 'seed', 'presence_penalty', 'frequency_penalty'] as const;

export const routes: readonly Route[] = [
  gpt('gpt-provider', 'gpt-4o-mini', ''),
  gpt('studio-ai', 'gpt-4o-mini', '/openai/v1'),
  // This model needs plain turns, so the history is rewritten.
  { ...gpt('studio-ai', 'Mistral-large-2407', '/openai/v1') },
  gpt('studio-ai', 'gpt-4o-mini', '/models'),
  gpt('studio-ai', 'Llama-3.3-70B-Instruct', '/models'),
  translated('assistant-provider', 'claude-sonnet-4-5', all, usual),
  translated('managed-cloud-models', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0', all, usual),
  translated('managed-cloud-models', 'eu.amazon.nova-pro-v1:0', all, usual),
  translated('managed-cloud-models', 'mistral.mistral-large-2407-v1:0', all, usual),
  translated('search-provider', 'gemini-2.5-flash', ['minimum', 'maximum', 'enum'], [...usual, 'seed', 'top_k']),
  translated('search-provider', 'gemini-1.5-pro', ['minimum', 'maximum'], [...usual, 'seed', 'top_k']),
];

function gpt(vendor: VendorName, model: string, dialect: string): Route {
  return { vendor, model, dialect, bounds: all, options: further, takesAny: true, argumentsAsText: true };
}

function translated(vendor: VendorName, model: string, bounds: Route['bounds'], options: Route['options']): Route {
  return { vendor, model, dialect: '', bounds, options, takesAny: false, argumentsAsText: false };
}

interface OptionForm {
  readonly make: (random: Random) => string;
  /** The location of the option in the request of a vendor. */
  readonly path: RegExp;
}

const optionForms = {
  temperature: { make: randomFraction, path: /\/temperature$/ },
  max_tokens: {
    make: (random) => randomWhole(random, 1, 4000),
    path: /\/(max_tokens|max_completion_tokens|maxTokens|maxOutputTokens)$/,
  },
  seed: { make: (random) => randomWhole(random, -2_000_000_000, 2_000_000_000), path: /\/seed$/ },
  presence_penalty: { make: randomFraction, path: /\/(presence_penalty|presencePenalty)$/ },
  frequency_penalty: { make: randomFraction, path: /\/(frequency_penalty|frequencyPenalty)$/ },
  top_k: { make: (random) => randomWhole(random, 1, 40), path: /\/topK$/ },
} as const satisfies Record<string, OptionForm>;

/** The phrase that guardrails match. */
export const word = 'geheimnis';

export interface NumberRequest {
  readonly text: string;
  readonly planted: Planted;
  readonly expected: readonly Expected[];
  /** Texts of arguments in the history. */
  readonly arguments: readonly string[];
  /** The text of a tool result. */
  readonly result: string;
}

export function numberRequest(random: Random, route: Route, stream: boolean): NumberRequest {
  const planted = new Planted(random);
  const options = Object.fromEntries(
    route.options.filter(() => random.chance(0.6)).map((name) => [name, optionForms[name].make(random)]),
  );
  const schema = schemaWith(random, route, planted);
  const texts = Array.from({ length: 1 + random.below(3) }, () => argumentsText(random));
  const result = argumentsText(random);
  const calls = texts.map((text, index) => ({
    ...{ id: `call_${index}`, type: 'function', function: { name: 'look_up', arguments: text } },
  }));
  const body = {
    model: route.model,
    messages: [
      { role: 'user', content: `What is ${word}?` },
      { role: 'assistant', content: null, tool_calls: calls },
      ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: result })),
      { role: 'user', content: 'And?' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'look_up', description: `Looks up ${word}.`, parameters: schema.written },
      },
    ],
    ...Object.fromEntries(Object.entries(options).map(([name, source]) => [name, planted.number(source)])),
    ...(route.takesAny && { x_fields: { ...planted.fields(3), deep: [planted.fields(2)] } }),
    ...(stream && { stream, stream_options: { include_usage: true } }),
  };
  const optioned = Object.entries(options).map(([name, source]) => ({
    ...{ path: optionForms[name as keyof typeof optionForms].path, source },
  }));
  return {
    text: planted.write(body, random.below(3)),
    planted,
    expected: [...schema.expected, ...optioned],
    arguments: texts,
    result,
  };
}

function schemaWith(random: Random, { bounds }: Route, planted: Planted) {
  const expected: Expected[] = [];
  const properties: Record<string, unknown> = {};
  for (let left = 1 + random.below(4); left > 0; left--) {
    const name = `bounded_${left}`;
    const property: Record<string, unknown> = { type: 'number', description: `One ${word}.` };
    for (const bound of bounds.filter(() => random.chance(0.5))) {
      const source = randomNumber(random);
      property[bound] = bound === 'enum' ? [planted.number(source)] : planted.number(source);
      expected.push({ path: new RegExp(`/${name}/${bound}(/0)?$`), source });
    }
    properties[name] = property;
  }
  return { written: { type: 'object', properties }, expected };
}

/**
 * Returns arguments of a call with white space, and a word that is redacted.
 * @param repeats whether a name may be repeated
 */
export function argumentsText(random: Random, repeats = true): string {
  const space = () => random.pick(['', '', ' ', '\n  ']);
  const members = Array.from({ length: 1 + random.below(4) }, (_, at) => {
    const value = random.chance(0.7)
      ? randomNumber(random)
      : random.pick([`[${randomNumber(random)},${space()}${randomNumber(random)}]`, `"${word} 1.0"`, 'null']);
    return `${space()}"a${repeats && random.chance(0.2) ? 0 : at}"${space()}:${space()}${value}`;
  });
  return `{${members.join(',')}${space()}}`;
}
