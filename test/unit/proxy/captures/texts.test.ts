// What is kept of requests and responses: texts that guardrails inspect, without keys and files, up to a length, and the
// texts of streams in every client's format.
import { describe, expect, it } from 'vitest';
import { messagesRequestLocations } from '../../../../guardrails/inspection/messages-schema.ts';
import { requestLocations } from '../../../../guardrails/inspection/request-schema.ts';
import { responsesRequestLocations } from '../../../../guardrails/inspection/responses-schema.ts';
import { cleaned, redacted, slackOf, withoutPartial } from '../../../../proxy/captures/cleaned.ts';
import { notInspected, requestText } from '../../../../proxy/captures/request-text.ts';
import { bodyText, StreamTexts } from '../../../../proxy/captures/response-text.ts';
import { clientFormats } from '../../../../proxy/client-formats.ts';
import { type ClientFormatName, clientFormatNames } from '../../../../proxy/formats/client-format.ts';
import { eventFrame } from '../../../../proxy/formats/converse/frames.ts';
import { RequestHeaders } from '../../../../proxy/http/headers.ts';

const picture = `data:image/png;base64,${'iVBORw0KGgo'.repeat(100)}`;
const shown = (body: object, location = requestLocations, max = 65_536) => {
  const { text, isCut } = requestText({ ...body }, location, max);
  return { text, isCut, json: isCut ? undefined : JSON.parse(text) };
};

describe('a request', () => {
  it('keeps its texts, roles, types, model and settings', () => {
    const body = {
      model: 'gpt-provider/gpt-4o',
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: [{ type: 'text', text: 'Wer ist "Ada"?\n' }] },
      ],
      temperature: 0.2,
      stream: true,
    };
    expect(shown(body).json).toEqual(body);
  });

  it('has a note instead of pictures, ids, metadata and whatever else guardrails do not inspect', () => {
    const secret = 'ada@example.com';
    const { text, json } = shown({
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: picture } }] },
        { role: 'tool', tool_call_id: secret, content: 'done' },
      ],
      user: secret,
      safety_identifier: secret,
      metadata: { customer: secret, nested: { more: secret } },
      seed: 4_111_111_111_111_111,
    });
    expect(text).not.toContain('iVBORw0KGgo');
    expect(text).not.toContain(secret);
    expect(text).not.toContain('4111111111111111');
    expect(json.messages[1]).toEqual({ role: 'tool', tool_call_id: notInspected, content: 'done' });
    expect(json.metadata).toBe(notInspected);
  });

  it('lacks credentials of MCP servers and connectors, in the formats that have such', () => {
    const token = 'mcp-token-of-somebody';
    const messages = {
      mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'm', authorization_token: token }],
    };
    const responses = {
      tools: [{ type: 'mcp', server_label: 'm', authorization: token, headers: { 'x-api-key': token } }],
    };
    expect(shown(messages, messagesRequestLocations).text).not.toContain(token);
    expect(shown(responses, responsesRequestLocations).text).not.toContain(token);
  });

  it('is written up to a length only, however large, deep or wide it is', () => {
    const long = 'x'.repeat(8 * 1024 * 1024);
    let deep: object = {};
    for (let depth = 0; depth < 5_000; depth++) deep = { deep };
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`name ${index}`, 1]));
    for (const body of [{ messages: [{ role: 'user', content: long }] }, { wide }, { deep, long }]) {
      const startedAt = performance.now();
      const { text, isCut } = shown(body, requestLocations, 1024);
      expect(text).toHaveLength(1024);
      expect(isCut).toBe(true);
      expect(performance.now() - startedAt).toBeLessThan(1_000);
    }
    expect(shown({ deep }).text).toContain(notInspected);
  });
});

describe('a text on its way into a capture', () => {
  const key = `sk-svc-${'Ab3dEf6hIj'.repeat(5)}`;
  const headers = new RequestHeaders(['authorization', 'Bearer own-provider-key-1234']);
  const restored = new Map([
    ['[EMAIL_1]', 'ada@example.com'],
    ['[NAME_1]', 'Ada "the" Lovelace'],
  ]);

  it('lacks the keys of its caller, and every credential of the gateway', () => {
    const text = `mine is own-provider-key-1234, yours ${key}, hers gw-op-${'x'.repeat(49)}`;
    const { text: clean } = cleaned({ text, isCut: false }, { headers, restored: undefined }, 1_000);
    expect(clean).toBe('mine is [key], yours [key], hers [key]');
  });

  it('has placeholders for what guardrails restored for the caller, also inside JSON', () => {
    const text = `to ada@example.com: ${JSON.stringify({ name: 'Ada "the" Lovelace' })}`;
    expect(redacted(text, { headers, restored })).toBe('to [EMAIL_1]: {"name":"[NAME_1]"}');
    expect(withoutPartial('write to ada@exam', { headers, restored })).toBe('write to ');
    expect(withoutPartial('write to ada@example.com', { headers, restored })).toBe('write to ada@example.com');
  });

  it('is cut so that no part of a key or of a restored text is left, and no half of a character', () => {
    const rules = { headers, restored };
    const slack = slackOf(rules);
    for (let before = 0; before < 40; before++) {
      const whole = `${'é'.repeat(300 + before)}ada@example.com own-provider-key-1234 ${'y'.repeat(2 * slack)}`;
      const read = { text: whole.slice(0, 620 + slack), isCut: true };
      const { text, isCut } = cleaned(read, rules, 620);
      expect(isCut).toBe(true);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(620);
      expect(text).not.toMatch(/ada@|own-p|�/);
    }
  });
});

