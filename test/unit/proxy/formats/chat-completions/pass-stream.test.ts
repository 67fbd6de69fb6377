import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PassthroughStream } from '../../../../../proxy/formats/chat-completions/pass-stream.ts';
import { gptError } from '../../../../../proxy/formats/gpt-error.ts';
import { positionsOf } from '../../../../support/seed.ts';

const golden = (name: string) => readFileSync(join(import.meta.dirname, '../../../../golden/gpt-provider', name));
const limits = { eventBytesMax: 4096 };
const noneRequested = {
  serviceTier: undefined,
  wantsLongCache: false,
  wantsImages: false,
  wantsSearch: false,
};

function read(bytes: Buffer, cut: number, includeUsage: boolean) {
  const reader = new PassthroughStream({
    includeUsage,
    requested: noneRequested,
    limits,
    readError: gptError,
  });
  const out: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += cut) out.push(reader.push(bytes.subarray(at, at + cut)));
  return { reader, text: Buffer.concat(out).toString() };
}

const text = golden('text-stream/stream.sse');
const tools = golden('tools-stream/stream.sse');
const usageChunk =
  text
    .toString()
    .split('\n\n')
    .find((event) => event.includes('"choices":[]')) ?? '';

describe('a stream in the callers’ format', () => {
  it('passes unchanged when the caller requested the usage, at every cut', () => {
    for (const cut of positionsOf(1, text.length + 1)) {
      const { reader, text: out } = read(text, cut, true);
      expect(out).toBe(text.toString());
      expect(reader.complete).toBe(true);
      expect(reader.usage).toEqual({
        promptTokens: 11,
        completionTokens: 4,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        cacheWrite1hTokens: 0,
        reasoningTokens: 0,
      });
    }
  });

  it('passes without the usage chunk when the caller did not request it, at every cut', () => {
    expect(usageChunk).not.toBe('');
    for (const cut of positionsOf(1, text.length + 1)) {
      const { reader, text: out } = read(text, cut, false);
      expect(out).toBe(text.toString().replace(`${usageChunk}\n\n`, ''));
      expect(reader.usage?.promptTokens).toBe(11);
    }
  });

  it('passes tool calls unchanged, at every cut', () => {
    for (const cut of positionsOf(1, tools.length + 1)) expect(read(tools, cut, false).text).toBe(tools.toString());
  });

  it('reports its model and the amount of text, wherever it is cut', () => {
    const streamOf = (cut: string) =>
      [...cut.matchAll(/"content":"([^"]*)".*\n\n/g)].map(([, content = '']) => content).join('');
    for (const end of positionsOf(0, text.length)) {
      const { reader } = read(text.subarray(0, end), 16, true);
      const begun = text.subarray(0, end).includes('\n\n');
      expect(reader.model).toBe(begun ? 'gpt-4o-mini-2024-07-18' : undefined);
      expect(reader.textTokens).toBeGreaterThanOrEqual(streamOf(text.toString('utf8', 0, end)).length / 3);
    }
  });

  it.each([
    ['no object', 'data: oops\n\n'],
    ['half an object', 'data: {"a":\n\n'],
    ['bytes', 'data: \u0000\ufffd\n\n'],
    ['a list', 'data: []\r\n\r\n'],
  ])('is refused at data that is %s', (_what, event) => {
    expect(() => read(Buffer.from(event), 1000, true)).toThrow('in a form that cannot be used');
  });

  it.each([
    ['a comment', ': wait\n\n'],
    ['an object in lines', 'data: {"choices":\ndata: []}\n\n'],
    ['an object with carriage returns', 'data:{"choices":[]}\r\n\r\n'],
    ['another field first', 'id: 7\ndata: {"choices":[]}\n\n'],
  ])('passes %s unchanged', (_what, event) => {
    expect(read(Buffer.from(event), 1000, true).text).toBe(event);
  });

  it('reports a model that only a later chunk contains', () => {
    const chunks = [{ model: '' }, { model: 'named', usage: { prompt_tokens: 1, completion_tokens: 1 } }];
    const events = chunks.map((chunk) => `data: ${JSON.stringify({ choices: [{}], ...chunk })}\n\n`);
    expect(read(Buffer.from(events.join('')), 1000, true).reader.model).toBe('named');
  });

  it('does not report a model that is quoted in its text', () => {
    const quoted = { choices: [{ delta: { content: '{"model":"x"}' } }] };
    const event = `data: ${JSON.stringify(quoted)}\n\n`;
    expect(read(Buffer.from(event), 1000, true).reader.model).toBeUndefined();
  });

  it('is not complete without its end marker, wherever it is cut', () => {
    for (let end = 0; end < text.length - 2; end += 7) {
      expect(read(text.subarray(0, end), 16, true).reader.complete).toBe(false);
    }
  });

  it('is not misled by content that contains usage, error or the end marker', () => {
    const content = JSON.stringify({
      choices: [{ index: 0, delta: { content: '"usage": {"error"} data: [DONE]' } }],
    });
    const { reader, text: out } = read(Buffer.from(`data: ${content}\n\n`), 5, false);
    expect(out).toBe(`data: ${content}\n\n`);
    expect([reader.complete, reader.failure, reader.usage]).toEqual([false, undefined, undefined]);
  });

  it('stops at an error event and passes nothing of it or after it', () => {
    const error = 'data: {"error":{"message":"overloaded","type":"server_error","param":null,"code":"slow_down"}}\n\n';
    const { reader, text: out } = read(Buffer.from(`data: {"choices":[]}\n\n${error}data: [DONE]\n\n`), 9, true);
    expect(out).toBe('data: {"choices":[]}\n\n');
    expect(reader.failure).toMatchObject({ message: 'overloaded', code: 'slow_down' });
    expect(reader.complete).toBe(false);
  });

  it('passes comments, and nothing after the end marker', () => {
    const { text: out } = read(Buffer.from(': ping\n\ndata: [DONE]\n\ndata: more\n\n'), 3, true);
    expect(out).toBe(': ping\n\ndata: [DONE]\n\n');
  });

  it.each([
    ['an error that is a text', '{"error":"overloaded"}'],
    ['an error of a model server', '{"object":"error","message":"overloaded"}'],
  ])('stops at %s', (_what, event) => {
    const { reader, text: out } = read(Buffer.from(`data: ${event}\n\ndata: [DONE]\n\n`), 7, true);
    expect([out, reader.complete, reader.failure?.status]).toEqual(['', false, 502]);
  });

  it('counts usage that begins with a null field', () => {
    const chunk = 'data: {"choices":[],"usage":{"cost":null,"prompt_tokens":3,"completion_tokens":4}}\n\n';
    expect(read(Buffer.from(chunk), 7, true).reader.usage).toMatchObject({
      promptTokens: 3,
      completionTokens: 4,
    });
  });

  it('is not misled by a null error', () => {
    const chunk = 'data: {"error":null,"choices":[]}\n\n';
    const { reader, text: out } = read(Buffer.from(chunk), 7, true);
    expect([out, reader.failure]).toEqual([chunk, undefined]);
  });

  it('fails at an unreadable event that it has to read', () => {
    const broken = Buffer.from('data: {"choices":[],"usage":{"prompt_tok\n\n');
    expect(() => read(broken, 9, true)).toThrow(expect.objectContaining({ code: 'upstream_protocol_error' }));
  });

  it('trap 19: a chunk with choices and usage is not a usage chunk', () => {
    const chunk = JSON.stringify({
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    });
    const { reader, text: out } = read(Buffer.from(`data: ${chunk}\n\n`), 5, false);
    expect(out).toBe(`data: ${chunk}\n\n`);
    expect(reader.usage).toMatchObject({ promptTokens: 1, completionTokens: 2 });
  });
});
