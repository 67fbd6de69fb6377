// A reservation that outlasts its request: it settles as it would have before, and keeps no text.
import { describe, expect, it } from 'vitest';
import type { ChatCall } from '../../../../proxy/call.ts';
import { withoutTexts } from '../../../../proxy/ledger/outlasting-call.ts';
import { createRequestLedger } from '../../../../proxy/ledger/request-ledger.ts';
import { PriceTable } from '../../../../proxy/pricing/price-book.ts';
import { LocalRates } from '../../../../proxy/rates/local-rates.ts';
import type { UsageEvent } from '../../../../proxy/usage/ledger-client.ts';
import { chatCallOf, outcomeWith } from '../../../support/charged-calls.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const text = 'a secret text '.repeat(1000);
const fields = { messages: [{ role: 'user', content: text }], service_tier: 'flex', metadata: { a: text } };

function callOf(model: string): ChatCall {
  const call = chatCallOf('gpt-provider', model, fields);
  const client = { ...{ translation: {}, path: {}, body: { input: text }, bytes: Buffer.from(text) } };
  const store = { ids: new Map(), isBackground: true };
  return { ...call, request: { ...call.request, client: { ...client, store } as never } };
}

/** @returns the event of a request that was reserved and settled */
function settledEvent(model: string, outlasts: boolean): UsageEvent | undefined {
  const time = new VirtualTime();
  const events: UsageEvent[] = [];
  const ledger = createRequestLedger({
    budgets: {
      take: () => {
        throw new Error('there is no budget');
      },
      takeNow: () => undefined,
      stamp: () => ({ id: 'id', at: 0, session: '' }),
    },
    usageLog: {
      hasRoom: true,
      record: (event) => void events.push(event as UsageEvent),
      close: () => Promise.resolve(),
    },
    outputTokensDefault: 8192,
    metrics: { refused: () => undefined },
    budgetMetrics: { refused: () => undefined, unpriced: () => undefined, estimated: () => undefined },
    rates: new LocalRates({ clock: time, onTake: () => undefined }),
    prices: new PriceTable(),
  });
  const reservation = ledger.reserve(callOf(model));
  if (reservation instanceof Promise) throw new Error('nothing has to be waited for');
  const settling = outlasts ? reservation.outlasting() : reservation;
  settling.settle(outcomeWith({ ending: 'timed_out' }));
  return events[0];
}

describe('a response that outlasts its request', () => {
  it.each(['gpt-4o', 'a-model-without-a-price'])('is charged as if it had not, with %s', (model) => {
    const event = settledEvent(model, true);
    expect(event).toEqual(settledEvent(model, false));
    expect(event).toMatchObject({ estimated: true, estimateReason: 'timed_out', completionTokens: expect.any(Number) });
    expect(event?.completionTokens).toBeGreaterThan(8000);
    expect(event?.promptTokens).toBeGreaterThan(3000);
  });

  it('keeps no text of the request', () => {
    const kept = withoutTexts(callOf('gpt-4o'));
    expect(JSON.stringify(kept.request)).not.toContain('secret');
    expect(kept.request).toMatchObject({ body: { service_tier: 'flex' }, bytes: callOf('gpt-4o').request.bytes });
    expect(kept.request.client?.store?.isBackground).toBe(true);
  });
});
