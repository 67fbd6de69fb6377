// Streams of vendors that break, for clients of every format: what was sent before is the client's, then comes the error
// of the client's own format, which its SDK raises, and the connection breaks. No stream that broke looks complete.
import { describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import { clientFormats } from '../../proxy/client-formats.ts';
import { buildRequest } from '../../proxy/providers/provider.ts';
import type { Behaviour } from '../../simulator/index.ts';
import { roundsOf } from '../support/seed.ts';
import { askVendor, clientCallOf, partsOf } from '../support/vendor-calls.ts';
import { modelAt, useScene } from './clients/scene.ts';
import { receiveStream, type StreamingClient, streamingClients } from './clients/streaming.ts';

const clients = useScene();
const tokens = 40;

/** The vendor's events for this client, in the format that the gateway reads. */
async function eventsOf(client: StreamingClient, vendor: VendorName): Promise<readonly Buffer[]> {
  const model = modelAt(vendor).slice(vendor.length + 1);
  const format = clientFormats[client.kind.format];
  const forwards = (name: string) => format.translation?.forwardsHeader(name) === true;
  const headers = Object.entries(client.headers('key')).filter(([name]) => forwards(name));
  const call = clientCallOf(vendor, model, { format, body: client.body, stream: true, headers: headers.flat() });
  const response = askVendor(vendor, await buildRequest(call), { behaviour: { tokens } });
  expect(response.status).toBe(200);
  return partsOf(response);
}

type Break = (client: StreamingClient, vendor: VendorName) => Promise<Behaviour> | Behaviour;

const stopped =
  (by: 'cut' | 'reset' | 'end', afterPieces: number): Break =>
  () => ({ tokens, stop: { by, afterPieces } });
const failing =
  (errorAfterEvents: number): Break =>
  () => ({ tokens, errorAfterEvents });
/** Bytes that are no whole event, after twelve that are. */
const spoiled =
  (garbageAfter: (next: Buffer) => Buffer): Break =>
  async (client, vendor) => {
    const events = await eventsOf(client, vendor);
    const good = Buffer.concat(events.slice(0, 12));
    const garbage = garbageAfter(events[12] ?? Buffer.alloc(0));
    const bodyBase64 = Buffer.concat([good, garbage]).toString('base64');
    // Good bytes that arrive together with others may be refused with them, before anything was sent.
    return { bodyBase64, pieceBytes: [good.length, garbage.length], pieceDelayMs: 40 };
  };

/** Whether the client has got some of the text by then. */
const breaks: readonly (readonly [string, boolean, Break])[] = [
  ['is cut before its first text', false, stopped('cut', 1)],
  ['is cut after its first events', false, stopped('cut', 4)],
  ['is cut in the middle', true, stopped('cut', 12)],
  ['is reset in the middle', true, stopped('reset', 12)],
  ['ends in the middle, as if it were complete', true, stopped('end', 12)],
  ['has an error event after its first event', false, failing(1)],
  ['has an error event after its first events', false, failing(4)],
  ['has an error event in the middle', true, failing(12)],
  ['has an event that is no JSON', true, spoiled(() => Buffer.from('data: {"a":\n\n'))],
  ['has bytes that are no event', true, spoiled(() => Buffer.from(`\n\ndata: \u0000\ufffd${'x'.repeat(300)}\n\n`))],
  ['ends within an event', true, spoiled((next) => next.subarray(0, Math.floor(next.length / 2)))],
];

const rows = streamingClients
  .flatMap((client) => vendorNames.map((vendor) => [client.kind.file, vendor, client] as const))
  .map(([file, vendor, client], index) => [file, vendor, client, index] as const);

/** Each break for every client and every vendor, but in the short form only for every other pair of both. */
function breaksOf(row: number) {
  return roundsOf(2) > 2 ? breaks : breaks.filter((_, at) => (at + row) % 2 === 0);
}

describe.each(rows)('a stream in %s from %s', (_file, vendor, client, row) => {
  const target = () => ({ url: clients.scene.gateway.proxy.url, key: clients.scene.key, model: modelAt(vendor) });
  const play = (behaviour: Behaviour) => {
    clients.scene.gateway.simulator.reset();
    clients.scene.gateway.simulator.script(behaviour);
  };

  it('that is whole has its end, and no error', async () => {
    play({ tokens });
    const { status, events, isBroken } = await receiveStream(client, target());
    expect([status, isBroken]).toEqual([200, false]);
    expect(events.some((event) => client.isEnd(event))).toBe(true);
    play({ tokens });
    await client.read?.(target());
  });

  it.each(breaksOf(row))(
    'that %s ends with the client’s own error and a broken connection',
    async (_what, hasBegun, broken) => {
      const behaviour = await broken(client, vendor);
      play(behaviour);
      const { status, events, text, isBroken } = await receiveStream(client, target());
      if (hasBegun) expect([status, text]).toEqual([200, expect.stringContaining('token')]);
      if (status === 200) {
        expect(isBroken).toBe(true);
        expect(events.slice(-client.lastEvents.length)).toMatchObject(client.lastEvents);
        expect(events.filter((event) => client.isEnd(event))).toEqual([]);
        expect(text).not.toContain('[DONE]');
      } else {
        // Nothing had been sent yet.
        expect(status).toBeGreaterThanOrEqual(500);
        expect([isBroken, text]).toEqual([false, expect.stringContaining('message')]);
      }
      if (client.read === undefined) return;
      play(behaviour);
      await expect(client.read(target())).rejects.toBeInstanceOf(client.failure);
    },
  );
});
