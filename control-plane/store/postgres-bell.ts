// LISTEN and NOTIFY: tells every replica at once that something was committed. A bell and no message: it may be missed, and
// whoever listens also looks by themselves now and then.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Transaction } from 'kysely';
import { Client, type ClientConfig } from 'pg';
import { backoffMs } from '../../common/backoff.ts';
import type { Logger } from '../../common/logger.ts';
import type { Schema } from './schema.ts';

const channel = 'gateway_feed';
const backoff = { firstMs: 100, maxMs: 5000 };
// A connection that died silently would never ring again, so it is asked now and then.
const checkMs = 5000;

/** Rings when the transaction commits. */
export async function ringBell(tx: Transaction<Schema>): Promise<void> {
  await sql`select pg_notify(${channel}, '')`.execute(tx);
}

export interface Bell {
  onRing(ring: () => void): void;
  close(): Promise<void>;
}

/** Listens on a connection of its own, and connects again whenever that is lost. */
export function listenForBell(configuration: ClientConfig, log: Logger): Bell {
  const rings = new Set<() => void>();
  const stopped = new AbortController();
  const listening = listenForever(configuration, stopped.signal, {
    log,
    ring: () => {
      for (const ring of rings) ring();
    },
  });
  return {
    onRing: (ring) => void rings.add(ring),
    close: () => {
      stopped.abort();
      return listening;
    },
  };
}

interface Listener {
  readonly log: Logger;
  ring(): void;
}

async function listenForever(
  configuration: ClientConfig,
  signal: AbortSignal,
  { log, ring }: Listener,
): Promise<void> {
  let failures = 0;
  const listened = () => {
    failures = 0;
    // What was committed while nobody listened is waiting.
    ring();
  };
  while (!signal.aborted) {
    try {
      await listenOnce(configuration, signal, { ring, listened });
    } catch (err) {
      if (signal.aborted) return;
      if (failures === 0) log.warn({ err }, 'the connection that listens for changes was lost; polling');
      failures++;
      await pause(backoffMs(failures, backoff), signal);
    }
  }
}

/** Listens until the connection fails or the signal aborts, which it throws. */
async function listenOnce(
  configuration: ClientConfig,
  signal: AbortSignal,
  on: { readonly ring: () => void; readonly listened: () => void },
): Promise<never> {
  const client = new Client(configuration);
  const over = new AbortController();
  const end = (reason: unknown) => over.abort(reason);
  const stop = () => end(signal.reason);
  over.signal.addEventListener('abort', () => client.connection.stream.destroy());
  client.on('error', end);
  client.on('end', () => end(new Error('the database closed the connection')));
  signal.addEventListener('abort', stop);
  try {
    await client.connect();
    client.on('notification', on.ring);
    await client.query(`listen ${channel}`);
    on.listened();
    for (;;) {
      await pause(checkMs, over.signal);
      over.signal.throwIfAborted();
      await client.query('select 1');
    }
  } finally {
    signal.removeEventListener('abort', stop);
    end(undefined);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined);
}
