// Responses that a vendor generates after their request has ended: when they are read, when and how they are settled,
// and their limits. The vendor, the ledger and time are fakes.
import { beforeEach, describe, expect, it } from 'vitest';
import { OccupiedShare } from '../../../../common/shares.ts';
import type { ChatCall, Outcome } from '../../../../proxy/call.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import { readStored } from '../../../../proxy/formats/responses/read-stored.ts';
import {
  BackgroundResponses,
  type BackgroundSlot,
  type SettledResponse,
} from '../../../../proxy/http/background-responses.ts';
import type { RequestRecord } from '../../../../proxy/http/exchange.ts';
import type { FetchStored } from '../../../../proxy/http/stored-request.ts';
import type { Target } from '../../../../proxy/providers/provider.ts';
import type { PlainContext } from '../../../../proxy/upstream/plain-exchange.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const minute = 60_000;
const hour = 60 * minute;
const usage = { input_tokens: 20, output_tokens: 10, total_tokens: 30 };
const owner = { organization: 'o', key: 'k' };
const inBackground = { request: { client: { store: { isBackground: true } } } } as unknown as ChatCall;
const target = {
  provider: { authorize: ({ headers }: { headers: string[] }) => headers, readStored },
  baseUrl: { origin: 'http://vendor', path: '/v1' },
  credential: { apiKey: undefined },
  providerKeyId: 'key-1',
} as unknown as Target;

type Respond = (context: PlainContext) => { readonly status: number; readonly value: object } | Error | Promise<never>;

let time: VirtualTime;
/** Seconds since the start at which it was read. */
let reads: number[];
let respond: Respond;
let bytes: OccupiedShare;
let outcomes: Outcome[];
let settled: SettledResponse[];
let defects: unknown[];
let responses: BackgroundResponses;
let paths: string[];

beforeEach(() => {
  time = new VirtualTime();
  [reads, outcomes, settled, defects, paths] = [[], [], [], [], []];
  respond = inState('in_progress');
  bytes = new OccupiedShare({ capacity: 1000, alpha: Number.POSITIVE_INFINITY });
  responses = open(10);
});

function open(max: number, organizationShare = 1): BackgroundResponses {
  const startedAt = time.monotonic();
  const fetchStored: FetchStored = async ({ method, origin, path }, context) => {
    reads.push((time.monotonic() - startedAt) / 1000);
    paths.push(`${method} ${origin}${path}`);
    const response = await respond(context);
    if (response instanceof Error) throw response;
    const body = Buffer.from(JSON.stringify(response.value));
    context.buffer(body.length);
    return { status: response.status, head: {}, body };
  };
  return new BackgroundResponses(
    { max, organizationShare },
    {
      ...{ fetchStored, bytes, clock: time, timers: time, random: () => 0.5 },
      background: (_name, promise) => void promise.catch((defect: unknown) => defects.push(defect)),
      onSettled: (one) => void settled.push(one),
    },
  );
}

function inState(status: string, fields: object = {}): Respond {
  return () => ({ status: 200, value: { id: 'resp_1', status, model: 'gpt-5-2025', usage: null, ...fields } });
}

function admitted(of = owner): BackgroundSlot {
  const slot = responses.admit(inBackground, of);
  if (slot === undefined) throw new Error('the request is for the background');
  return slot;
}

function follow({ id = 'resp_1', of = owner, textTokens = 0 } = {}): void {
  const outcome: Outcome = {
    ...{ ending: 'whole' as const, usage: undefined, usageIsComplete: false, textTokens: () => textTokens },
    ...{
      modelAnswered: 'gpt-5',
      target: undefined,
      attempts: 1,
      status: 200,
      errorSource: undefined,
      errorCode: undefined,
    },
    ...{ latencyMs: 5, firstTokenMs: undefined },
  };
  const settle = (one: Outcome) => {
    outcomes.push(one);
    return { cost: 7, estimateReason: undefined };
  };
  const record = { provider: 'gpt-provider', status: 200, costNano: 0 } as RequestRecord;
  admitted(of).follow({ requestId: 'request-1', id, target, outcome, record, reservation: { settle } });
}

