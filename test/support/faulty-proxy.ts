// The request path with defects in its stages, on a real socket: only a defect leads to 500 internal_error.
import { systemClock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import type { Principal } from '../../proxy/access/principal.ts';
import { CapabilityTable } from '../../proxy/catalog/capabilities.ts';
import { clientFormatNames } from '../../proxy/formats/client-format.ts';
import { Admission } from '../../proxy/http/admission.ts';
import type { RequestRecord } from '../../proxy/http/exchange.ts';
import { createHandler } from '../../proxy/http/handler.ts';
import { ReadOn } from '../../proxy/http/read-on.ts';
import { startTrafficServer } from '../../proxy/http/server.ts';
import { createWatchdog } from '../../proxy/http/watchdog.ts';
import { LoopScheduler } from '../../proxy/loop-scheduler.ts';
import { PriceTable } from '../../proxy/pricing/price-book.ts';
import { providersByName, wireFormatProviders } from '../../proxy/providers/index.ts';
import { TargetLoads } from '../../proxy/routing/target-loads.ts';
import { createAccessLog } from '../../proxy/telemetry/access-log.ts';
import type { AttemptResult, StreamSink } from '../../proxy/upstream/attempt.ts';
import { BaseUrls } from '../../proxy/upstream/base-urls.ts';
import { CustomProviders } from '../../proxy/upstream/custom-providers.ts';
import { Targets } from '../../proxy/upstream/targets.ts';
import { directCallers } from './direct-callers.ts';
import { nothingInBackground } from './nothing-in-background.ts';
import { silentLog } from './silent-log.ts';

export interface FaultyProxy {
  readonly url: string;
  readonly records: readonly RequestRecord[];
  /** Number of requests with a slot. */
  inFlight(): number;
  close(): void;
}

export interface FaultyOptions {
  /** Keys that are found, by hash. */
  readonly sound?: ReadonlyMap<string, Principal>;
  /** Logger of its access log. */
  readonly log?: Logger;
}

/**
 * @param defect thrown when a virtual key outside `sound` is looked up, and by every call of a provider: at once, or
 *   within the stream if one was requested
 */
export async function startFaultyProxy(
  defect: Error,
  { sound = new Map(), log = silentLog }: FaultyOptions = {},
): Promise<FaultyProxy> {
  const records: RequestRecord[] = [];
  const logRequest = createAccessLog(log);
  const clock = systemClock;
  const admission = new Admission({ inFlightMax: 100, bufferedBytesMax: 1_000_000, organizationShare: 1 });
  const second = 1000;
  const watchdog = createWatchdog(
    {
      bodyGraceMs: second,
      bodyRateMin: 1,
      firstByteMs: second,
      idleMs: second,
      readerMs: second,
      readOnMs: second,
      totalMs: second,
    },
    clock,
  );
  const capabilities = new CapabilityTable();
  const server = await startTrafficServer({
    address: { host: '127.0.0.1', port: 0 },
    headerBytesMax: 16 * 1024,
    headersTimeoutMs: second,
    clock,
    callers: directCallers(),
    handler: createHandler({
      loads: new TargetLoads({ clock }),
      prices: new PriceTable(),
      records: {
        find: (keyHash) => {
          const principal = sound.get(keyHash);
          if (principal === undefined) throw defect;
          return principal;
        },
      },
      now: () => clock.now(),
      servedFormats: new Set(clientFormatNames),
      providers: providersByName,
      targets: new Targets(new BaseUrls({ templates: new Map(), endpointHostSuffixes: [] })),
      capabilities,
      customProviders: new CustomProviders(wireFormatProviders, capabilities),
      admission,
      watchdog,
      loop: new LoopScheduler({ now: () => performance.now() }),
      bodyLimits: { bodyBytesMax: 100_000, jsonDepthMax: 64, jsonStructuralMax: 10_000 },
      guardrails: { inspect: (call) => ({ call, output: undefined }), guardsResponses: () => false },
      fetchStored: () => Promise.reject(new Error('nothing is stored')),
      countMs: 1000,
      ledger: {
        reserve: (call) => ({
          call,
          headersAt: () => [],
          outputCeiling: undefined,
          costText: () => undefined,
          chargeAttempt: () => Promise.resolve(false),
          moveTo: () => false,
          reserveHedge: () => Promise.resolve(false),
          releaseHedge: () => undefined,
          chargeContender: () => undefined,
          settle: () => ({ cost: 0, estimateReason: undefined }),
          outlasting: () => ({ settle: () => ({ cost: 0, estimateReason: undefined }) }),
        }),
        count: () => [],
        reserveCached: () => Promise.reject(new Error('nothing is stored')),
      },
      responseCache: { lookup: () => undefined },
      backgroundResponses: nothingInBackground,
      shadows: { copy: () => undefined },
      captures: { begin: () => undefined },
      dispatch: async ({ request }) => {
        if (request.stream) return brokenStream(defect);
        throw defect;
      },
      readOn: new ReadOn({ max: 1, organizationShare: 1 }, { readOn: () => undefined }),
      isDraining: () => false,
      record: (exchange) => {
        records.push(exchange.record);
        logRequest(exchange, 1);
      },
    }),
    open: () => watchdog.watched,
    onMalformed: unexpected,
    onDefect: unexpected,
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    records,
    inFlight: () => admission.inFlight,
    close: () => {
      server.destroy();
      void server.drain(0, 0);
      watchdog.close();
    },
  };
}

function brokenStream(defect: Error): AttemptResult {
  const flowTo = (sink: StreamSink) => {
    sink.write(Buffer.from('data: {}\n\n'));
    throw defect;
  };
  const nothing = () => undefined;
  return { kind: 'stream', headers: [], flowTo, pause: nothing, resume: nothing, abort: nothing };
}

function unexpected(what: unknown): never {
  throw new Error(`the listener had to see to this: ${what}`);
}
