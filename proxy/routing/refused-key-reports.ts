// Reports provider keys that a vendor refuses to the control plane, which notifies the organization. While the control
// plane does not respond, reports wait here, in bounded memory, and are sent later. The secret is no part of a report.
//
// Who can make this wrong on purpose? An organization with very many refused keys fills its own part of the waiting
// reports alone, and a report that the control plane refuses does not take others with it.
import type { Background } from '../../common/background.ts';
import { backoffMs } from '../../common/backoff.ts';
import type { Clock } from '../../common/clock.ts';
import type { Timers } from '../../common/timers.ts';
import type { KeyCause, KeyOut } from './health-events.ts';

export interface RefusedKey {
  readonly organizationId: string;
  readonly providerKeyId: string;
  readonly cause: KeyCause;
  /** Undefined: all models of the key. */
  readonly model: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface RefusedKeyClient {
  /**
   * @returns ids of provider keys to be reported again later, or that the control plane will never accept this report:
   * it does not know the method, or one of the keys is wrong
   * @throws any other error, which may be temporary
   */
  report(keys: readonly RefusedKey[]): Promise<readonly string[] | 'refused'>;
}

/** `dropped`: there was no room, or the control plane refused the report. */
export type ReportResult = 'reported' | 'dropped';

export interface RefusedKeyReportsDeps {
  readonly client: RefusedKeyClient;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Background;
  readonly random: () => number;
  readonly metrics: { keyReport(result: ReportResult, keys: number): void };
}

const waitingMax = 1_000;
const perOrganizationMax = 50;
/** The contract's limit for one report. */
const reportMax = 100;
/** Keys that are refused together are reported together. */
const soonMs = 1_000;
const retry = { firstMs: 2_000, maxMs: 60_000 };

export class RefusedKeyReports {
  readonly #deps: RefusedKeyReportsDeps;
  /** By key and extent: what waits already is not reported twice. */
  readonly #waiting = new Map<string, RefusedKey>();
  readonly #perOrganization = new Map<string, number>();
  /** Reports that failed in a row. */
  #failures = 0;
  /** One at a time, after a report of several was refused. */
  #size = reportMax;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(deps: RefusedKeyReportsDeps) {
    this.#deps = deps;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  add({ organization: organizationId, providerKeyId, cause, model }: KeyOut): void {
    const key = { organizationId, providerKeyId, cause, model, at: this.#deps.clock.now() };
    const id = idOf(key);
    if (this.#waiting.has(id)) return;
    const ofOrganization = this.#perOrganization.get(organizationId) ?? 0;
    if (this.#isClosed || this.#waiting.size >= waitingMax || ofOrganization >= perOrganizationMax) {
      this.#deps.metrics.keyReport('dropped', 1);
      return;
    }
    this.#waiting.set(id, key);
    this.#perOrganization.set(organizationId, ofOrganization + 1);
    this.#cancel ??= this.#after(soonMs);
  }

  /** Reports what waits, once; the rest is dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    if (this.#waiting.size > 0) await this.#report().catch(() => undefined);
    this.#cancel?.();
    if (this.#waiting.size > 0) this.#deps.metrics.keyReport('dropped', this.#waiting.size);
  }

  #after(delayMs: number): () => void {
    return this.#deps.timers.after(delayMs, () => this.#deps.background('refused provider keys', this.#report()));
  }

  /** Never rejects because of the control plane: an outage is no failure of this task. */
  async #report(): Promise<void> {
    const keys = [...this.#waiting.values()].slice(0, this.#size);
    const result = await this.#deps.client.report(keys).catch(() => undefined);
    if (result === undefined) this.#failures++;
    else this.#received(keys, result);
    const isMore = this.#waiting.size > 0 && !this.#isClosed;
    this.#cancel = isMore ? this.#after(this.#delayMs()) : undefined;
    if (this.#waiting.size === 0) this.#size = reportMax;
  }

  #received(keys: readonly RefusedKey[], result: readonly string[] | 'refused'): void {
    if (result === 'refused' && keys.length > 1) {
      this.#size = 1;
      return;
    }
    const later = new Set(result === 'refused' ? [] : result);
    const done = keys.filter(({ providerKeyId }) => !later.has(providerKeyId));
    // If none was accepted, the organizations have used their shares of changes, and time will help.
    this.#failures = done.length > 0 ? 0 : this.#failures + 1;
    for (const key of done) this.#remove(key);
    // The others first: an organization whose turn does not come delays only itself.
    for (const key of keys.filter(({ providerKeyId }) => later.has(providerKeyId))) this.#moveBack(key);
    if (done.length > 0) this.#deps.metrics.keyReport(result === 'refused' ? 'dropped' : 'reported', done.length);
  }

  #delayMs(): number {
    if (this.#failures > 0) return backoffMs(this.#failures, retry, this.#deps.random);
    return this.#size === 1 ? 0 : soonMs;
  }

  #remove(key: RefusedKey): void {
    this.#waiting.delete(idOf(key));
    const left = (this.#perOrganization.get(key.organizationId) ?? 1) - 1;
    if (left > 0) this.#perOrganization.set(key.organizationId, left);
    else this.#perOrganization.delete(key.organizationId);
  }

  #moveBack(key: RefusedKey): void {
    const id = idOf(key);
    this.#waiting.delete(id);
    this.#waiting.set(id, key);
  }
}

/** As the control plane counts them: all models of a key, or one. */
function idOf({ providerKeyId, model }: RefusedKey): string {
  return `${providerKeyId} ${model === undefined ? 'whole' : 'model'}`;
}
