// Captures on their way to the control plane: sealed at their end. No plain text waits here.
import { type CapturedContent, sealContent } from '../../common/captured-content.ts';
import { dayMs } from '../../common/durations.ts';
import { OccupiedShare, type ShareOwner } from '../../common/shares.ts';
import { uuidTime } from '../../common/uuid.ts';
import type { CaptureSide } from '../../proto/words/captures.ts';
import { captureRulesOf, sampledRule } from '../access/capture.ts';
import type { CaptureRule, CaptureSettings } from '../access/capture-settings.ts';
import type { Principal } from '../access/principal.ts';
import { type ReportClient, type ReportMetrics, ReportQueue, type ReportQueueDeps } from '../report-queue.ts';
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

/** Counts are of sides. */
export type CaptureClient = ReportClient<SealedSide>;

/** Sides of requests. */
export type CaptureMetrics = ReportMetrics;

export type CapturesDeps = ReportQueueDeps<SealedSide>;

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

interface Captured {
  readonly settings: CaptureSettings;
  readonly rule: CaptureRule;
  readonly request: Pick<CaptureRequest, 'id' | 'requestId'>;
  readonly owner: ShareOwner;
}

export class Captures {
  readonly share = new OccupiedShare(shares.capture_bytes.bounds);
  readonly #deps: CapturesDeps;
  readonly #queue: ReportQueue<SealedSide>;

  constructor(deps: CapturesDeps) {
    this.#deps = deps;
    this.#queue = new ReportQueue(deps, {
      ...{ task: 'captures', share: this.share, reportMax, firstOf },
      ownerOf: ({ organizationId, keyId }) => ({ organization: organizationId, key: keyId }),
      sizeOf: ({ sealed }) => sealed.length,
      countOf: () => 1,
    });
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
  close(): Promise<void> {
    return this.#queue.close();
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
    this.#queue.add({ ...of, settingId: rule.id, generation: settings.generation, sealed });
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
