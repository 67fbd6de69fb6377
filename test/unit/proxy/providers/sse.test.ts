import { describe, expect, it } from 'vitest';
import { eventData, SseSplitter } from '../../../../proxy/providers/sse.ts';

const split = (bytes: Buffer, cut: number) => {
  const splitter = new SseSplitter(1000);
  const events: string[] = [];
  for (let at = 0; at < bytes.length; at += cut) {
    events.push(...splitter.push(bytes.subarray(at, at + cut)).map(String));
  }
  return { events, rest: splitter.rest.toString() };
};

describe('splitting a stream into events', () => {
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
  ])('is the same at every cut, %s', (_name, nl) => {
    const events = [
      `data: {"a":"é😀"}${nl}${nl}`,
      `: ping${nl}${nl}`,
      `event: x${nl}data: 1${nl}data: 2${nl}${nl}`,
    ];
    const bytes = Buffer.from(`${events.join('')}data: cut`);
    for (let cut = 1; cut <= bytes.length; cut++) {
      expect(split(bytes, cut)).toEqual({ events, rest: 'data: cut' });
    }
  });

  it('knows CR alone as a line end', () => {
    const { events } = split(Buffer.from('data: a\r\rdata: b\r\rdata: c'), 1);
    expect(events.map((event) => eventData(Buffer.from(event)))).toEqual(['a', 'b']);
  });

  it('refuses an event over the limit', () => {
    expect(() => new SseSplitter(10).push(Buffer.from('data: 12345678'))).toThrow(
      expect.objectContaining({ code: 'upstream_protocol_error' }),
    );
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
