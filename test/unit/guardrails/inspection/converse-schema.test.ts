// Text of a file that a request of Converse has as base64: models read it, so it is inspected.
import { describe, expect, it } from 'vitest';
import { converseRequestLocations } from '../../../../guardrails/inspection/converse-schema.ts';
import { mapTexts, slotsOf } from '../../../../guardrails/inspection/inspection-schema.ts';

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const document = (format: string, bytes: string) => ({
  messages: [{ role: 'user', content: [{ document: { format, name: 'n', source: { bytes } } }] }],
});
const textsOf = (body: unknown) => slotsOf(body, converseRequestLocations).map(({ text }) => text);

describe('a document in base64', () => {
  it.each(['txt', 'md', 'csv', 'html', 'later'])('of the format %s is inspected if it is text', (format) => {
    expect(textsOf(document(format, base64('a secret')))).toContain('a secret');
  });

  it.each([
    ['pdf', base64('%PDF-1.4')],
    ['docx', base64(Buffer.from([0x50, 0x4b, 0xff, 0xfe]))],
  ])('of the format %s is not opened', (format, bytes) => {
    expect(textsOf(document(format, bytes))).toEqual(['n']);
  });

  it('that is no base64 is text', () => {
    expect(textsOf(document('pdf', 'a secret'))).toContain('a secret');
  });

  it('is encoded again if its text changes, and else the same', () => {
    const body = document('txt', base64('a secret'));
    const put = mapTexts(body, converseRequestLocations, ({ text }) => text.replace('secret', '[X]'));
    expect(put).toEqual(document('txt', base64('a [X]')));
    expect(mapTexts(body, converseRequestLocations, ({ text }) => text)).toBe(body);
  });
});

describe('a request that counts tokens', () => {
  it('is inspected in both of its forms', () => {
    const content = [{ text: 'a secret' }];
    expect(textsOf({ input: { converse: { messages: [{ role: 'user', content }] } } })).toEqual(['a secret']);
    expect(textsOf({ input: { invokeModel: { body: base64('{"a":"a secret"}') } } })).toEqual(['{"a":"a secret"}']);
  });
});
