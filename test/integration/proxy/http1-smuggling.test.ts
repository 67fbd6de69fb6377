// No bytes make the engine see another request than node:http sees: on a fresh connection, and on one that was given to
// node:http before.
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type EngineListener,
  play,
  startEngine,
  startNodeHttp,
  type TestListener,
  withoutDates,
} from '../../support/http1-listener.ts';
import { lastRequest, rawRequests } from '../../support/raw-requests.ts';

let engine: EngineListener;
let reference: TestListener;

beforeAll(async () => {
  engine = await startEngine();
  reference = await startNodeHttp();
});
afterAll(() => Promise.all([engine.close(), reference.close()]));

/** A request that is not in the plain form, after which its connection is used again. */
const notPlain = 'PUT /before HTTP/1.1\r\nHost: x\r\n\r\n';

const statuses = (text: string) => [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
const targets = (text: string) => [...text.matchAll(/"target":"([^"]*)"/g)].map(([, target]) => target);

async function played(port: number, ...pieces: readonly string[]): Promise<string> {
  return withoutDates((await play(port, pieces, { inTurn: true, quietMs: 500 })).text);
}

it(`${rawRequests.length} hostile requests get the same responses as from node:http, or are refused`, async () => {
  const different: unknown[] = [];
  await Promise.all(
    rawRequests.map(async ({ what, bytes, stricter }) => {
      const [ours, theirs] = await Promise.all([
        played(engine.port, bytes + lastRequest),
        played(reference.port, bytes + lastRequest),
      ]);
      if (stricter !== undefined) expect([what, statuses(ours), targets(ours)]).toEqual([what, [400], []]);
      else if (ours !== theirs) different.push({ what, ours, theirs });
    }),
  );
  expect(different).toEqual([]);
}, 20_000);

it('after a connection was given to node:http, its responses are the same as there', async () => {
  const before = engine.handedOver.http;
  const different: unknown[] = [];
  await Promise.all(
    rawRequests.map(async ({ what, bytes }) => {
      const ours = await played(engine.port, notPlain, bytes + lastRequest);
      const theirs = await played(reference.port, notPlain, bytes + lastRequest);
      if (ours !== theirs) different.push({ what, ours, theirs });
    }),
  );
  expect(different).toEqual([]);
  expect(engine.handedOver.http - before).toBe(rawRequests.length);
}, 20_000);
