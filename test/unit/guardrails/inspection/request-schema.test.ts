// Every location of text in a request, each with a planted phrase: it is found, replaced, or exempt for a stated
// reason.
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../../common/exact-number.ts';
import type { JsonObject } from '../../../../common/json.ts';
import { inspected, phrasesGuardrail } from '../../../support/guarded-requests.ts';

const planted = 'PLANTED';
const put = '[WORD_1]';
const text = `say ${planted} now`;

const message = (fields: JsonObject, role = 'user') => ({ messages: [{ role, ...fields }] });
const part = (fields: JsonObject) => message({ content: [{ type: 'text', text: 'hello' }, fields] });
const call = (called: JsonObject) => message({ tool_calls: [{ id: 'call_1', ...called }] }, 'assistant');
const tool = (fields: JsonObject) => ({ tools: [{ type: 'function', function: { name: 'f', ...fields } }] });
const schema = (fields: JsonObject) => tool({ parameters: { type: 'object', ...fields } });
const format = (fields: JsonObject) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'n', ...fields } },
});

const texts: Readonly<Record<string, JsonObject>> = {
  'the content of a user': message({ content: text }),
  'the content of the system': message({ content: text }, 'system'),
  'the content of a developer': message({ content: text }, 'developer'),
  'the content of the assistant': message({ content: text }, 'assistant'),
  'the result of a tool': message({ content: text, tool_call_id: 'c' }, 'tool'),
  'the result of a function': message({ content: text, name: 'f' }, 'function'),
  'a text part': part({ type: 'text', text: text }),
  'a refusal part': part({ type: 'refusal', refusal: text }),
  'a part of an unknown type': part({ type: 'poem', verses: [{ line: text }] }),
  'the name of a file': part({ type: 'file', file: { file_id: 'file_1', filename: text } }),
  'text where a file’s data belongs': part({ type: 'file', file: { file_data: text } }),
  'a data URL that is not base64': part({ type: 'file', file: { file_data: `data:text/plain,${text}` } }),
  'text where an image’s URL belongs': part({ type: 'image_url', image_url: { url: text } }),
  'text instead of an image': part({ type: 'image_url', image_url: text }),
  'text where sound belongs': part({ type: 'input_audio', input_audio: { data: text, format: 'mp3' } }),
  'text after an image’s URL': part({
    type: 'image_url',
    image_url: { url: `https://example.com/a.png ${text}` },
  }),
  'a refusal sent back': message({ refusal: text }, 'assistant'),
  'reasoning sent back': message({ reasoning_content: text }, 'assistant'),
  'reasoning under its other name': message({ reasoning: text }, 'assistant'),
  'details of reasoning': message({ reasoning_details: [{ type: 'reasoning.summary', summary: text }] }, 'assistant'),
  'a thinking block': message(
    { thinking_blocks: [{ type: 'thinking', thinking: text, signature: 'c2ln' }] },
    'assistant',
  ),
  'an annotation': message(
    { annotations: [{ type: 'url_citation', url_citation: { title: text, url: 'https://a' } }] },
    'assistant',
  ),
  'an unknown field of a message': message({ mood: text }),
  'text where a role of a cache belongs': message({ content: [{ type: text, text: 'x' }] }),
  'arguments of a call': call({ type: 'function', function: { name: 'f', arguments: `{"a":"${text}"}` } }),
  'a name in arguments': call({ type: 'function', function: { name: 'f', arguments: `{"${text}":1}` } }),
  'arguments that are not JSON': call({
    type: 'function',
    function: { name: 'f', arguments: `{"a": ${text}` },
  }),
  'the first of two equal names in arguments': call({
    type: 'function',
    function: { name: 'f', arguments: `{"a":"${text}","a":"x"}` },
  }),
  'arguments of a deprecated call': message(
    { function_call: { name: 'f', arguments: `{"a":"${text}"}` } },
    'assistant',
  ),
  'the input of a custom call': call({ type: 'custom', custom: { name: 'f', input: text } }),
  'the description of a tool': tool({ description: text }),
  'the description of a custom tool': {
    tools: [{ type: 'custom', custom: { name: 'f', description: text } }],
  },
  'the grammar of a custom tool': {
    tools: [
      {
        type: 'custom',
        custom: {
          name: 'f',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: text } },
        },
      },
    ],
  },
  'a tool of an unknown type': { tools: [{ type: 'search', hints: { about: text } }] },
  'the description of a function': { functions: [{ name: 'f', description: text }] },
  'the description of a property': schema({ properties: { a: { type: 'string', description: text } } }),
  'a value to choose': schema({ properties: { a: { enum: ['x', text] } } }),
  'a constant': schema({ properties: { a: { const: text } } }),
  'a default': schema({ properties: { a: { default: { inner: [text] } } } }),
  'an example': schema({ examples: [{ type: text }] }),
  'a definition': schema({ $defs: { a: { description: text } } }),
  'a schema in a schema': schema({ anyOf: [{ items: { not: { title: text } } }] }),
  'a comment in a schema': schema({ $comment: text }),
  'a schema’s unknown word': schema({ 'x-hint': text }),
  'the description of a format': format({ description: text }),
  'the schema of a format': format({ schema: { properties: { a: { description: text } } } }),
  'a grammar as a format': { response_format: { type: 'grammar', grammar: text } },
  'a prediction': { prediction: { type: 'content', content: text } },
  'a part of a prediction': { prediction: { type: 'content', content: [{ type: 'text', text: text }] } },
  'the location of a search': {
    web_search_options: { user_location: { type: 'approximate', approximate: { city: text } } },
  },
  'an unknown field': { prompt_prefix: text },
  'a field deep in an unknown field': { extra: [{ deep: { deeper: [[text]] } }] },
  'text where a word belongs': { reasoning_effort: text },
  'text where a number belongs': { seed: text },
};

