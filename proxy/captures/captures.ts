// Captures on their way to the control plane: sealed at their end, then in batches from a bounded queue of which each
// organization has its share. What finds no room or cannot be reported is dropped, and counted. No plain text waits here.
import type { Background } from '../../common/background.ts';
import { type CapturedContent, sealContent } from '../../common/captured-content.ts';
import type { Clock } from '../../common/clock.ts';
import { dayMs } from '../../common/durations.ts';
import { OccupiedShare, type ShareOwner } from '../../common/shares.ts';
import type { Timers } from '../../common/timers.ts';
import { uuidTime } from '../../common/uuid.ts';
import type { CaptureSide } from '../../proto/words/captures.ts';
import { captureRulesOf, sampledRule } from '../access/capture.ts';
import type { CaptureRule, CaptureSettings } from '../access/capture-settings.ts';
import type { Principal } from '../access/principal.ts';
import { shares } from '../shares.ts';
import { Capture, type CaptureInput, type CaptureSides } from './capture.ts';

/** `ReportedCapture` of the contract, which documents the fields. */
export interface SealedSide {
  readonly organizationId: string;
  readonly keyId: string;
  readonly id: string;
  readonly requestId: string;
  readonly side: CaptureSide;
  readonly settingId: string;
  readonly generation: number;
  readonly expiresAt: number;
  readonly sealed: Buffer;
}

export interface CaptureClient {
  /**
   * @returns how many of the sides the control plane dropped; `refused` if it will never accept them. @throws an error
   * that may be temporary
   */
  report(sides: readonly SealedSide[]): Promise<{ readonly dropped: number } | 'refused'>;
}

export interface CaptureMetrics {
  /** Sides of requests. */
  recorded(sides: number): void;
  dropped(sides: number): void;
}

export interface CapturesDeps {
  readonly client: CaptureClient;
  readonly metrics: CaptureMetrics;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Background;
}

/** A request that may be captured. */
export interface CaptureRequest extends CaptureInput {
  readonly principal: Principal;
  /** Of the request's row. */
  readonly id: string;
  /** That the caller got. */
  readonly requestId: string;
}

/** The contract's limits for one report. */
const reportMax = 100;
const reportBytesMax = 3 * 1024 * 1024;
const lingerMs = 500;
const retryMsMax = 30_000;
/** A control plane that does not know captures yet is tried again after this. */
const refusedMs = 300_000;
const closeMs = 2_000;

interface Captured {
  readonly settings: CaptureSettings;
  readonly rule: CaptureRule;
  readonly request: Pick<CaptureRequest, 'id' | 'requestId'>;
  readonly owner: ShareOwner;
}

export class Captures {
  readonly share = new OccupiedShare(shares.capture_bytes.bounds);
  readonly #deps: CapturesDeps;
  #waiting: SealedSide[] = [];
  #reporting: Promise<void> | undefined;
  #failures = 0;
  /** Monotonic, before which nothing is reported. */
  #notBefore = 0;
  #cancelReport: (() => void) | undefined;

  constructor(deps: CapturesDeps) {
    this.#deps = deps;
  }

  /** @returns undefined if no rule captures the request */
  begin({ principal, id, requestId, ...input }: CaptureRequest): Capture | undefined {
    const { capture: settings } = principal.organization;
    const rule = sampledRule(captureRulesOf(principal, this.#deps.clock.now()), id);
    if (settings === undefined || rule === undefined) return undefined;
    const owner = { organization: principal.organization.id, key: principal.key.keyId };
    const captured = { settings, rule, request: { id, requestId }, owner };
    return new Capture(rule, input, {
      take: (bytes) => this.share.take(owner, bytes),
      give: (bytes) => this.share.give(owner, bytes),
      later: (work) => void setImmediate(() => this.#deps.background('captures', Promise.try(work))),
      ended: (sides) => this.#seal(captured, sides),
    });
  }

  /** Reports what waits, at most for some seconds; what is left then is dropped. */
  async close(): Promise<void> {
    this.#cancelReport?.();
    this.#notBefore = Number.NEGATIVE_INFINITY;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#deps.timers.after(closeMs, resolve);
    await Promise.race([late, this.#empty()]);
    cancel();
    this.#cancelReport?.();
    this.#drop(this.#waiting);
  }

  #seal(captured: Captured, { request, response, dropped }: CaptureSides): void {
    if (dropped > 0) this.#deps.metrics.dropped(dropped);
    if (request !== undefined) this.#sealSide(captured, 'request', request);
    if (response !== undefined) this.#sealSide(captured, 'response', response);
  }

  #sealSide({ settings, rule, request, owner }: Captured, side: CaptureSide, content: CapturedContent): void {
    const expiresAt = uuidTime(request.id) + rule.retentionDays * dayMs;
    const of = { organizationId: owner.organization, keyId: owner.key, ...request, side, expiresAt };
    const sealed = sealContent(settings.publicKey.key, of, content);
    if (this.share.take(owner, sealed.length))
      this.#queue({ ...of, settingId: rule.id, generation: settings.generation, sealed });
    else this.#deps.metrics.dropped(1);
  }

  #queue(side: SealedSide): void {
    const count = this.#waiting.push(side);
    if (count === 1) this.#soon(lingerMs);
    else if (count === reportMax) this.#soon(0);
  }

  #soon(delayMs: number): void {
    if (this.#reporting !== undefined) return;
    this.#cancelReport?.();
    const { clock, timers } = this.#deps;
    this.#cancelReport = timers.after(Math.max(delayMs, this.#notBefore - clock.monotonic()), () => {
      this.#reporting ??= this.#report();
      this.#deps.background('captures', this.#reporting);
    });
  }

  async #empty(): Promise<void> {
    await this.#reporting?.catch(() => undefined);
    for (let failed = false; !failed && this.#waiting.length > 0; failed = this.#failures > 0) await this.#report();
  }

  /** Never rejects: the metrics count what is dropped, and a failure is repeated later. */
  async #report(): Promise<void> {
    const { client, metrics } = this.#deps;
    const sides = firstOf(this.#waiting);
    try {
      const response = await client.report(sides);
      this.#failures = 0;
      this.#forget(sides);
      if (response === 'refused') this.#wait(refusedMs);
      const dropped = response === 'refused' ? sides.length : response.dropped;
      metrics.recorded(sides.length - dropped);
      metrics.dropped(dropped);
    } catch {
      this.#failures++;
      this.#wait(Math.min(retryMsMax, 500 * 2 ** this.#failures));
    } finally {
      this.#reporting = undefined;
      if (this.#waiting.length > 0) this.#soon(this.#waiting.length >= reportMax ? 0 : lingerMs);
    }
  }

  #wait(ms: number): void {
    this.#notBefore = this.#deps.clock.monotonic() + ms;
  }

  #forget(sides: readonly SealedSide[]): void {
    this.#waiting = this.#waiting.slice(sides.length);
    for (const { organizationId, keyId, sealed } of sides)
      this.share.give({ organization: organizationId, key: keyId }, sealed.length);
  }

  #drop(sides: readonly SealedSide[]): void {
    if (sides.length > 0) this.#deps.metrics.dropped(sides.length);
    this.#forget(sides);
  }
}

/** As many as one report may have. */
function firstOf(waiting: readonly SealedSide[]): readonly SealedSide[] {
  let bytes = 0;
  const end = waiting.findIndex(({ sealed }, index) => {
    bytes += sealed.length;
    return index >= reportMax || bytes > reportBytesMax;
  });
  return end === -1 ? waiting.slice() : waiting.slice(0, Math.max(1, end));
}
