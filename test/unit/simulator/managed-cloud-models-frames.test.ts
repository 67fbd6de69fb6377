import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { errorFrame, eventFrame, exceptionFrame } from '../../../simulator/managed-cloud-models/frames.ts';
import { framesOf } from './post-converse.ts';

const transcript = (name: string) => readFile(new URL(`../../transcripts/${name}.bin`, import.meta.url));

describe('event stream frames', () => {
  it('of an event equal the vendor’s bytes', () => {
    expect(eventFrame('messageStop', '{"p":"abc","stopReason":"end_turn"}').toString('hex')).toBe(
      '00000084000000513d28a8590b3a6576656e742d7479706507000b6d65737361676553746f700d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b2270223a22616263222c2273746f70526561736f6e223a22656e645f7475726e227d8a7bbdd0',
    );
  });

  it('of an exception equal the vendor’s bytes', () => {
    expect(exceptionFrame('throttlingException', '{"message":"Too many requests"}').toString('hex')).toBe(
      '00000090000000618e91a9b70f3a657863657074696f6e2d747970650700137468726f74746c696e67457863657074696f6e0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d74797065070009657863657074696f6e7b226d657373616765223a22546f6f206d616e79207265717565737473227de67f8005',
    );
  });

  it('of an error outside the API contain code and message as headers and nothing else', () => {
    expect(framesOf(errorFrame('InternalFailure', 'déjà vu'))).toMatchObject([
      {
        headers: [
          [':error-code', 'InternalFailure'],
          [':error-message', 'déjà vu'],
          [':message-type', 'error'],
        ],
        payload: '',
      },
    ]);
  });

  it.each(['managed-cloud-models', 'managed-cloud-models-throttled'])(
    'of %s are written as they were read',
    async (name) => {
      const bytes = await transcript(name);
      const again = framesOf(bytes).map(({ headers: [[header = '', type = ''] = []], payload }) =>
        header === ':event-type' ? eventFrame(type, payload) : exceptionFrame(type, payload),
      );
      expect(Buffer.concat(again).equals(bytes)).toBe(true);
    },
  );
});
