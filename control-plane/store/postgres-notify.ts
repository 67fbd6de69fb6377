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
import type { Recall } from './store.ts';

const channel = 'gateway_feed';
const recallChannel = 'gateway_recall';
const backoff = { firstMs: 100, maxMs: 5000 };
// A connection that died silently would never notify again, so it is checked regularly.
const checkMs = 5000;

/** Notifies when the transaction commits. */
export async function ringBell(tx: Transaction<Schema>): Promise<void> {
  await sql`select pg_notify(${channel}, '')`.execute(tx);
}

export interface Bell {
  onRing(ring: () => void): void;
  /** Sends a reclaim request to the other replicas. */
  recall(db: Kysely<Schema>, recall: Recall): Promise<void>;
  /** Calls the listener for reclaim requests of other replicas. */
  onRecall(listener: (recall: Recall) => void): void;
  close(): Promise<void>;
}

/** Listens on a connection of its own, and connects again whenever it is lost. */
export function listenForBell(configuration: ClientConfig, log: Logger): Bell {
  const rings = new Set<() => void>();
  const recalls = new Set<(recall: Recall) => void>();
  // Distinguishes this replica's own reclaim requests from others'.
  const self = randomUUID();
  const stopped = new AbortController();
  const listening = listenForever(configuration, stopped.signal, {
    log,
    ring: () => {
      for (const ring of rings) ring();
    },
    recall: ({ from, ...recall }) => {
      if (from === self) return;
      for (const listener of recalls) listener(recall);
    },
  });
  return {
    onRing: (ring) => void rings.add(ring),
    onRecall: (listener) => void recalls.add(listener),
    recall: async (db, recall) => {
      await sql`select pg_notify(${recallChannel}, ${JSON.stringify({ ...recall, from: self })})`.execute(db);
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
  recall(reported: RecallNote): void;
}

interface RecallNote extends Recall {
  readonly from: string;
}

const theNote = aRecord<RecallNote>({
  budgetId: aString,
  organizationId: aString,
  window: aString,
  from: aString,
});

async function listenForever(
  configuration: ClientConfig,
  signal: AbortSignal,
  { log, ring, recall }: Listener,
): Promise<void> {
  let failures = 0;
  const listened = () => {
    failures = 0;
    // Commits were missed while there was no connection.
    ring();
  };
  while (!signal.aborted) {
    try {
      await listenOnce(configuration, signal, { ring, recall, listened });
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
  on: Pick<Listener, 'ring' | 'recall'> & { listened(): void },
): Promise<never> {
  const client = new Client(configuration);
  const over = new AbortController();
  const end = (reason: unknown) => over.abort(reason);
  const stop = () => end(signal.reason);
  const recallFrom = (payload: string) => {
    try {
      on.recall(readColumn(payload, theNote, `a notification of ${recallChannel}`));
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
      else if (from === recallChannel) recallFrom(payload ?? '');
    });
    await client.query(`listen ${channel}; listen ${recallChannel}`);
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
