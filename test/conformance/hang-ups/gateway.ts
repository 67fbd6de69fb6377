// The proxy's request path with its real request ledger and unlimited budgets. The reservation and the charge of each
// request can be looked up. Callers and vendors are real sockets.

import { systemClock } from '../../../common/clock.ts';
import { createCredential } from '../../../common/credential.ts';
import { Secret } from '../../../common/secret.ts';
import { uuidv7 } from '../../../common/uuid.ts';
import type { OrganizationRecord, Principal } from '../../../proxy/access/principal.ts';
import type { Budgets } from '../../../proxy/budgets/budgets.ts';
import { CapabilityTable } from '../../../proxy/catalog/capabilities.ts';
import { clientFormatNames } from '../../../proxy/formats/client-format.ts';
import { Admission } from '../../../proxy/http/admission.ts';
import { createHandler } from '../../../proxy/http/handler.ts';
import { ReadOn } from '../../../proxy/http/read-on.ts';
import { startTrafficServer } from '../../../proxy/http/server.ts';
import { createWatchdog, type TimeLimits } from '../../../proxy/http/watchdog.ts';
import { createRequestLedger } from '../../../proxy/ledger/request-ledger.ts';
import { LoopScheduler } from '../../../proxy/loop-scheduler.ts';
import { PriceTable } from '../../../proxy/pricing/price-book.ts';
import { providersByName } from '../../../proxy/providers/index.ts';
import { LocalRates } from '../../../proxy/rates/local-rates.ts';
import { createDispatch } from '../../../proxy/routing/dispatch.ts';
import { TargetLoads } from '../../../proxy/routing/target-loads.ts';
import { BaseUrls } from '../../../proxy/upstream/base-urls.ts';
import { CustomProviders } from '../../../proxy/upstream/custom-providers.ts';
import { Targets } from '../../../proxy/upstream/targets.ts';
import type { UsageEvent } from '../../../proxy/usage/ledger-client.ts';
import { vendors } from '../../../simulator/vendors.ts';
import { firstTargetOnly } from '../../support/chains.ts';
import { directCallers } from '../../support/direct-callers.ts';
import { nothingInBackground } from '../../support/nothing-in-background.ts';
import { transportTo } from '../../support/transports.ts';
import { usualSettings } from '../../support/usual-settings.ts';

export interface Booking extends UsageEvent {
  /** Nano-dollars that were reserved for the request. */
  readonly reserved: number;
}

export interface HangUpGateway {
  readonly port: number;
  readonly key: string;
  /**
   * The charge of a request, once it has been recorded; undefined if the request ended before it was sent to a vendor.
   */
  recorded(requestId: string): Promise<Booking | undefined>;
  close(): Promise<void>;
}

export interface HangUpGatewayOptions {
  readonly vendorPort: number;
  readonly hangUp: 'cancel' | 'read';
  readonly timeLimits?: Partial<TimeLimits>;
}

const key = createCredential('virtualKey');
const minute = 60_000;
const noImages = { imagesMax: 0, imageBytesMax: 0, imageTimeoutMs: 1 };

