// Decides where texts are scanned. A scan that is likely to be cheap runs on the event loop, in slices; the estimate
// uses costs that are the same on every machine, however busy it is. A scan that costs more, or turns out to, runs in a
// worker. The longest texts are not scanned. A text that lacks room or time is not inspected, which is neither a pass
// nor a match, and no failure rule applies.
import { OccupiedShare, type ShareOwner } from '../../common/shares.ts';
import { stringsOf, type Texts } from '../../guardrails/inspection/findings.ts';
import type { Slot } from '../../guardrails/inspection/inspection-schema.ts';
import { pieceNs, type Scanned, TextScan } from '../../guardrails/scan.ts';
import { type LoopScheduler, sliceMs } from '../loop-scheduler.ts';
import type { ReadShare } from '../shares.ts';
import { shares } from '../shares.ts';
import type { CompiledGuardrail } from './compiled.ts';
import { NoCapacityError } from './scan-worker.ts';
import type { WorkerPool } from './worker-pool.ts';

/**
 * In UTF-16 units: the limit of all texts of one request, or of one response, together. Longer ones are not inspected.
 */
export const textMax = 1024 * 1024;
/** A scan that is likely to take longer, all matchers together, runs in a worker from the start. */
export const nsHereMax = 5_000_000;
/**
 * Limit of processor time of one scan on the event loop. A scan that exceeds it was not expected to, and continues in a
 * worker.
 */
const msHereMax = 10;
/** The fixed cost of a text for each matcher, in characters. */
const textOverhead = 32;
/** A piece that takes no longer belongs to a text that costs little. */
const quickMs = 1;
/**
 * A possible match that has begun and does not end is inspected again and again, in longer and longer pieces. Above
 * this cost, the scan moves to a worker.
 */
const pendingNsMax = 2 * pieceNs;

export interface ScannerDeps {
  readonly pool: Pick<WorkerPool, 'scan'>;
  readonly loop: LoopScheduler;
  /** UTF-16 units: see guardrails/matcher.ts. */
  readonly window: number;
  /** Monotonic milliseconds. */
  now?(): number;
  /** Processor time of this thread, in milliseconds. */
  cpu?(): number;
}

/** A scan that has to wait: for other scans or for a worker. */
export interface PendingScan {
  readonly scanned: Promise<Scanned>;
  /** No request waits for it. */
  cancel(): void;
}

export class Scanner {
  readonly #deps: Required<ScannerDeps>;
  readonly #slices = new OccupiedShare(shares.guardrail_slices.bounds);

  constructor(deps: ScannerDeps) {
    const now = deps.now ?? (() => performance.now());
    this.#deps = { cpu: threadCpu, now, ...deps };
  }

  get window(): number {
    return this.#deps.window;
  }

  /** Characters of texts that are scanned in slices. */
  get slices(): ReadShare {
    return this.#slices;
  }

  /** Runs steps of far less than a slice each, alternating with scans. @throws the errors of the steps; NotScheduledError */
  finish<T>(owner: ShareOwner, steps: Generator<void, T>, isLeft: () => boolean): Promise<T> {
    return this.#deps.loop.finish(owner, steps, isLeft);
  }

