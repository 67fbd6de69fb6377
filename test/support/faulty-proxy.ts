// The request path with a defect in one of its stages, on a real socket: nothing but a defect leads to 500 internal_error.
import { systemClock } from '../../common/clock.ts';
import { noGuardrails } from '../../proxy/guardrails/guardrail.ts';
import { Admission } from '../../proxy/http/admission.ts';
import type { RequestRecord } from '../../proxy/http/exchange.ts';
import { createHandler } from '../../proxy/http/handler.ts';
import { startTrafficServer } from '../../proxy/http/server.ts';
import { createWatchdog } from '../../proxy/http/watchdog.ts';
import { noLimits } from '../../proxy/ledger/ledger.ts';
import { providersByName } from '../../proxy/providers/index.ts';
import { Targets } from '../../proxy/upstream/targets.ts';

export interface FaultyProxy {
  readonly url: string;
  readonly records: readonly RequestRecord[];
  close(): void;
}

/** @param defect thrown for every virtual key that is looked up */
export async function startFaultyProxy(defect: Error): Promise<FaultyProxy> {
  const records: RequestRecord[] = [];
  const clock = systemClock;
  const never = () => {
    throw new Error('no request gets so far');
  };
  const second = 1000;
  const watchdog = createWatchdog(
    {
      bodyGraceMs: second,
      bodyRateMin: 1,
      firstByteMs: second,
      idleMs: second,
      readerMs: second,
      totalMs: second,
    },
    clock,
  );
  const server = await startTrafficServer({
    address: { host: '127.0.0.1', port: 0 },
    headerBytesMax: 16 * 1024,
    headersTimeoutMs: second,
    clock,
    handler: createHandler({
      records: {
        find: () => {
          throw defect;
        },
      },
      now: () => clock.now(),
      routes: new Map(),
      providers: providersByName,
      targets: new Targets(new Map()),
      admission: new Admission({ inFlightMax: 1, bufferedBytesMax: 1, organizationShare: 1 }),
      watchdog,
      bodyLimits: { bodyBytesMax: 1, jsonDepthMax: 1, jsonStructuralMax: 1 },
      guardrails: noGuardrails,
      ledger: noLimits,
      dispatch: never,
      isDraining: () => false,
      record: ({ record }) => void records.push(record),
    }),
    onMalformed: never,
    onDefect: never,
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    records,
    close: () => {
      server.destroy();
      void server.drain(watchdog.watched);
      watchdog.close();
    },
  };
}
