// LISTEN and NOTIFY: notifies every replica at once of commits, and of budgets whose money is needed. Notifications may
// be lost: the feed also polls, and proxies return idle money anyway.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { Client, type ClientConfig } from 'pg';
import { backoffMs } from '../../common/backoff.ts';
import { aRecord, aString } from '../../common/json-shape.ts';
import type { Logger } from '../../common/logger.ts';
import { readColumn } from './json-columns.ts';
import type { Schema } from './schema.ts';
import type { Reclaim } from './store.ts';

const channel = 'gateway_feed';
const reclaimChannel = 'gateway_recall';
const backoff = { firstMs: 100, maxMs: 5000 };
// A connection that died silently would never notify again, so it is checked regularly.
const checkMs = 5000;

/** Notifies when the transaction commits. */
export async function notify(tx: Transaction<Schema>): Promise<void> {
  await sql`select pg_notify(${channel}, '')`.execute(tx);
}

export interface Notification {
  onRing(ring: () => void): void;
  /** Sends a reclaim request to the other replicas. */
  reclaim(db: Kysely<Schema>, reclaim: Reclaim): Promise<void>;
  /** Calls the listener for reclaim requests of other replicas. */
  onReclaim(listener: (reclaim: Reclaim) => void): void;
  close(): Promise<void>;
}

/** Listens on a connection of its own, and connects again whenever it is lost. */
export function listenForNotifications(configuration: ClientConfig, log: Logger): Notification {
  const rings = new Set<() => void>();
  const reclaims = new Set<(reclaim: Reclaim) => void>();
  // Distinguishes this replica's own reclaim requests from others'.
  const self = randomUUID();
  const stopped = new AbortController();
  const listening = listenForever(configuration, stopped.signal, {
    log,
    ring: () => {
      for (const ring of rings) ring();
    },
    reclaim: ({ from, ...reclaim }) => {
      if (from === self) return;
      for (const listener of reclaims) listener(reclaim);
    },
  });
  return {
    onRing: (ring) => void rings.add(ring),
    onReclaim: (listener) => void reclaims.add(listener),
    reclaim: async (db, reclaim) => {
      await sql`select pg_notify(${reclaimChannel}, ${JSON.stringify({ ...reclaim, from: self })})`.execute(db);
    },
    close: () => {
      stopped.abort();
      return listening;
    },
  };
}

interface Listener {
  readonly log: Logger;
  ring(): void;
  reclaim(reported: ReclaimNote): void;
}

interface ReclaimNote extends Reclaim {
  readonly from: string;
}

const theNote = aRecord<ReclaimNote>({
  budgetId: aString,
  organizationId: aString,
  window: aString,
  from: aString,
});

async function listenForever(
  configuration: ClientConfig,
  signal: AbortSignal,
  { log, ring, reclaim }: Listener,
): Promise<void> {
  let failures = 0;
  const listened = () => {
    failures = 0;
    // Commits were missed while there was no connection.
    ring();
  };
  while (!signal.aborted) {
    try {
      await listenOnce(configuration, signal, { ring, reclaim, listened });
    } catch (err) {
      if (signal.aborted) return;
      if (failures === 0) log.warn({ err }, 'the connection that listens for changes was lost; polling');
      failures++;
      await pause(backoffMs(failures, backoff), signal);
    }
  }
}

/** Listens until the connection fails or the signal aborts, and throws the reason. */
async function listenOnce(
  configuration: ClientConfig,
  signal: AbortSignal,
  on: Pick<Listener, 'ring' | 'reclaim'> & { listened(): void },
): Promise<never> {
  const client = new Client(configuration);
  const over = new AbortController();
  const end = (reason: unknown) => over.abort(reason);
  const stop = () => end(signal.reason);
  const reclaimFrom = (payload: string) => {
    try {
      on.reclaim(readColumn(payload, theNote, `a notification of ${reclaimChannel}`));
    } catch (error) {
      end(error);
    }
  };
  over.signal.addEventListener('abort', () => client.connection.stream.destroy());
  client.on('error', end);
  client.on('end', () => end(new Error('the database closed the connection')));
  signal.addEventListener('abort', stop);
  try {
    await client.connect();
    client.on('notification', ({ channel: from, payload }) => {
      if (from === channel) on.ring();
      else if (from === reclaimChannel) reclaimFrom(payload ?? '');
    });
    await client.query(`listen ${channel}; listen ${reclaimChannel}`);
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