const fixed: Readonly<Record<string, JsonObject>> = {
  'the name of a participant': message({ content: 'x', name: planted }),
  'the name of a called tool': call({ type: 'function', function: { name: planted, arguments: '{}' } }),
  'the name of a function': message({ function_call: { name: planted, arguments: '{}' } }, 'assistant'),
  'the name of a custom call': call({ type: 'custom', custom: { name: planted, input: '' } }),
  'the name of a tool': tool({ name: planted }),
  'the name of a deprecated function': { functions: [{ name: planted }] },
  'the chosen tool': { tool_choice: { type: 'function', function: { name: planted } } },
  'an allowed tool': {
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: planted } }] },
    },
  },
  'the chosen function': { function_call: { name: planted } },
  'the name of a property': schema({ properties: { [planted]: { type: 'string' } } }),
  'the name of a required property': schema({ required: [planted] }),
  'the name of a definition': schema({ $defs: { [planted]: {} } }),
  'a pattern': schema({ properties: { a: { pattern: `^${planted}$` } } }),
  'a reference': schema({ properties: { a: { $ref: `#/$defs/${planted}` } } }),
  'the name of a format': format({ name: planted }),
  'a stop sequence in a list': { stop: [planted] },
  'a single stop sequence': { stop: planted },
  'the name of an unknown field': { [planted]: 1 },
  'a name deep in an unknown field': { extra: [{ [planted]: [] }] },
};

const exempt: Readonly<Record<string, JsonObject>> = {
  'the caller’s user': { user: planted },
  'the safety identifier': { safety_identifier: planted },
  'the key of a cache': { prompt_cache_key: planted },
  metadata: { metadata: { note: planted } },
  'the bias of tokens': { logit_bias: { [planted]: 1 } },
  'a type': part({ type: planted }),
  'the id of a call': call({ id: planted, type: 'function', function: { name: 'f', arguments: '{}' } }),
  'the call id of a result': message({ content: 'x', tool_call_id: planted }, 'tool'),
  'the id of a file': part({ type: 'file', file: { file_id: planted } }),
  'the id of an audio response': message({ audio: { id: planted } }, 'assistant'),
  'a URL of an image': part({ type: 'image_url', image_url: { url: `https://example.com/${planted}.png` } }),
  'a data URL': part({ type: 'image_url', image_url: { url: `data:image/png;base64,${planted}` } }),
  'sound in base64': part({ type: 'input_audio', input_audio: { data: planted, format: 'wav' } }),
  'a signature': message({ thinking_blocks: [{ type: 'thinking', signature: planted }] }, 'assistant'),
  'encrypted reasoning': message({ thinking_blocks: [{ type: 'redacted_thinking', data: planted }] }, 'assistant'),
  'where a prompt is cached': part({ type: 'text', text: 'x', cache_control: { type: planted } }),
};

const guard = (action: 'block' | 'redact' | 'observe') => phrasesGuardrail([planted], { action });

describe.each(Object.entries(texts))('%s', (_what, body) => {
  it('is inspected: a match there blocks the request', async () => {
    await expect(inspected(guard('block'), body)).rejects.toMatchObject({ code: 'guardrail_blocked' });
  });

  it('is rewritten, and nothing else is', async () => {
    const before = JSON.stringify(body);
    const after = JSON.stringify(await inspected(guard('redact'), body));
    expect(after).toContain(put);
    expect(after).toContain(before.slice(1, -1).replaceAll(planted, put));
  });

  it('stays unchanged when it is only observed', async () => {
    expect(await inspected(guard('observe'), body)).toMatchObject(body);
  });
});

