// The access service without a transport, and a proxy that watches it: it records the sent messages and has as much
// room as the test gives it.
import { createSigningKey, parseSigningKey } from '../../common/record-signature.ts';
import { createSealKey, parseSealKeys } from '../../common/seal.ts';
import { type FeedDeps, startFeed } from '../../control-plane/changes/feed.ts';
import type { WatchStream } from '../../control-plane/changes/watch.ts';
import type { ProxyCaller } from '../../control-plane/rpc/caller.ts';
import type { CallError } from '../../control-plane/rpc/errors.ts';
import {
  type AccessDeps,
  type AccessService,
  createAccessService,
  defaultAccessLimits,
} from '../../control-plane/services/access.ts';
import { openRecordSigner } from '../../control-plane/services/record-signer.ts';
import type { Store } from '../../control-plane/store/store.ts';
import type { Position } from '../../proto/generated/gateway/v1/Position.ts';
import type { WatchRequest__Output } from '../../proto/generated/gateway/v1/WatchRequest.ts';
import type { WatchResponse } from '../../proto/generated/gateway/v1/WatchResponse.ts';
import type { WatchStart__Output } from '../../proto/generated/gateway/v1/WatchStart.ts';
import { until } from './process.ts';
import { silentLog } from './silent-log.ts';
import { VirtualTime } from './virtual-time.ts';

export class WatchingProxy implements WatchStream {
  readonly received: WatchResponse[] = [];
  /** Undefined while the watch runs, null once it has ended in order. */
  ended: CallError | null | undefined;
  /** Number of messages that still fit. */
  room = Number.POSITIVE_INFINITY;
  #onMessage: (message: WatchRequest__Output) => void = unset;
  #onClose: () => void = unset;
  #onDrain: () => void = unset;

  onMessage(handler: (message: WatchRequest__Output) => void): void {
    this.#onMessage = handler;
  }

  onClose(handler: () => void): void {
    this.#onClose = handler;
  }

  onDrain(handler: () => void): void {
    this.#onDrain = handler;
  }

  send(message: WatchResponse): boolean {
    if (this.room <= 0) throw new Error('sent although there was no room');
    this.received.push(message);
    this.room--;
    return this.room > 0;
  }

  end(error?: CallError): void {
    this.ended = error ?? null;
  }

  start(start: Partial<WatchStart__Output> = {}): void {
    this.#onMessage({ start: { maxStaleSeconds: 0, ...start }, message: 'start' });
  }

  /** Starts at a position. */
  startAt({ epoch, revision }: { readonly epoch: string; readonly revision: number }): void {
    this.start({ since: { epoch, revision: String(revision) } });
  }

  ask(nonce: number): void {
    this.#onMessage({ ask: { nonce: String(nonce) }, message: 'ask' });
  }

  leave(): void {
    this.#onClose();
  }

  drain(room = Number.POSITIVE_INFINITY): void {
    this.room = room;
    this.#onDrain();
  }

  /** Waits for this number of messages in all. @returns them, named by kind */
  async messages(count: number): Promise<readonly WatchResponse[]> {
    await until(() => this.received.length >= count, { what: `message ${count} of the watch` });
    return this.received;
  }

  /** Waits until the watch has ended. */
  untilEnded(): Promise<unknown> {
    return until(() => this.ended !== undefined, { what: 'the watch to end' });
  }

  /** Kinds, with revisions of changes: "started 3", "changes 4 4 5", "response 1 5", "reclaim budget-1 total". */
  get story(): string[] {
    return this.received.map(send);
  }
}

function send(message: WatchResponse): string {
  const { answer: response, changes, reset, started } = message;
  if (message.recall) return `reclaim ${message.recall.budgetId} ${message.recall.window}`;
  if (changes) return `changes ${(changes.invalidations ?? []).map((row) => row.revision).join(' ')}`;
  if (response) return `response ${response.nonce} ${revisionOf(response.position)}`;
  return started ? `started ${revisionOf(started.horizon)}` : `reset ${revisionOf(reset?.horizon)}`;
}

function revisionOf(position: Position | null | undefined): string {
  return String(position?.revision);
}

function unset(): never {
  throw new Error('the watch has not begun');
}

export const anyProxy: ProxyCaller = {
  kind: 'proxy',
  id: 'proxy-1',
  organizationId: undefined,
  from: '192.0.2.1',
};
/** Sees organization-1 only. */
export const boundProxy: ProxyCaller = { ...anyProxy, id: 'proxy-2', organizationId: 'organization-1' };

const signing = {
  recordSigningKey: parseSigningKey(createSigningKey()),
  recordSigningKeyFile: undefined,
  masterKey: parseSealKeys(createSealKey()),
};

/** A control plane's access service with timers that stand still. */
export async function startAccess(store: Store, options: Partial<AccessDeps & FeedDeps> = {}) {
  const time = new VirtualTime();
  const log = silentLog;
  const feed = await startFeed({ store, log, timers: time, ...options });
  const service = createAccessService({
    ...{ store, feed, log, timers: time, clock: time, random: () => 0.5 },
    ...{ sealKeys: parseSealKeys(createSealKey()), limits: defaultAccessLimits },
    signer: openRecordSigner(signing, { log }),
    ...options,
  });
  return { time, feed, service };
}

export function beginWatch(service: AccessService, caller = anyProxy) {
  const proxy = new WatchingProxy();
  const done = service.watch(caller, proxy);
  return { proxy, done };
}
