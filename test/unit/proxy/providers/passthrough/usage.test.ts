import { describe, expect, it } from 'vitest';
import { asksLongCache } from '../../../../../proxy/chat/cache-lifetime.ts';
import { withCost } from '../../../../../proxy/providers/passthrough/usage.ts';

const told = (event: string) => withCost(Buffer.from(event), '0.0012').toString();

describe('the cost is put into a usage chunk', () => {
  it.each<[string, string, string]>([
    [
      'in front of the counts',
      'data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n',
      'data: {"choices":[],"usage":{"x_svc_cost":"0.0012","prompt_tokens":1}}\n\n',
    ],
    [
      'whatever stands between, and nothing else is written anew',
      'id: 7\r\ndata: {"choices": [], "usage" : { "prompt_tokens": 1.0, "large": 12345678901234567890 } }\r\n\r\n',
      'id: 7\r\ndata: {"choices": [], "usage" : {"x_svc_cost":"0.0012", "prompt_tokens": 1.0, "large": 12345678901234567890 } }\r\n\r\n',
    ],
    [
      'not into a text that looks like it',
      `${String.raw`data: {"id":"\"usage\":{ä","choices":[],"usage":{"prompt_tokens":1}}`}\n\n`,
      String.raw`data: {"id":"\"usage\":{ä","choices":[],"usage":{"x_svc_cost":"0.0012","prompt_tokens":1}}` +
        '\n\n',
    ],
  ])('%s', (_what, event, expected) => {
    expect(told(event)).toBe(expected);
  });

  it.each<[string, string]>([
    [
      'another field of that name comes first',
      'data: {"x":{"usage":{"a":1}},"usage":{"prompt_tokens":1}}\n\n',
    ],
    ['it is no object', 'data: {"choices":[],"usage":null}\n\n'],
  ])('not where %s', (_what, event) => {
    expect(told(event)).toBe(event);
  });
});

describe('long cache entries are asked for', () => {
  const long = { ttl: '12h' };
  const part = { type: 'text', text: 'a', prompt_cache_breakpoint: long };

  it.each<[string, object]>([
    ['for the whole request', { prompt_cache_options: long }],
    ['at a part', { messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, part] }] }],
    ['at a message', { messages: [{ role: 'user', content: 'a', prompt_cache_breakpoint: long }] }],
    ['at a tool', { tools: [{ type: 'function', function: {}, prompt_cache_breakpoint: long }] }],
  ])('%s', (_what, body) => {
    expect(asksLongCache(body as Record<string, unknown>)).toBe(true);
  });

  it.each<[string, object]>([
    ['nothing is said', { messages: [{ role: 'user', content: 'a' }] }],
    ['they are to be short', { prompt_cache_options: { ttl: '30m' }, messages: [] }],
    ['the word is elsewhere', { messages: [{ role: 'user', content: '12h', metadata: long }] }],
    ['nothing is as it should be', { prompt_cache_options: '12h', messages: [null, 3], tools: 'x' }],
  ])('not where %s', (_what, body) => {
    expect(asksLongCache(body as Record<string, unknown>)).toBe(false);
  });
});