describe.each(Object.entries(fixed))('%s', (_what, body) => {
  it.each(['block', 'redact'] as const)('is inspected: a match there blocks the request under %s', async (action) => {
    await expect(inspected(guard(action), body)).rejects.toMatchObject({ code: 'guardrail_blocked' });
  });

  it('stays unchanged when it is only observed', async () => {
    expect(await inspected(guard('observe'), body)).toMatchObject(body);
  });
});

describe.each(Object.entries(exempt))('%s', (_what, body) => {
  it.each(['block', 'redact'] as const)('is not inspected under %s', async (action) => {
    expect(await inspected(guard(action), body)).toMatchObject(body);
  });
});

describe('a text file in a request', () => {
  const base64 = Buffer.from(text).toString('base64');
  const asFile = (data: string) => part({ type: 'file', file: { file_data: data } });
  const asImage = (url: string) => part({ type: 'image_url', image_url: { url } });

  it.each([
    'data:text/plain;base64,',
    'data:text/plain/x;base64,',
    'data:text/;base64,',
    'DATA:Text/CSV;charset=utf-8;BASE64,',
    `data:text/plain;${'a=b;'.repeat(100)}base64,`,
    'data:application/x-sh;base64,',
    'data:application/octet-stream;base64,',
    'data:image/svg+xml;base64,',
    'data:;base64,',
  ])('is decoded and rewritten, whatever its media type: %s', async (head) => {
    for (const body of [asFile(head + base64), asImage(head + base64)]) {
      await expect(inspected(guard('block'), body)).rejects.toMatchObject({ code: 'guardrail_blocked' });
      const after = JSON.stringify(await inspected(guard('redact'), body));
      expect(after).toContain(head + Buffer.from(text.replace(planted, put)).toString('base64'));
      expect(await inspected(guard('observe'), body)).toMatchObject(body);
    }
  });

  it.each(['data:image/png;base64,', 'data:application/pdf;base64,', 'data:video/mp4;base64,'])(
    'is not inspected when its media type is not read as text by models: %s',
    async (head) => {
      expect(await inspected(guard('block'), asFile(head + base64))).toMatchObject(asFile(head + base64));
    },
  );
});

describe('numbers of a request', () => {
  const card = phrasesGuardrail(['4111111111111111'], { action: 'redact' });

  it('in arguments are replaced by the placeholder, and all others keep their digits', async () => {
    const args = '{"card": 4111111111111111, "big": 123456789012345678901, "rate": 1.50}';
    const body = call({ type: 'function', function: { name: 'f', arguments: args } });
    expect(JSON.stringify(await inspected(card, body))).toContain(
      JSON.stringify('{"card": "[WORD_1]", "big": 123456789012345678901, "rate": 1.50}').slice(1, -1),
    );
  });

  it('elsewhere block the request, because a placeholder is no number', async () => {
    await expect(inspected(card, schema({ default: 4111111111111111 }))).rejects.toMatchObject({
      code: 'guardrail_blocked',
    });
  });

  it.each(['4111111111111111.0', '4.111111111111111e15', '4111111111111111000e-3', '4111111111111111.05'])(
    'are found in any spelling: %s',
    async (written) => {
      const found = schema({ default: new ExactNumber(written) });
      await expect(inspected(card, found)).rejects.toMatchObject({ code: 'guardrail_blocked' });
      const args = call({
        type: 'function',
        function: { name: 'f', arguments: `{"card":${written},"n":1.0}` },
      });
      const { messages } = await inspected(card, args);
      expect(JSON.stringify(messages)).not.toMatch(/4.?111111111111111/);
      expect(JSON.stringify(messages)).toContain('\\"n\\":1.0');
    },
  );

  it('too large for a double are found by all their digits', async () => {
    const long = phrasesGuardrail(['1234567890123456789'], { action: 'redact' });
    for (const written of ['1234567890123456789', '1.234567890123456789E+18', '1234567890123456789.50'])
      await expect(inspected(long, schema({ const: new ExactNumber(written) }))).rejects.toMatchObject({
        code: 'guardrail_blocked',
      });
    const near = schema({ const: new ExactNumber('1234567890123456788') });
    expect(JSON.stringify(await inspected(long, near))).toContain('1234567890123456788');
  });

  it('with which callers control the model are not inspected', async () => {
    const body = { seed: 4111111111111111, max_completion_tokens: 1000 };
    expect(await inspected(card, body)).toMatchObject(body);
  });
});