describe('a response', () => {
  it('keeps the beginning of its body, without pictures and other encoded parts', () => {
    const body = JSON.stringify({ content: 'Hello', b64_json: 'A'.repeat(10_000) });
    expect(bodyText(Buffer.from(body), 20_000).text).toBe(
      '{"content":"Hello","b64_json":"[10000 encoded characters]"}',
    );
    expect(bodyText(Buffer.from(body), 18)).toEqual({ text: '{"content":"Hello"', isCut: true });
  });

  const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const frames = (...events: readonly (readonly [string, object])[]) =>
    Buffer.concat(events.map(([type, event]) => eventFrame(type, JSON.stringify(event))));
  const message = [
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'opaque' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hel' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'lo' } },
    { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 't', name: 'find', input: {} } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
  ];
  const chunk = (delta: object) => ({ choices: [{ index: 0, delta }] });
  const streams: Record<ClientFormatName, Buffer> = {
    chat_completions: Buffer.from(
      `${sse(
        chunk({ reasoning_content: 'Hm' }),
        chunk({ content: 'Hel' }),
        chunk({ content: 'lo' }),
        chunk({ tool_calls: [{ index: 0, id: 't', function: { name: 'find', arguments: '{"a"' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
      )}data: [DONE]\n\n`,
    ),
    messages: Buffer.from(sse(...message)),
    responses: Buffer.from(
      sse(
        { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'Hm' },
        { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Hel' },
        { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'lo' },
        { type: 'response.output_text.done', output_index: 1, content_index: 0, text: 'Hello' },
        { type: 'response.output_item.added', output_index: 2, item: { type: 'function_call', name: 'find' } },
        { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"a":1}' },
      ),
    ),
    generate_content: Buffer.from(
      sse(
        { candidates: [{ content: { parts: [{ text: 'Hm', thought: true }] } }] },
        { candidates: [{ content: { parts: [{ text: 'Hel' }] } }] },
        { candidates: [{ content: { parts: [{ text: 'lo' }, { functionCall: { name: 'find', args: { a: 1 } } }] } }] },
      ),
    ),
    converse: frames(
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Hm' } } }],
      ['contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'Hel' } }],
      ['contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'lo' } }],
      ['contentBlockStart', { contentBlockIndex: 2, start: { toolUse: { name: 'find' } } }],
      ['contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '{"a":1}' } } }],
    ),
    invoke: frames(
      ...message.map((event) => ['chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64') }] as const),
    ),
  };
  const expected = [
    ['reasoning', undefined, 'Hm'],
    ['text', undefined, 'Hello'],
    ['call', 'find', '{"a":1}'],
  ];

  it.each(clientFormatNames)('keeps the texts of a stream of %s, cut anywhere', (format) => {
    const bytes = streams[format];
    for (const size of [1, 7, 64, bytes.length]) {
      const texts = new StreamTexts(clientFormats[format].openTexts(undefined), 10_000);
      for (let at = 0; at < bytes.length; at += size) texts.push(bytes.subarray(at, at + size));
      const list: { kind: string; name?: string; text: string }[] = JSON.parse(texts.list((text) => text).text);
      expect(list.map(({ kind, name, text }) => [kind, name, text])).toEqual(expected);
    }
  });

  it('keeps the texts of a stream that is a JSON list', () => {
    const texts = new StreamTexts(clientFormats.generate_content.openTexts('json_array'), 10_000);
    const part = (text: string) => JSON.stringify({ candidates: [{ content: { parts: [{ text }] } }] });
    for (const piece of [`[${part('Hel')}`, `,\r\n${part('lo')},\r\n${part('!')}`, ']']) texts.push(Buffer.from(piece));
    expect(JSON.parse(texts.list((text) => text).text)).toEqual([{ kind: 'text', index: '0', text: 'Hello!' }]);
  });

  it('keeps the texts of a stream up to a length, and says that they are cut', () => {
    const texts = new StreamTexts(clientFormats.chat_completions.openTexts(undefined), 300);
    for (let count = 0; count < 100; count++) texts.push(Buffer.from(sse(chunk({ content: 'ten chars.' }))));
    const { text, isCut } = texts.list((one) => one);
    expect(isCut).toBe(true);
    expect(text.length).toBeLessThan(400);
  });

  it('is left out where a stream breaks its format, without failing it', () => {
    const texts = new StreamTexts(clientFormats.converse.openTexts(undefined), 10_000);
    texts.push(Buffer.from('this is no frame, but it is long enough'));
    expect(texts.list((text) => text)).toEqual({ text: '[]', isCut: true });
  });
});