describe('a response in the background', () => {
  it('is read with its own path, at growing intervals up to a minute, until it is over', async () => {
    follow();
    await time.advance(5 * minute);
    expect(reads.slice(0, 4)).toEqual([2, 5, 9.5, 16.25]);
    const gaps = reads.slice(1).map((at, index) => at - (reads[index] ?? 0));
    expect(Math.max(...gaps)).toBe(60);
    expect(paths[0]).toBe('GET http://vendor/v1/responses/resp_1');
    expect(outcomes).toEqual([]);
    const before = reads.length;
    respond = inState('completed', { usage });
    await time.advance(hour);
    expect(reads).toHaveLength(before + 1);
    expect(outcomes).toHaveLength(1);
  });

  it('is settled by the usage of its end, once, and its room is free again', async () => {
    respond = inState('completed', { usage });
    follow();
    expect([responses.open, responses.responses.used]).toEqual([1, 1]);
    await time.advance(minute);
    expect(outcomes).toMatchObject([
      {
        ...{ ending: 'whole', usageIsComplete: true, modelAnswered: 'gpt-5-2025', attempts: 1, status: 200 },
        usage: { promptTokens: 20, completionTokens: 10 },
      },
    ]);
    expect(settled).toMatchObject([
      {
        ...{ requestId: 'request-1', result: 'settled', status: 'completed', polls: 1, durationMs: 2000 },
        record: { usage: { promptTokens: 20, completionTokens: 10 }, costNano: 7 },
      },
    ]);
    expect([responses.open, responses.responses.used, bytes.used]).toEqual([0, 0, 0]);
  });

  it.each([
    ['incomplete', 'whole', { usage }],
    ['cancelled', 'whole', { usage }],
    ['failed', 'whole', { usage }],
  ])('that is %s with a usage is settled by it', async (status, ending, fields) => {
    respond = inState(status, fields);
    follow();
    await time.advance(minute);
    expect(outcomes).toMatchObject([{ ending, usageIsComplete: true }]);
  });

  it.each([
    ['failed', 0, 'unused'],
    ['failed', 5, 'cut'],
    ['cancelled', 0, 'cut'],
    ['completed', 0, 'whole'],
    ['of_a_new_kind', 0, 'cut'],
  ])('that is %s without a usage, after %i tokens of text, counts as %s', async (status, textTokens, ending) => {
    respond = inState(status);
    follow({ textTokens });
    await time.advance(minute);
    expect(outcomes).toMatchObject([{ ending, usage: undefined, usageIsComplete: false }]);
    expect(settled).toMatchObject([{ result: 'unreported', status }]);
  });

  it('that was deleted at the vendor is charged as one that was cut', async () => {
    respond = () => ({ status: 404, value: { error: {} } });
    follow();
    await time.advance(minute);
    expect(outcomes).toMatchObject([{ ending: 'cut', usageIsComplete: false }]);
    expect(settled).toMatchObject([{ result: 'gone', status: undefined }]);
  });

  it.each<[string, Respond]>([
    ['responds with an error', () => ({ status: 500, value: {} })],
    ['refuses the key', () => ({ status: 401, value: {} })],
    ['cannot be reached', () => new GatewayError('upstream_unreachable')],
    ['sends something else', () => ({ status: 200, value: { object: 'list' } })],
    ['sends more than there is room for', () => ({ status: 200, value: { text: 'x'.repeat(2000) } })],
  ])('is read again if the vendor %s', async (_, trouble) => {
    respond = trouble;
    follow();
    await time.advance(3000);
    respond = inState('completed', { usage });
    await time.advance(minute);
    expect(settled).toMatchObject([{ result: 'settled', polls: 2 }]);
    expect(bytes.used).toBe(0);
  });

  it('is read again if the vendor does not respond within half a minute', async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    respond = (context) => {
      context.onAbort({ abort: reject });
      return promise;
    };
    follow();
    await time.advance(31_000);
    respond = inState('completed', { usage });
    await time.advance(minute);
    expect(settled).toMatchObject([{ result: 'settled', polls: 2 }]);
  });

  it('is charged its reservation if it is not over after an hour', async () => {
    follow();
    await time.advance(hour + 2 * minute);
    expect(outcomes).toMatchObject([{ ending: 'timed_out', usageIsComplete: false }]);
    expect(settled).toMatchObject([{ result: 'timed_out' }]);
    expect(responses.open).toBe(0);
  });

  it('is charged its reservation after a defect, which is reported', async () => {
    respond = () => new TypeError('a defect');
    follow();
    await time.advance(minute);
    expect(outcomes).toMatchObject([{ ending: 'not_read' }]);
    expect(defects).toMatchObject([{ message: 'a defect' }]);
    expect(responses.responses.used).toBe(0);
  });
});

