// Errors inside of a stream for clients of generateContent.
import { describe, expect, it } from 'vitest';
import { clientFormats } from '../../../../../proxy/client-formats.ts';

const { writeStreamError } = clientFormats.generate_content;
const error = { status: 502, message: 'the provider broke off', param: undefined, code: 'upstream_protocol_error' };
const path = { model: 'm', stream: true, framing: 'json_array' } as const;
const own = { code: 502, message: 'the provider broke off', status: 'INTERNAL' };

describe('an error in a JSON array', () => {
  it('is its first element if nothing was sent before', () => {
    const written = writeStreamError(error, { path, first: undefined, last: undefined });
    expect(JSON.parse(`${written}]`)).toMatchObject([{ error: own }]);
  });

  it('is another element after what was sent', () => {
    const first = Buffer.from('[{"candidates":[]}');
    const written = writeStreamError(error, { path, first, last: first });
    expect(JSON.parse(`${first}${written}]`)).toMatchObject([{ candidates: [] }, { error: own }]);
  });
});
