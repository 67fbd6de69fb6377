// Every place of a request where text can stand, each with something planted: found, replaced, or exempt for a stated reason.
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../../common/exact-number.ts';
import type { JsonObject } from '../../../../common/json.ts';
import { inspected, wordsGuardrail } from '../../../support/guarded-requests.ts';

const planted = 'PLANTED';
const put = '[WORD_1]';
const said = `say ${planted} now`;

const message = (fields: JsonObject, role = 'user') => ({ messages: [{ role, ...fields }] });
const part = (fields: JsonObject) => message({ content: [{ type: 'text', text: 'hello' }, fields] });
const call = (called: JsonObject) => message({ tool_calls: [{ id: 'call_1', ...called }] }, 'assistant');
const tool = (fields: JsonObject) => ({ tools: [{ type: 'function', function: { name: 'f', ...fields } }] });
const schema = (fields: JsonObject) => tool({ parameters: { type: 'object', ...fields } });
const format = (fields: JsonObject) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'n', ...fields } },
});

const texts: Readonly<Record<string, JsonObject>> = {
  'the content of a user': message({ content: said }),
  'the content of the system': message({ content: said }, 'system'),
  'the content of a developer': message({ content: said }, 'developer'),
  'the content of the assistant': message({ content: said }, 'assistant'),
  'the result of a tool': message({ content: said, tool_call_id: 'c' }, 'tool'),
  'the result of a function': message({ content: said, name: 'f' }, 'function'),
  'a text part': part({ type: 'text', text: said }),
  'a refusal part': part({ type: 'refusal', refusal: said }),
  'a part of an unknown type': part({ type: 'poem', verses: [{ line: said }] }),
  'the name of a file': part({ type: 'file', file: { file_id: 'file_1', filename: said } }),
  'text where a file’s data belongs': part({ type: 'file', file: { file_data: said } }),
  'a data URL that is no base64': part({ type: 'file', file: { file_data: `data:text/plain,${said}` } }),
  'text where an image’s URL belongs': part({ type: 'image_url', image_url: { url: said } }),
  'text in place of an image': part({ type: 'image_url', image_url: said }),
  'text where sound belongs': part({ type: 'input_audio', input_audio: { data: said, format: 'mp3' } }),
  'text after an image’s URL': part({
    type: 'image_url',
    image_url: { url: `https://example.com/a.png ${said}` },
  }),
  'a refusal sent back': message({ refusal: said }, 'assistant'),
  'reasoning sent back': message({ reasoning_content: said }, 'assistant'),
  'reasoning under its other name': message({ reasoning: said }, 'assistant'),
  'details of reasoning': message(
    { reasoning_details: [{ type: 'reasoning.summary', summary: said }] },
    'assistant',
  ),
  'a thinking block': message(
    { thinking_blocks: [{ type: 'thinking', thinking: said, signature: 'c2ln' }] },
    'assistant',
  ),
  'an annotation': message(
    { annotations: [{ type: 'url_citation', url_citation: { title: said, url: 'https://a' } }] },
    'assistant',
  ),
  'an unknown field of a message': message({ mood: said }),
  'text where a role of a cache belongs': message({ content: [{ type: said, text: 'x' }] }),
  'arguments of a call': call({ type: 'function', function: { name: 'f', arguments: `{"a":"${said}"}` } }),
  'a name in arguments': call({ type: 'function', function: { name: 'f', arguments: `{"${said}":1}` } }),
  'arguments that are no JSON': call({
    type: 'function',
    function: { name: 'f', arguments: `{"a": ${said}` },
  }),
  'the first of two equal names in arguments': call({
    type: 'function',
    function: { name: 'f', arguments: `{"a":"${said}","a":"x"}` },
  }),
  'arguments of a deprecated call': message(
    { function_call: { name: 'f', arguments: `{"a":"${said}"}` } },
    'assistant',
  ),
  'the input of a custom call': call({ type: 'custom', custom: { name: 'f', input: said } }),
  'the description of a tool': tool({ description: said }),
  'the description of a custom tool': {
    tools: [{ type: 'custom', custom: { name: 'f', description: said } }],
  },
  'the grammar of a custom tool': {
    tools: [
      {
        type: 'custom',
        custom: {
          name: 'f',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: said } },
        },
      },
    ],
  },
  'a tool of an unknown type': { tools: [{ type: 'search', hints: { about: said } }] },
  'the description of a function': { functions: [{ name: 'f', description: said }] },
  'the description of a property': schema({ properties: { a: { type: 'string', description: said } } }),
  'a value to choose': schema({ properties: { a: { enum: ['x', said] } } }),
  'a constant': schema({ properties: { a: { const: said } } }),
  'a default': schema({ properties: { a: { default: { inner: [said] } } } }),
  'an example': schema({ examples: [{ type: said }] }),
  'a definition': schema({ $defs: { a: { description: said } } }),
  'a schema in a schema': schema({ anyOf: [{ items: { not: { title: said } } }] }),
  'a comment in a schema': schema({ $comment: said }),
  'a schema’s unknown word': schema({ 'x-hint': said }),
  'the description of a format': format({ description: said }),
  'the schema of a format': format({ schema: { properties: { a: { description: said } } } }),
  'a grammar as a format': { response_format: { type: 'grammar', grammar: said } },
  'a prediction': { prediction: { type: 'content', content: said } },
  'a part of a prediction': { prediction: { type: 'content', content: [{ type: 'text', text: said }] } },
  'where a search is to look': {
    web_search_options: { user_location: { type: 'approximate', approximate: { city: said } } },
  },
  'a field that nobody knows': { prompt_prefix: said },
  'a field deep in one that nobody knows': { extra: [{ deep: { deeper: [[said]] } }] },
  'text where a word belongs': { reasoning_effort: said },
  'text where a number belongs': { seed: said },
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
  'what stops the answer': { stop: [planted] },
  'the one thing that stops the answer': { stop: planted },
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
  'the id that a result answers': message({ content: 'x', tool_call_id: planted }, 'tool'),
  'the id of a file': part({ type: 'file', file: { file_id: planted } }),
  'the id of a voice’s answer': message({ audio: { id: planted } }, 'assistant'),
  'a URL of an image': part({ type: 'image_url', image_url: { url: `https://example.com/${planted}.png` } }),
  'a data URL': part({ type: 'image_url', image_url: { url: `data:image/png;base64,${planted}` } }),
  'sound in base64': part({ type: 'input_audio', input_audio: { data: planted, format: 'wav' } }),
  'a signature': message({ thinking_blocks: [{ type: 'thinking', signature: planted }] }, 'assistant'),
  'encrypted reasoning': message(
    { thinking_blocks: [{ type: 'redacted_thinking', data: planted }] },
    'assistant',
  ),
  'where a prompt is cached': part({ type: 'text', text: 'x', cache_control: { type: planted } }),
};

