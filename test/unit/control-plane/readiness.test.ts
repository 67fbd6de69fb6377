// When a replica of the control plane reports that it is ready.
import { describe, expect, it } from 'vitest';
import { watchReadiness } from '../../../control-plane/telemetry/readiness.ts';
import { VirtualTime } from '../../support/virtual-time.ts';

function readiness() {
  const time = new VirtualTime();
  const database: { responses: boolean; full: string | undefined } = { responses: true, full: undefined };
  const position = () =>
    database.responses ? Promise.resolve({ epoch: 'e', revision: 1 }) : new Promise<never>(() => undefined);
  const whyNotWritable = async () => database.full;
  const watched = watchReadiness({ store: { position, whyNotWritable }, clock: time, timers: time });
  const reported: boolean[] = [];
  return { time, database, watched, reported, start: () => watched.started((ready) => reported.push(ready)) };
}

describe('readiness of a control plane', () => {
  it('begins with the last listener', () => {
    const { watched, start } = readiness();
    expect(watched.notReady()).toBe('it is starting');
    start();
    expect(watched.notReady()).toBeUndefined();
  });

  it('ends while the database does not respond, and each change is logged once', async () => {
    const { time, database, watched, reported, start } = readiness();
    start();
    await time.advance(10_000);
    database.responses = false;
    await time.advance(4000);
    expect(watched.notReady()).toBeUndefined();
    await time.advance(60_000);
    expect(watched.notReady()).toBe('the database cannot be reached');
    expect(reported).toEqual([false]);
  });

  it('returns when the database is back', async () => {
    const time = new VirtualTime();
    let fails = true;
    const position = () => (fails ? Promise.reject(new Error('down')) : Promise.resolve({ epoch: 'e', revision: 1 }));
    const whyNotWritable = async () => undefined;
    const watched = watchReadiness({ store: { position, whyNotWritable }, clock: time, timers: time });
    const reported: boolean[] = [];
    watched.started((ready) => reported.push(ready));
    await time.advance(10_000);
    fails = false;
    await time.advance(2000);
    expect(reported).toEqual([false, true]);
  });

  it('ends while the database refuses writes, and proxies are still served', async () => {
    const { time, database, watched, reported, start } = readiness();
    start();
    await time.advance(2000);
    database.full = 'the disk of the database is full';
    await time.advance(6000);
    expect(watched.notReady()).toBe('the disk of the database is full');
    expect(watched.isWritable()).toBe(false);
    expect(reported).toEqual([]);
    database.full = undefined;
    await time.advance(2000);
    expect(watched.notReady()).toBeUndefined();
    expect(watched.isWritable()).toBe(true);
  });

  it('ends when the program stops', () => {
    const { watched, reported, start } = readiness();
    start();
    watched.drain();
    expect(watched.notReady()).toBe('it is stopping');
    expect(reported).toEqual([false]);
  });
});
