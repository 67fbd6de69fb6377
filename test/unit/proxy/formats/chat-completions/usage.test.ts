import { describe, expect, it } from 'vitest';
import { PassthroughStream } from '../../../../../proxy/formats/chat-completions/pass-stream.ts';
import {
  passedUsage,
  piecesIn,
  type RequestedUsage,
  wantsLongCache,
  withCost,
} from '../../../../../proxy/formats/chat-completions/usage.ts';
import { gptError } from '../../../../../proxy/formats/gpt-error.ts';

const reported = (event: string) => withCost(Buffer.from(event), '0.0012').toString();

describe('the cost in a usage chunk', () => {
  it.each<[string, string, string]>([
    [
      'in front of the counts',
      'data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n',
      'data: {"choices":[],"usage":{"x_svc_cost":"0.0012","prompt_tokens":1}}\n\n',
    ],
    [
      'in a chunk of any spacing, and nothing else is rewritten',
      'id: 7\r\ndata: {"choices": [], "usage" : { "prompt_tokens": 1.0, "large": 12345678901234567890 } }\r\n\r\n',
      'id: 7\r\ndata: {"choices": [], "usage" : {"x_svc_cost":"0.0012", "prompt_tokens": 1.0, "large": 12345678901234567890 } }\r\n\r\n',
    ],
    [
      'not into a text that looks like it',
      `${String.raw`data: {"id":"\"usage\":{ä","choices":[],"usage":{"prompt_tokens":1}}`}\n\n`,
      `${String.raw`data: {"id":"\"usage\":{ä","choices":[],"usage":{"x_svc_cost":"0.0012","prompt_tokens":1}}`}\n\n`,
    ],
  ])('is inserted %s', (_what, event, expected) => {
    expect(reported(event)).toBe(expected);
  });

  it.each<[string, string]>([
    ['another field of that name comes first', 'data: {"x":{"usage":{"a":1}},"usage":{"prompt_tokens":1}}\n\n'],
    ['it is no object', 'data: {"choices":[],"usage":null}\n\n'],
  ])('is not inserted when %s', (_what, event) => {
    expect(reported(event)).toBe(event);
  });
});

describe('a request for long cache entries', () => {
  const long = { ttl: '12h' };
  const part = { type: 'text', text: 'a', prompt_cache_breakpoint: long };

  it.each<[string, object]>([
    ['for the whole request', { prompt_cache_options: long }],
    ['at a part', { messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, part] }] }],
    ['at a message', { messages: [{ role: 'user', content: 'a', prompt_cache_breakpoint: long }] }],
    ['at a tool', { tools: [{ type: 'function', function: {}, prompt_cache_breakpoint: long }] }],
  ])('is recognized %s', (_what, body) => {
    expect(wantsLongCache(body as Record<string, unknown>)).toBe(true);
  });

  it.each<[string, object]>([
    ['no lifetime is given', { messages: [{ role: 'user', content: 'a' }] }],
    ['they are to be short', { prompt_cache_options: { ttl: '30m' }, messages: [] }],
    ['the word is elsewhere', { messages: [{ role: 'user', content: '12h', metadata: long }] }],
    ['nothing is as it should be', { prompt_cache_options: '12h', messages: [null, 3], tools: 'x' }],
  ])('is not recognized when %s', (_what, body) => {
    expect(wantsLongCache(body as Record<string, unknown>)).toBe(false);
  });
});

describe('searches of a model', () => {
  const requested: RequestedUsage = {
    ...{ serviceTier: undefined, wantsLongCache: false },
    wantsImages: false,
    wantsSearch: true,
  };
  const cited = {
    role: 'assistant',
    content: 'x',
    annotations: [{ type: 'url_citation', url_citation: {} }],
  };
  const usage = { prompt_tokens: 3, completion_tokens: 2 };
  const whole = (message: object, by = requested) => {
    const choices = [{ index: 0, message }];
    return passedUsage({ choices, usage }, by, piecesIn(choices, by))?.special?.searches ?? 0;
  };
  const streamed = (by: RequestedUsage, ...deltas: object[]) => {
    const stream = new PassthroughStream({
      ...{ includeUsage: true, requested: by, limits: { eventBytesMax: 4096 } },
      readError: gptError,
    });
    for (const chunk of [...deltas.map((delta) => ({ choices: [{ index: 0, delta }] })), { choices: [], usage }])
      stream.push(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`));
    stream.push(Buffer.from('data: [DONE]\n\n'));
    return stream.usage?.special?.searches ?? 0;
  };

  it('count as one at least when pages are cited', () => {
    expect(whole(cited)).toBe(1);
    expect(streamed(requested, { content: 'x' }, cited, cited)).toBe(1);
  });

  it('count as none when no page is cited or no search was requested', () => {
    const none = { ...cited, annotations: [{ type: 'file_citation' }] };
    expect([whole(none), whole({ content: 'url_citation' }), whole({ ...cited, annotations: null })]).toEqual([
      0, 0, 0,
    ]);
    expect(streamed(requested, none, { content: '"url_citation"' })).toBe(0);
    const unasked = { ...requested, wantsSearch: false };
    expect([whole(cited, unasked), streamed(unasked, cited)]).toEqual([0, 0]);
  });
});