  scan(compiled: readonly CompiledGuardrail[], texts: Texts, owner: ShareOwner): Scanned | PendingScan {
    if (compiled.length === 0) return nothing;
    const strings = stringsOf(texts);
    const scan = new GuardrailScan(compiled, strings, owner, this.#deps);
    const { loop } = this.#deps;
    if (scan.likelyNs > nsHereMax) return scan.inWorker();
    if (loop.mayBegin(owner, scan.likelyNs / 1e6)) {
      const begun = this.#deps.now();
      const state = scan.slice();
      loop.took(owner, this.#deps.now() - begun);
      if (state === 'done') return scan.result();
      if (state === 'worker') return scan.inWorker();
    }
    return scan.inTicks(this.#slices);
  }
}

export function isTooLong(slots: readonly Slot[]): boolean {
  return slots.reduce((sum, { text }) => sum + text.length, 0) > textMax;
}

const nothing: Scanned = { hits: [], failed: [] };

/** The scan of one request or one response. */
class GuardrailScan {
  readonly likelyNs: number;
  readonly #compiled: readonly CompiledGuardrail[];
  readonly #strings: readonly string[];
  readonly #length: number;
  readonly #owner: ShareOwner;
  readonly #deps: Required<ScannerDeps>;
  readonly #scan: TextScan;
  readonly #order: readonly number[];
  #slices = 0;
  #spentMs = 0;
  #isLeft = false;

  constructor(
    compiled: readonly CompiledGuardrail[],
    strings: readonly string[],
    owner: ShareOwner,
    deps: Required<ScannerDeps>,
  ) {
    const matchers = compiled.map(({ matcher }) => matcher);
    const likely = matchers.reduce((sum, { cost, likelyCost = cost / 10 }) => sum + likelyCost, 0);
    this.#compiled = compiled;
    this.#strings = strings;
    this.#length = strings.reduce((sum, { length }) => sum + length, 0);
    this.likelyNs = likely * (this.#length + textOverhead * strings.length);
    this.#owner = owner;
    this.#deps = deps;
    this.#order = inOrder(compiled);
    this.#scan = new TextScan({ matchers, texts: strings, window: deps.window, order: this.#order });
  }

  result(): Scanned {
    return this.#scan.result();
  }

  /**
   * Scans for one slice, too short to delay other requests.
   * @returns worker: the rest costs too much for the event loop
   */
  slice(): 'done' | 'more' | 'worker' {
    const { now, cpu } = this.#deps;
    // The first slice is usually the only one, so even its processor time is not measured.
    const cpuBegun = this.#slices++ === 0 ? undefined : cpu();
    const begun = now();
    let last = begun;
    for (;;) {
      if (this.#scan.isDone) return 'done';
      if (this.#scan.pendingNs > pendingNsMax) return 'worker';
      this.#scan.step();
      const at = now();
      this.#scan.isQuick = at - last < quickMs;
      // The next piece may take as long as this one.
      if (2 * at - last - begun > sliceMs) break;
      last = at;
    }
    if (this.#scan.isDone) return 'done';
    this.#spentMs += cpuBegun === undefined ? sliceMs : cpu() - cpuBegun;
    return this.#spentMs > msHereMax ? 'worker' : 'more';
  }

  /** @param texts a share that must have room for the scan's texts, else the scan is unavailable */
  inTicks(texts: OccupiedShare): Scanned | PendingScan {
    if (!texts.take(this.#owner, this.#length)) return this.result();
    let state: ReturnType<GuardrailScan['slice']> = 'more';
    const slice = () => {
      state = this.slice();
      return state === 'more' ? 'more' : 'over';
    };
    const run = this.#deps.loop
      .slices(this.#owner, slice, () => this.#isLeft)
      .finally(() => texts.give(this.#owner, this.#length));
    let cancel = () => {
      this.#isLeft = true;
    };
    const scanned = run.then((outcome) => {
      if (outcome !== 'over' || state !== 'worker') return this.result();
      const rest = this.inWorker();
      cancel = rest.cancel;
      return rest.scanned;
    });
    return { scanned, cancel: () => cancel() };
  }

  /** Moves the unfinished matchers to a worker, which repeats what they have done here. */
  inWorker(): PendingScan {
    const left = this.#order.slice(this.#order.length - (this.#scan.result().unavailable?.length ?? 0));
    const guardrails = left.map((index) => {
      const { id, revision, check } = (this.#compiled[index] as CompiledGuardrail).guardrail;
      return { id, revision, check };
    });
    const task = { guardrails, texts: this.#strings, window: this.#deps.window };
    const { scanned, cancel } = this.#deps.pool.scan(task, this.#owner);
    const merged = scanned.then(
      (rest) => this.#merged(left, rest),
      (error: unknown) => {
        if (!(error instanceof NoCapacityError)) throw error;
        return this.result();
      },
    );
    return { scanned: merged, cancel };
  }

  /** @param left the own index of each of the worker's matchers */
  #merged(left: readonly number[], rest: Scanned): Scanned {
    const indexOf = (index: number) => left[index] ?? 0;
    const own = this.result();
    const moved = rest.hits.map((hit) => ({ ...hit, matcher: indexOf(hit.matcher) }));
    const hits = [...own.hits.filter(({ matcher }) => !left.includes(matcher)), ...moved];
    hits.sort((a, b) => a.text - b.text || a.matcher - b.matcher || a.start - b.start);
    const unavailable = rest.unavailable?.map(indexOf) ?? [];
    return { hits, failed: [...own.failed, ...rest.failed.map(indexOf)], unavailable };
  }
}

/**
 * Guardrails that may block or redact first, cheap ones first among them: then an expensive scan prevents no other
 * match.
 */
function inOrder(compiled: readonly CompiledGuardrail[]): readonly number[] {
  const location = ({ guardrail }: CompiledGuardrail) => (guardrail.action === 'observe' ? 1 : 0);
  return [...compiled.entries()]
    .sort(([, a], [, b]) => location(a) - location(b) || a.matcher.cost - b.matcher.cost)
    .map(([index]) => index);
}

function threadCpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
