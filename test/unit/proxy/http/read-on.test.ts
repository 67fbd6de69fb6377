// How many responses are read on after their caller left, for which organizations, and how the others end. Attempts and
// exchanges are fakes, because their own tests cover them.
import { describe, expect, it } from 'vitest';
import type { ResponseEnd } from '../../../../proxy/conversation/response-end.ts';
import type { Exchange } from '../../../../proxy/http/exchange.ts';
import { ReadOn, type ReadOnResult } from '../../../../proxy/http/read-on.ts';

class FakeAttempt {
  ending: ResponseEnd = 'open';
  stops = false;
  readonly #over = Promise.withResolvers<void>();

  readOn(): Promise<void> {
    return this.#over.promise;
  }

  giveUp(reason: ResponseEnd): void {
    this.end(reason);
  }

  end(ending: ResponseEnd): void {
    this.ending = ending;
    this.#over.resolve();
  }
}

function open(limits: { readonly max: number; readonly organizationShare: number }) {
  const results: ReadOnResult[] = [];
  let count = 0;
  const readOn = new ReadOn(limits, { readOn: (result) => void results.push(result) });
  const leave = (organization = 'o', { stops = false, hangUp = 'cancel' as 'cancel' | 'read' } = {}) => {
    const attempt = new FakeAttempt();
    attempt.stops = stops;
    const exchange = {
      ...{ attempt, owner: { organization, key: `key ${count++}` } },
      ...{ readOnStarted: () => undefined, readOnEnded: () => undefined },
    };
    const reading = readOn.finish(exchange as unknown as Exchange, { hangUp });
    return { attempt, reading };
  };
  return { readOn, results, leave };
}

describe('a response whose caller has left', () => {
  it('is read on to its end', async () => {
    const { readOn, results, leave } = open({ max: 2, organizationShare: 1 });
    const { attempt, reading } = leave();
    expect([readOn.open, attempt.ending]).toEqual([1, 'open']);
    attempt.end('whole');
    await reading;
    expect([readOn.open, results]).toEqual([0, ['read']]);
  });

  it('is cancelled when its provider stops generating, unless the organization wants it read', () => {
    const { readOn, results, leave } = open({ max: 2, organizationShare: 1 });
    expect(leave('o', { stops: true }).attempt.ending).toBe('left');
    expect(leave('o', { stops: true, hangUp: 'read' }).attempt.ending).toBe('open');
    expect([readOn.open, results]).toEqual([1, ['left']]);
  });

  it('is ignored when it has ended or was never sent', () => {
    const { readOn, results } = open({ max: 1, organizationShare: 1 });
    const ended = new FakeAttempt();
    ended.end('whole');
    for (const attempt of [ended, undefined])
      expect(readOn.finish({ attempt } as unknown as Exchange, { hangUp: 'cancel' })).toBeUndefined();
    expect(results).toEqual([]);
  });
});

describe('slots for reading on', () => {
  it('are limited, and a further response is given up', async () => {
    const { results, leave } = open({ max: 2, organizationShare: 1 });
    const first = leave();
    leave();
    expect(leave().attempt.ending).toBe('not_read');
    first.attempt.end('whole');
    await first.reading;
    expect(leave().attempt.ending).toBe('open');
    expect(results).toEqual(['not_read', 'read']);
  });

  it('are none with a limit of 0', () => {
    const { leave } = open({ max: 0, organizationShare: 1 });
    expect(leave().attempt.ending).toBe('not_read');
  });

  it('are shared: whatever k organizations take, one remains for the next', () => {
    const { readOn, leave } = open({ max: 1000, organizationShare: 0.25 });
    const taken = (organization: string) => {
      let count = 0;
      while (leave(organization).attempt.ending === 'open') count += 1;
      return count;
    };
    // An organization gets a third of the free slots: alone a quarter of all, and each further one a quarter of the
    // rest.
    const counts = ['a', 'b', 'c', 'd', 'e'].map(taken);
    expect(counts).toEqual([250, 188, 141, 106, 79]);
    expect(readOn.open).toBeLessThan(1000);
  });

  it('are free again for an organization whose responses have ended', async () => {
    const { leave } = open({ max: 4, organizationShare: 0.5 });
    const first = leave('a');
    const second = leave('a');
    expect(leave('a').attempt.ending).toBe('not_read');
    first.attempt.end('reset');
    second.attempt.end('whole');
    await Promise.all([first.reading, second.reading]);
    expect(leave('a').attempt.ending).toBe('open');
  });
});

describe('reading on when the gateway stops', () => {
  it('gives up its responses, and accepts no further ones', async () => {
    const { readOn, results, leave } = open({ max: 5, organizationShare: 1 });
    const { attempt, reading } = leave();
    const idle = readOn.idle();
    readOn.stop();
    await reading;
    await idle;
    expect(attempt.ending).toBe('shutdown');
    expect(leave().attempt.ending).toBe('shutdown');
    expect(results).toEqual(['shutdown', 'shutdown']);
  });

  it('ends at once when no response is read on', async () => {
    await open({ max: 1, organizationShare: 1 }).readOn.idle();
  });
});