export async function startHangUpGateway(options: HangUpGatewayOptions): Promise<HangUpGateway> {
  const { vendorPort, hangUp, timeLimits } = options;
  const clock = systemClock;
  const capabilities = new CapabilityTable();
  const bookings = new Bookings();
  const admission = new Admission({ inFlightMax: 10_000, bufferedBytesMax: 1e9, organizationShare: 1 });
  const watchdog = createWatchdog(
    {
      ...{ bodyGraceMs: minute, bodyRateMin: 1, firstByteMs: minute, idleMs: minute, readerMs: minute },
      ...{ readOnMs: minute, totalMs: 2 * minute, ...timeLimits },
    },
    clock,
  );
  const transport = transportTo([`127.0.0.1:${vendorPort}`], {}, 5000);
  const turns = new LoopScheduler({ now: () => performance.now() });
  const limits = { responseBytesMax: 1e6, eventBytesMax: 1e6 };
  const prices = new PriceTable();
  const server = await startTrafficServer({
    address: { host: '127.0.0.1', port: 0 },
    headerBytesMax: 16 * 1024,
    headersTimeoutMs: minute,
    clock,
    callers: directCallers(),
    handler: createHandler({
      loads: new TargetLoads({ clock }),
      prices,
      records: { find: () => principalOf(hangUp, vendorPort) },
      now: () => clock.now(),
      servedFormats: new Set(clientFormatNames),
      providers: providersByName,
      targets: new Targets(new BaseUrls({ templates: new Map(), endpointHostSuffixes: [] })),
      capabilities,
      customProviders: new CustomProviders(providersByName, capabilities),
      admission,
      watchdog,
      loop: turns,
      bodyLimits: { bodyBytesMax: 100_000, jsonDepthMax: 64, jsonStructuralMax: 10_000 },
      guardrails: { inspect: (call) => ({ call, output: undefined }), guardsResponses: () => false },
      fetchStored: () => Promise.reject(new Error('nothing is stored')),
      countMs: 1000,
      ledger: createRequestLedger({
        budgets: bookings.budgets,
        usageLog: {
          hasRoom: true,
          record: (event) => bookings.record(event),
          close: () => Promise.resolve(),
        },
        outputTokensDefault: 8192,
        metrics: { refused: () => undefined },
        budgetMetrics: { refused: () => undefined, unpriced: () => undefined, estimated: () => undefined },
        rates: new LocalRates({ clock, onTake: () => undefined }),
        prices,
      }),
      dispatch: createDispatch({
        transport,
        limits,
        now: () => clock.now(),
        chains: firstTargetOnly(),
        images: { transport, limits: noImages, loop: turns },
      }),
      responseCache: { lookup: () => undefined },
      backgroundResponses: nothingInBackground,
      shadows: { copy: () => undefined },
      captures: { begin: () => undefined },
      readOn: new ReadOn({ max: 10_000, organizationShare: 1 }, { readOn: () => undefined }),
      isDraining: () => false,
      record: ({ id, record }) => {
        if (record.attempts === 0) bookings.none(id);
      },
    }),
    open: () => watchdog.watched,
    onMalformed: () => undefined,
    onDefect: (defect) => {
      throw defect;
    },
  });
  return {
    port: server.port,
    key,
    recorded: (requestId) => bookings.of(requestId),
    close: async () => {
      server.destroy();
      await server.drain(0, 0);
      watchdog.close();
      await transport.close();
    },
  };
}

class Bookings {
  readonly #reserved = new Map<string, number>();
  readonly #recorded = new Map<string, PromiseWithResolvers<Booking | undefined>>();
  readonly budgets: Budgets = {
    take: ({ full }) => {
      const stamp = this.#stamp();
      this.#reserved.set(stamp.id, full);
      return { stamp, amount: full, leases: [], settle: () => [] };
    },
    takeNow: () => undefined,
    stamp: () => this.#stamp(),
  };

  of(requestId: string): Promise<Booking | undefined> {
    return this.#waiting(requestId).promise;
  }

  record(event: UsageEvent): void {
    this.#waiting(event.requestId).resolve({ ...event, reserved: this.#reserved.get(event.id) ?? 0 });
  }

  none(requestId: string): void {
    this.#waiting(requestId).resolve(undefined);
  }

  #waiting(requestId: string): PromiseWithResolvers<Booking | undefined> {
    const waiting = this.#recorded.get(requestId) ?? Promise.withResolvers<Booking | undefined>();
    this.#recorded.set(requestId, waiting);
    return waiting;
  }

  #stamp() {
    return { id: uuidv7(systemClock.now()), at: systemClock.now(), session: 'session' };
  }
}

function principalOf(hangUp: 'cancel' | 'read', vendorPort: number): Principal {
  const budget = { id: 'budget', kind: 'budget', amountUsd: '1000', period: 'day' } as const;
  const organization: OrganizationRecord = {
    ...usualSettings,
    ...{ id: 'o', active: true, hangUp },
    ...{ allowedModels: [], limits: [], customProviders: [], prices: [], guardrails: [], revision: 1 },
    providerKeys: Object.keys(vendors).map((provider) => ({
      ...{ id: provider, provider, secret, baseUrl: `http://127.0.0.1:${vendorPort}` },
      ...{ endpoint: undefined, region: 'eu-west-1', apiVersion: undefined, priority: 0, weight: 1 },
    })),
  };
  return {
    key: {
      ...{ keyId: 'k', organizationId: 'o', scope: { kind: 'organization', id: 'o' }, active: true },
      ...{
        endsAt: undefined,
        valueEndsAt: undefined,
        allowedModels: [],
        organizationRevision: 1,
        revision: 1,
      },
      limits: [{ ...budget, count: undefined, model: undefined }],
    },
    scope: undefined,
    organization,
  };
}

const secret = {
  apiKey: new Secret('vendor-key'),
  accessKeyId: new Secret('access-key-id'),
  secretAccessKey: new Secret('secret-access-key'),
  sessionToken: undefined,
};
