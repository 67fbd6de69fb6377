import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  FrameSplitter,
  eventFrame as ownEvent,
  exceptionFrame as ownException,
} from '../../../../../proxy/formats/converse/frames.ts';
import { errorFrame, eventFrame } from '../../../../../simulator/managed-cloud-models/frames.ts';
import { Random } from '../../../../support/access/random.ts';
import { roundsOf, startingSeed } from '../../../../support/seed.ts';

const limit = 1024;
const protocolError = expect.objectContaining({ code: 'upstream_protocol_error' });

const golden = {
  messageStop:
    '00000084000000513d28a8590b3a6576656e742d7479706507000b6d65737361676553746f700d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b2270223a22616263222c2273746f70526561736f6e223a22656e645f7475726e227d8a7bbdd0',
  throttled:
    '00000090000000618e91a9b70f3a657863657074696f6e2d747970650700137468726f74746c696e67457863657074696f6e0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d74797065070009657863657074696f6e7b226d657373616765223a22546f6f206d616e79207265717565737473227de67f8005',
};
const bytesOf = (hex: string) => Buffer.from(hex, 'hex');

describe('frames of the event stream', () => {
  it('are decoded to headers and payload', () => {
    const frames = new FrameSplitter(limit).push(
      Buffer.concat([bytesOf(golden.messageStop), bytesOf(golden.throttled)]),
    );
    expect(frames.map(({ headers, payload }) => [Object.fromEntries(headers), payload])).toEqual([
      [
        { ':event-type': 'messageStop', ':content-type': 'application/json', ':message-type': 'event' },
        '{"p":"abc","stopReason":"end_turn"}',
      ],
      [
        {
          ':exception-type': 'throttlingException',
          ':content-type': 'application/json',
          ':message-type': 'exception',
        },
        '{"message":"Too many requests"}',
      ],
    ]);
  });

  it('are written as the service writes them', () => {
    expect(ownEvent('messageStop', '{"p":"abc","stopReason":"end_turn"}')).toEqual(bytesOf(golden.messageStop));
    expect(ownException('throttlingException', '{"message":"Too many requests"}')).toEqual(bytesOf(golden.throttled));
  });

  it('are decoded without the headers that are not text', () => {
    // SDK type `MessageHeaderValue`: a boolean is its type alone, without a value.
    const bytes = Buffer.concat([Buffer.from([4]), Buffer.from('flag'), Buffer.from([0])]);
    const payload = Buffer.from('{}');
    const frame = Buffer.alloc(12 + bytes.length + payload.length + 4);
    frame.writeUInt32BE(frame.length, 0);
    frame.writeUInt32BE(bytes.length, 4);
    frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
    bytes.copy(frame, 12);
    payload.copy(frame, 12 + bytes.length);
    frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4);
    const [read] = new FrameSplitter(limit).push(frame);
    expect([read?.headers.size, read?.payload]).toEqual([0, '{}']);
  });

  const seed = startingSeed();
  it(`trap 2: are the same wherever they are cut (seed ${seed})`, () => {
    const random = new Random(seed);
    const texts = Array.from({ length: 20 }, (_, at) => `{"text":"${'漢🍵a'.repeat(random.below(30))}${at}"}`);
    const bytes = Buffer.concat(texts.map((text) => eventFrame('contentBlockDelta', text)));
    for (let round = 0; round < roundsOf(200); round++) {
      const splitter = new FrameSplitter(limit);
      const frames = [];
      for (let at = 0; at < bytes.length; ) {
        const end = at + 1 + random.below(random.pick([1, 3, 50, 1000]));
        frames.push(...splitter.push(bytes.subarray(at, end)));
        at = end;
      }
      expect(frames.map(({ payload }) => payload)).toEqual(texts);
      expect(splitter.pending).toBe(false);
    }
  });

  it('are returned once they are complete', () => {
    const splitter = new FrameSplitter(limit);
    const bytes = bytesOf(golden.messageStop);
    expect(splitter.push(bytes.subarray(0, 3))).toEqual([]);
    expect(splitter.pending).toBe(true);
    expect(splitter.push(bytes.subarray(3, -1))).toEqual([]);
    expect(splitter.push(bytes.subarray(-1))).toHaveLength(1);
    expect(splitter.pending).toBe(false);
  });

  it('trap 2: are never returned when a byte was changed, but refused or incomplete', () => {
    const bytes = bytesOf(golden.messageStop);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const splitter = new FrameSplitter(limit);
      // A greater length makes the splitter wait for more bytes.
      if (at < 4 && changed.readUInt32BE() > bytes.length && changed.readUInt32BE() <= limit) {
        expect(splitter.push(changed), `byte ${at}`).toEqual([]);
      } else expect(() => splitter.push(changed), `byte ${at}`).toThrow(protocolError);
    }
  });

  it.each([
    ['shorter than any', 15],
    ['of nothing', 0],
    ['over the limit', limit + 1],
    ['without bounds', 0xffff_ffff],
  ])('with a length %s are refused before they arrive', (_what, length) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(length);
    expect(() => new FrameSplitter(limit).push(head)).toThrow(protocolError);
  });

  it('can have the length of the limit, and never more than the format allows', () => {
    const overhead = eventFrame('e', '').length;
    const frame = (length: number) => eventFrame('e', 'x'.repeat(length - overhead));
    expect(new FrameSplitter(limit).push(frame(limit))).toHaveLength(1);
    expect(() => new FrameSplitter(limit).push(frame(limit + 1))).toThrow(protocolError);
    const beyond = Buffer.alloc(4);
    beyond.writeUInt32BE(16 * 1024 * 1024 + 1);
    expect(() => new FrameSplitter(1024 ** 3).push(beyond)).toThrow(protocolError);
  });

  it('without a payload have an empty payload', () => {
    const [frame] = new FrameSplitter(limit).push(errorFrame('InternalFailure', 'broken'));
    expect(frame?.payload).toBe('');
    expect(frame?.headers.get(':error-message')).toBe('broken');
  });

  it('are refused when a header exceeds the frame, and no bytes around the frame are read', () => {
    const neighbours = Buffer.concat([
      Buffer.alloc(200, 'secret'),
      errorFrame('Code', 'message'),
      Buffer.alloc(400, 'secret'),
    ]);
    const frame = withLongHeader(errorFrame('Code', 'message'));
    frame.copy(neighbours, 200);
    const bytes = neighbours.subarray(200, 200 + frame.length);
    expect(() => new FrameSplitter(limit).push(bytes)).toThrow(protocolError);
  });
});

/** A frame whose first header declares a value of 300 bytes, with correct checksums. */
function withLongHeader(frame: Buffer): Buffer {
  const changed = Buffer.from(frame);
  const valueLength = 12 + 1 + ':error-code'.length + 1;
  changed.writeUInt16BE(300, valueLength);
  changed.writeUInt32BE(crc32(changed.subarray(0, -4)), changed.length - 4);
  return changed;
}
