import { describe, expect, it } from 'vitest';
import { eventData } from '../../../../common/event-stream.ts';
import { SseSplitter } from '../../../../proxy/formats/sse.ts';
import { positionsOf } from '../../../support/seed.ts';

const split = (bytes: Buffer, cut: number) => {
  const splitter = new SseSplitter(1000);
  const events: string[] = [];
  for (let at = 0; at < bytes.length; at += cut) {
    events.push(...splitter.push(bytes.subarray(at, at + cut)).map(String));
  }
  return { events, rest: splitter.rest.toString() };
};

describe('the splitter of SSE streams', () => {
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
  ])('returns the same events at every cut, with lines ended by %s', (_name, nl) => {
    const events = [`data: {"a":"é😀"}${nl}${nl}`, `: ping${nl}${nl}`, `event: x${nl}data: 1${nl}data: 2${nl}${nl}`];
    const bytes = Buffer.from(`${events.join('')}data: cut`);
    for (const cut of positionsOf(1, bytes.length + 1)) {
      expect(split(bytes, cut)).toEqual({ events, rest: 'data: cut' });
    }
  });

  it('accepts CR alone as a line end', () => {
    const { events } = split(Buffer.from('data: a\r\rdata: b\r\rdata: c'), 1);
    expect(events.map((event) => eventData(Buffer.from(event)))).toEqual(['a', 'b']);
  });

  it.each([
    ['data: a\r\r', ['a']],
    ['data: a\n\r', ['a']],
    ['data: a\r', []],
    ['data: a\n', []],
    ['data: a', []],
    ['', []],
  ])('returns the last event when the connection ends after %j', (text, expected) => {
    const splitter = new SseSplitter(100);
    expect(splitter.push(Buffer.from(text))).toEqual([]);
    expect(splitter.end().map(eventData)).toEqual(expected);
  });

  it('accepts an event at the limit and refuses a larger one, complete or not, at every cut', () => {
    const push = (max: number, text: string, cut: number) => {
      const splitter = new SseSplitter(max);
      for (let at = 0; at < text.length; at += cut) splitter.push(Buffer.from(text.slice(at, at + cut)));
    };
    const tooLarge = expect.objectContaining({ code: 'upstream_protocol_error' });
    for (let cut = 1; cut <= 20; cut++) {
      push(10, 'data: 12\n\ndata: 34\n\n', cut);
      expect(() => push(9, 'data: 12\n\n', cut)).toThrow(tooLarge);
      expect(() => push(10, 'data: 1\n\ndata: 12345', cut)).toThrow(tooLarge);
    }
  });

  it('adds all blank lines after an event to that event', () => {
    const blanks = '\n'.repeat(60_000);
    const splitter = new SseSplitter(1000);
    const events = splitter.push(Buffer.from(`data: 1\n\n${blanks}data: 2\r\n\r\n\r\n\r\n${blanks}data: 3\n\n`));
    expect(events.map(eventData)).toEqual(['1', '2', '3']);
  });

  it('accepts a large event of text, and refuses one with too much structure or too many lines', () => {
    const push = (text: string) => new SseSplitter(4 * 1024 * 1024).push(Buffer.from(`data: ${text}\n\n`)).length;
    const tooDense = expect.objectContaining({ code: 'upstream_protocol_error' });
    expect(push(`{"a":"${'[{,'.repeat(1_000_000)}"}`)).toBe(1);
    expect(push(`[${'1,'.repeat(45_000)}"${'x'.repeat(1_000_000)}"]`)).toBe(1);
    expect(() => push(`[${'1,'.repeat(200_000)}1]`)).toThrow(tooDense);
    expect(() => push('1\ndata:'.repeat(50_000))).toThrow(tooDense);
  });

  it.each([
    ['data: a\n\n', 'a'],
    ['data:a\n\n', 'a'],
    ['data:  a\n\n', ' a'],
    ['data: a\ndata: b\r\n\r\n', 'a\nb'],
    ['data\n\n', ''],
    [': comment\n\n', undefined],
    ['event: x\nid: 4\n\n', undefined],
  ])('reads the data of %j', (event, data) => {
    expect(eventData(Buffer.from(event))).toBe(data);
  });
});
