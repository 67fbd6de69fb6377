// Traps of stream parsing that exist in every vendor's format, tested with every stream reader.
import { describe, expect, it } from 'vitest';
import { buildRequest } from '../../../../proxy/providers/provider.ts';
import type { Behaviour } from '../../../../simulator/behaviour.ts';
import type { VendorName } from '../../../../simulator/vendors.ts';
import { type ParsedCompletion, readStream } from '../../../support/completions.ts';
import { askVendor, callOf, partsOf } from '../../../support/vendor-calls.ts';
import { plainModels } from '../../../support/vendors.ts';

const vendors = Object.keys(plainModels) as readonly VendorName[];
const text = 'Grüße 👩‍👩‍👧‍👦 日本語';
const tool = { type: 'function', function: { name: 'boil', parameters: { type: 'object', properties: {} } } };
const calls = [{ name: 'boil', arguments: '{"größe":"🫖"}' }];

interface Streamed {
  readonly bytes: Buffer;
  /** The completion that the caller gets for these pieces. */
  read(pieces: readonly Buffer[]): ParsedCompletion;
}

async function streamed(vendor: VendorName, behaviour: Behaviour): Promise<Streamed> {
  const messages = [{ role: 'user', content: 'Hello' }];
  const body = { messages, tools: [tool], stream: true, stream_options: { include_usage: true } };
  const call = callOf(vendor, plainModels[vendor], body, vendor === 'studio-ai' ? '/models' : '');
  const response = askVendor(vendor, await buildRequest(call), { behaviour });
  return {
    bytes: Buffer.concat(partsOf(response)),
    read: (pieces) => {
      const reader = call.target.provider.format.openStream(call, response.headers, {
        eventBytesMax: 100_000,
      });
      const parsed = pieces.map((piece) => reader.push(piece));
      if (!reader.complete) parsed.push(reader.end());
      expect([reader.complete, reader.failure]).toEqual([true, undefined]);
      return readStream(Buffer.concat(parsed).toString());
    },
  };
}

const singles = (bytes: Buffer) => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));

describe.each(vendors)('trap 18: a stream of %s', (vendor) => {
  it.each<[string, Behaviour]>([
    ['text', { text: text }],
    ['a call', { toolCalls: calls }],
  ])('is read the same byte by byte: %s', async (_what, behaviour) => {
    const { bytes, read } = await streamed(vendor, behaviour);
    const parsed = read([bytes]);
    const { choices } = parsed;
    expect(choices[0]?.content === text || choices[0]?.calls[0]?.arguments === calls[0]?.arguments).toBe(true);
    expect(read(singles(bytes))).toEqual(parsed);
  });
});

describe.each(vendors.filter((vendor) => vendor !== 'managed-cloud-models'))('trap 18: the events of %s', (vendor) => {
  it.each<[string, (text: string) => string]>([
    ['end in CRLF', (text) => text.replaceAll(/\r\n|\n/g, '\r\n')],
    ['end in LF', (text) => text.replaceAll(/\r\n|\n/g, '\n')],
    ['end in CR', (text) => text.replaceAll(/\r\n|\n/g, '\r')],
    ['have no blank behind the colon', (text) => text.replaceAll(/^(data|event): /gm, '$1:')],
    [
      'have comments and other fields between them',
      (text) => text.replaceAll(/^data/gm, ': hm\nid: 7\nretry: 9\ndata'),
    ],
  ])('are read the same when they %s', async (_how, changed) => {
    const { bytes, read } = await streamed(vendor, { text: text });
    const other = Buffer.from(changed(bytes.toString()));
    expect(read([other])).toEqual(read([bytes]));
    expect(read(singles(other))).toEqual(read([bytes]));
  });
});
