// Numbers of a request that a translator reads and sends keep their written form unless their value changes.
import { describe, expect, it } from 'vitest';
import { buildRequest } from '../../../../proxy/providers/provider.ts';
import type { VendorName } from '../../../../simulator/vendors.ts';
import { numbersOf } from '../../../support/json-numbers.ts';
import { callOf } from '../../../support/vendor-calls.ts';

const models = {
  assistant: ['assistant-provider', 'claude-sonnet-4-5'],
  thinking: ['assistant-provider', 'claude-opus-4-1'],
  cloud: ['managed-cloud-models', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  search: ['search-provider', 'gemini-2.5-flash'],
  older: ['search-provider', 'gemini-2.0-flash'],
  studio: ['studio-ai', 'Mistral-large-2407'],
} as const satisfies Record<string, readonly [VendorName, string]>;

/** @returns the numbers that the vendor gets, by the last name of their path */
async function sent(kind: keyof typeof models, fields: string): Promise<Record<string, string>> {
  const [vendor, model] = models[kind];
  const body = `{"model":"${model}","messages":[{"role":"user","content":"Hi"}],${fields}}`;
  const dialect = vendor === 'studio-ai' ? '/models' : '';
  const call = callOf(vendor, model, body, dialect);
  const built = await buildRequest(call);
  return Object.fromEntries(numbersOf(built.body).map(({ path, source }) => [path.split('/').at(-1) ?? '', source]));
}

describe('a numeric option', () => {
  it.each<[keyof typeof models, string, Record<string, string>]>([
    ['assistant', '"temperature":1.0,"max_tokens":1.00e2', { temperature: '1.0', max_tokens: '1.00e2' }],
    ['assistant', '"temperature":1.50', { temperature: '1' }],
    ['assistant', '"max_tokens":9.9e6', { max_tokens: '64000' }],
    ['assistant', '"temperature":0.30,"top_k":4e1', { temperature: '0.30', top_k: '4e1' }],
    ['thinking', '"thinking":{"type":"enabled","budget_tokens":2.048e3}', { budget_tokens: '2.048e3' }],
    [
      'thinking',
      '"max_tokens":4096.0,"thinking":{"type":"enabled","budget_tokens":4000.0}',
      { max_tokens: '4096.0', budget_tokens: '3686' },
    ],
    ['cloud', '"temperature":-0,"max_tokens":1e2', { temperature: '-0', maxTokens: '1e2' }],
    ['cloud', '"max_tokens":9.9e6', { maxTokens: '64000' }],
    ['search', '"top_k":4e1,"temperature":2.0', { topK: '4e1', temperature: '2.0' }],
    ['search', '"n":2.0', { candidateCount: '2.0' }],
    ['older', '"logprobs":true,"top_logprobs":2.0', { logprobs: '2.0' }],
    ['older', '"logprobs":true,"top_logprobs":0.0', {}],
    ['search', '"seed":-2147483648.0', { seed: '-2147483648.0' }],
    // The vendor's seeds have 32 bits: the low bits of the exact number, not of the nearest double.
    ['search', '"seed":1234567890123456789', { seed: String(BigInt.asIntN(32, 1234567890123456789n)) }],
    ['search', '"seed":1.234567890123456789e18', { seed: String(BigInt.asIntN(32, 1234567890123456789n)) }],
    ['search', '"thinking":{"type":"enabled","budget_tokens":1e3}', { thinkingBudget: '1e3' }],
    ['studio', '"seed":9223372036854775807,"temperature":1.0', { seed: '9223372036854775807', temperature: '1.0' }],
    ['studio', '"temperature":1.5e0', { temperature: '1' }],
  ])('of %s keeps its written form: %s', async (kind, fields, expected) => {
    const numbers = await sent(kind, fields);
    expect(numbers).toMatchObject(expected);
    if (Object.keys(expected).length === 0) expect(numbers).toEqual({});
  });

  it.each<[keyof typeof models, string, string]>([
    ['thinking', '"thinking":{"type":"enabled","budget_tokens":2000.5}', 'thinking.budget_tokens'],
    ['thinking', '"thinking":{"type":"enabled","budget_tokens":1e400}', 'thinking.budget_tokens'],
    ['search', '"thinking":{"type":"enabled","budget_tokens":-0}', 'thinking.budget_tokens'],
    ['search', '"seed":1.5e0', 'seed'],
    ['studio', '"temperature":1e400', 'temperature'],
  ])('of %s is refused when it is out of range: %s', async (kind, fields, param) => {
    await expect(sent(kind, fields)).rejects.toMatchObject({ code: 'invalid_request', param });
  });
});

describe('a JSON schema with numbers', () => {
  const schema =
    '{"type":"object","properties":{"n":{"type":"integer","minimum":1.0,"maximum":9223372036854775807}},"required":["n"],"additionalProperties":false}';

  it('of a strict tool repeats unsupported keywords in its description with the written numbers', async () => {
    for (const kind of ['assistant', 'cloud'] as const) {
      const [vendor, model] = models[kind];
      const tools = `"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":${schema}}}]`;
      const call = callOf(vendor, model, `{"model":"m","messages":[{"role":"user","content":"Hi"}],${tools}}`);
      const { body } = await buildRequest(call);
      expect(body).toContain('(minimum: 1.0, maximum: 9223372036854775807)');
    }
  });

  it('in the prompt keeps the written numbers', async () => {
    const [vendor, model] = models.studio;
    const format = `"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":${schema}}}`;
    const call = callOf(
      vendor,
      model,
      `{"model":"m","messages":[{"role":"user","content":"Hi"}],${format}}`,
      '/models',
    );
    const { body } = await buildRequest(call);
    expect(body).toMatch(/(\\"|")maximum(\\"|"):9223372036854775807/);
    expect(body).toMatch(/(\\"|")minimum(\\"|"):1\.0/);
  });
});