const guard = (action: 'block' | 'redact' | 'observe') => wordsGuardrail([planted], { action });

describe.each(Object.entries(texts))('%s', (_place, body) => {
  it('is inspected: what is found there blocks', async () => {
    await expect(inspected(guard('block'), body)).rejects.toMatchObject({ code: 'guardrail_blocked' });
  });

  it('is rewritten, and nothing else is', async () => {
    const before = JSON.stringify(body);
    const after = JSON.stringify(await inspected(guard('redact'), body));
    expect(after).toContain(put);
    expect(after).toContain(before.slice(1, -1).replaceAll(planted, put));
  });

  it('stays as it is where it is only observed', async () => {
    expect(await inspected(guard('observe'), body)).toMatchObject(body);
  });
});

describe.each(Object.entries(fixed))('%s', (_place, body) => {
  it.each(['block', 'redact'] as const)(
    'is inspected: what is found there blocks under %s',
    async (action) => {
      await expect(inspected(guard(action), body)).rejects.toMatchObject({ code: 'guardrail_blocked' });
    },
  );

  it('stays as it is where it is only observed', async () => {
    expect(await inspected(guard('observe'), body)).toMatchObject(body);
  });
});

describe.each(Object.entries(exempt))('%s', (_place, body) => {
  it.each(['block', 'redact'] as const)('is not inspected under %s', async (action) => {
    expect(await inspected(guard(action), body)).toMatchObject(body);
  });
});

describe('a file of text', () => {
  const base64 = Buffer.from(said).toString('base64');
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
  ])('is opened and rewritten, whatever type it is called: %s', async (head) => {
    for (const body of [asFile(head + base64), asImage(head + base64)]) {
      await expect(inspected(guard('block'), body)).rejects.toMatchObject({ code: 'guardrail_blocked' });
      const after = JSON.stringify(await inspected(guard('redact'), body));
      expect(after).toContain(head + Buffer.from(said.replace(planted, put)).toString('base64'));
      expect(await inspected(guard('observe'), body)).toMatchObject(body);
    }
  });

  it.each(['data:image/png;base64,', 'data:application/pdf;base64,', 'data:video/mp4;base64,'])(
    'is not looked for where no model reads one: %s',
    async (head) => {
      expect(await inspected(guard('block'), asFile(head + base64))).toMatchObject(asFile(head + base64));
    },
  );
});

describe('numbers', () => {
  const card = wordsGuardrail(['4111111111111111'], { action: 'redact' });

  it('in arguments become the placeholder, and all others stay the digits they are', async () => {
    const args = '{"card": 4111111111111111, "big": 123456789012345678901, "rate": 1.50}';
    const body = call({ type: 'function', function: { name: 'f', arguments: args } });
    expect(JSON.stringify(await inspected(card, body))).toContain(
      JSON.stringify('{"card": "[WORD_1]", "big": 123456789012345678901, "rate": 1.50}').slice(1, -1),
    );
  });

  it('elsewhere block: a placeholder is no number', async () => {
    await expect(inspected(card, schema({ default: 4111111111111111 }))).rejects.toMatchObject({
      code: 'guardrail_blocked',
    });
  });

  it.each(['4111111111111111.0', '4.111111111111111e15', '4111111111111111000e-3', '4111111111111111.05'])(
    'are found however they are written: %s',
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

  it('beyond what a double holds are found by all their digits', async () => {
    const long = wordsGuardrail(['1234567890123456789'], { action: 'redact' });
    for (const written of ['1234567890123456789', '1.234567890123456789E+18', '1234567890123456789.50'])
      await expect(inspected(long, schema({ const: new ExactNumber(written) }))).rejects.toMatchObject({
        code: 'guardrail_blocked',
      });
    const near = schema({ const: new ExactNumber('1234567890123456788') });
    expect(JSON.stringify(await inspected(long, near))).toContain('1234567890123456788');
  });

  it('that steer the model are not inspected', async () => {
    const body = { seed: 4111111111111111, max_completion_tokens: 1000 };
    expect(await inspected(card, body)).toMatchObject(body);
  });
});