describe('an owner that has seen the end', () => {
  it('makes it be read at once', async () => {
    follow();
    await time.advance(2000);
    respond = inState('completed', { usage });
    responses.pollSoon(target, 'resp_1');
    await time.advance(0);
    expect(outcomes).toHaveLength(1);
  });

  it('can wait until it was read, before it is deleted', async () => {
    respond = inState('completed', { usage });
    follow();
    await responses.poll(target, 'resp_1');
    expect(outcomes).toHaveLength(1);
    await responses.poll(target, 'resp_1');
    expect(reads).toHaveLength(1);
  });

  it('of another response, or key, changes nothing', async () => {
    follow();
    responses.pollSoon(target, 'resp_2');
    responses.pollSoon({ ...target, providerKeyId: 'key-2' }, 'resp_1');
    await time.advance(0);
    expect(reads).toEqual([]);
  });
});

describe('room for responses in the background', () => {
  it('is not needed by other requests', () => {
    responses = open(0);
    expect(responses.admit({ request: {} } as ChatCall, owner)).toBeUndefined();
  });

  it('is taken before the vendor is called, and refused when there is none', () => {
    responses = open(1);
    const slot = admitted();
    expect(() => admitted()).toThrow(expect.objectContaining({ code: 'overloaded', status: 503 }));
    slot.release();
    expect(admitted()).toBeDefined();
  });

  it('is shared by organizations', async () => {
    responses = open(100, 0.25);
    const taken = (organization: string) => {
      for (let count = 0; ; count++) {
        try {
          follow({ id: `resp_${organization}${count}`, of: { organization, key: `key ${count}` } });
        } catch {
          return count;
        }
      }
    };
    expect([taken('a'), taken('b')]).toEqual([25, 19]);
    respond = inState('completed', { usage });
    await time.advance(minute);
    expect([responses.open, responses.responses.used, outcomes.length]).toEqual([0, 0, 44]);
  });
});

describe('when the gateway stops', () => {
  it('responses are read more often, and settled by their usage if they are over in time', async () => {
    follow();
    await time.advance(20 * minute);
    const before = reads.length;
    responses.hurry();
    await time.advance(20_000);
    expect(reads.length - before).toBeGreaterThanOrEqual(4);
    respond = inState('completed', { usage });
    await time.advance(5000);
    expect(settled).toMatchObject([{ result: 'settled' }]);
    await responses.idle();
  });

  it('the others are charged their reservations, also those that are being read and those that come later', async () => {
    const aborted: Error[] = [];
    respond = (context) =>
      new Promise((_, reject) => {
        context.onAbort({
          abort: (error) => {
            aborted.push(error);
            reject(error);
          },
        });
      });
    follow({ id: 'resp_1' });
    await time.advance(2000);
    follow({ id: 'resp_2' });
    const idle = responses.idle();
    responses.stop();
    await idle;
    follow({ id: 'resp_3' });
    await responses.idle();
    expect(aborted).toHaveLength(1);
    expect(outcomes.map(({ ending }) => ending)).toEqual(['shutdown', 'shutdown', 'shutdown']);
    expect(settled.map(({ result }) => result)).toEqual(['shutdown', 'shutdown', 'shutdown']);
    expect(responses.responses.used).toBe(0);
  });

  it('nothing is waited for if there is none', async () => {
    await responses.idle();
  });
});
