// Which fields of a body are sent: to custom providers known fields and those that their operator lists, to vendors all
// except those by which routers choose a model, a host or a key.
import type { ChatCompletionCreateParamsBase } from 'openai/resources/chat/completions/completions';
import { describe, expect, it } from 'vitest';
import { passedFields } from '../../../../control-plane/domain/custom-provider.ts';
import type { CustomProvider } from '../../../../proxy/access/principal.ts';
import {
  formatFields,
  passesToCustom,
  routingFields,
  samplingFields,
} from '../../../../proxy/formats/chat-completions/passed-fields.ts';
import { customProvider } from '../../../../proxy/providers/custom.ts';
import { providersByName } from '../../../../proxy/providers/index.ts';
import { buildRequest } from '../../../../proxy/providers/provider.ts';
import { callOf } from '../../../support/vendor-calls.ts';

/** Every field of the package openai; the compiler checks that the list is complete. */
const sdkFields: Record<keyof ChatCompletionCreateParamsBase, true> = {
  ...{
    messages: true,
    model: true,
    audio: true,
    frequency_penalty: true,
    function_call: true,
    functions: true,
  },
  ...{ logit_bias: true, logprobs: true, max_completion_tokens: true, max_tokens: true, metadata: true },
  ...{ modalities: true, moderation: true, n: true, parallel_tool_calls: true, prediction: true },
  ...{
    presence_penalty: true,
    prompt_cache_key: true,
    prompt_cache_options: true,
    prompt_cache_retention: true,
  },
  ...{
    reasoning_effort: true,
    response_format: true,
    safety_identifier: true,
    seed: true,
    service_tier: true,
  },
  ...{
    stop: true,
    store: true,
    stream: true,
    stream_options: true,
    temperature: true,
    tool_choice: true,
    tools: true,
  },
  ...{ top_logprobs: true, top_p: true, user: true, verbosity: true, web_search_options: true },
};

/** Fields that routers and gateways read: those of the reviewers' request, and similar ones. */
const routing = {
  ...{ models: ['gpt-4o'], route: 'fallback', fallbacks: ['a'], provider: { order: ['x'] } },
  ...{ api_base: 'http://10.0.0.1', base_url: 'http://10.0.0.1', api_key: 'k', extra_headers: { a: 'b' } },
  ...{
    headers: {},
    extra_body: {},
    model_list: [],
    custom_llm_provider: 'x',
    user_config: {},
    mock_response: 'x',
  },
};
const unknownFields = {
  lora_path: '/x',
  bootstrap_host: 'h',
  logits_processors: ['os.system'],
  chat_template: '{{x}}',
};
const known = { temperature: 0.5, top_k: 4, min_p: 0.1, guided_json: {}, enable_thinking: false };
const messages = [{ role: 'user', content: 'Hello' }];

async function sent(wireFormat: 'gpt-provider' | 'studio-ai', fields: object, listed?: readonly string[] | 'shipped') {
  const call = callOf(wireFormat, 'gpt-4o-mini', { messages, ...fields });
  const base = providersByName.get(wireFormat);
  if (base === undefined) throw new Error('there is no such provider');
  const configured: CustomProvider = {
    ...{
      id: 'p',
      name: 'router',
      wireFormat,
      baseUrl: 'https://router.example',
      keyForm: 'wire_format',
      models: [],
    },
    ...(Array.isArray(listed) && { passedFields: listed }),
  };
  const provider = listed === 'shipped' ? base : customProvider(base, configured);
  const { body, dropped = [] } = await buildRequest({
    ...call,
    target: { ...call.target, provider },
  });
  return { fields: Object.keys(JSON.parse(String(body))), dropped: [...dropped].sort() };
}

describe('the tables of request fields', () => {
  it('contain every field of the format, and no field twice', () => {
    expect([...formatFields].sort()).toEqual(Object.keys(sdkFields).sort());
    for (const name of routingFields)
      expect([formatFields.has(name), samplingFields.has(name)]).toEqual([false, false]);
    for (const name of samplingFields) expect(formatFields.has(name)).toBe(false);
  });
});

describe.each(['gpt-provider', 'studio-ai'] as const)(
  'fields sent to a custom provider in the format of %s',
  (wireFormat) => {
    it('contain no unknown field and none that chooses a model, a host or a key', async () => {
      const { fields, dropped } = await sent(wireFormat, { ...known, ...routing, ...unknownFields });
      const off = Object.keys({ ...routing, ...unknownFields });
      expect(off.filter((name) => fields.includes(name))).toEqual([]);
      expect(off.filter((name) => !dropped.includes(name))).toEqual([]);
      expect(Object.keys(known).filter((name) => !fields.includes(name))).toEqual([]);
    });

    it('contain the fields that the operator lists, and no further ones', async () => {
      const { fields, dropped } = await sent(wireFormat, { ...routing, ...unknownFields }, ['models', 'chat_template']);
      expect(fields).toEqual(expect.arrayContaining(['models', 'chat_template']));
      expect(dropped).toEqual(
        Object.keys({ ...routing, ...unknownFields })
          .filter((name) => !['models', 'chat_template'].includes(name))
          .sort(),
      );
    });

    it('are all fields when the operator lists *', async () => {
      const { fields, dropped } = await sent(wireFormat, { ...routing, ...unknownFields }, ['*']);
      expect(fields).toEqual(expect.arrayContaining(Object.keys({ ...routing, ...unknownFields })));
      expect(dropped).toEqual([]);
    });
  },
);

describe('fields sent to a vendor', () => {
  it('contain unknown fields, but none that routers read', async () => {
    const { fields, dropped } = await sent('gpt-provider', { ...unknownFields, ...routing }, 'shipped');
    expect(fields).toEqual(expect.arrayContaining(Object.keys(unknownFields)));
    expect(dropped).toEqual(Object.keys(routing).sort());
  });
});

describe('the operator’s list of passed fields', () => {
  it('contains field names, each once', () => {
    expect(passedFields({ fields: ['models', 'a.b-c_1', '*', 'models'] })).toEqual({
      value: ['models', 'a.b-c_1', '*'],
    });
    expect(passedFields({ fields: [] })).toEqual({ value: [] });
  });

  it.each(['', ' ', 'a b', '1a', 'a*', '**', `a${'b'.repeat(64)}`, 'ä', 'a\n', 'sk-svc-'])(
    'refuses the name %j',
    (name) => {
      expect(passedFields({ fields: ['models', name] })).toMatchObject({ problems: [{ at: '.fields[1]' }] });
    },
  );

  it('has a maximum length', () => {
    const fields = Array.from({ length: 65 }, (_, index) => `f${index}`);
    expect(passedFields({ fields })).toMatchObject({ problems: [{ at: '.fields' }] });
    expect(passedFields({ fields: fields.slice(1) })).toHaveProperty('value');
  });

  it('decides whether a field passes', () => {
    const passes = passesToCustom(['route']);
    expect(['route', 'models', 'tools', 'top_k', '__proto__', 'constructor'].map(passes)).toEqual([
      ...[true, false, true, true, false, false],
    ]);
  });
});
