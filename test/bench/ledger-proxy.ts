// A proxy as the control plane's ledger sees it: a session over the real client that acquires, releases and reports,
// and tracks what the ledger must contain as a result. It sends one operation of a lease at a time, and repeats it
// unchanged until a response comes.
import { setTimeout as sleep } from 'node:timers/promises';
import { windowOf } from '../../common/budget-window.ts';
import { Secret } from '../../common/secret.ts';
import { uuidv7 } from '../../common/uuid.ts';
import { type ControlPlaneClient, createControlPlaneClient } from '../../proxy/control-plane/client.ts';
import { LedgerRefusedError, type UsageEvent } from '../../proxy/usage/ledger-client.ts';
import type { Random } from '../support/access/random.ts';

/** A key, and the budgets that count its usage. */
export interface Payer {
  readonly organizationId: string;
  readonly aiSystemId: string;
  readonly keyId: string;
  /** The budgets of the key, of its AI system and of its organization. */
  readonly budgetIds: readonly string[];
}

/** The expected state of a budget in the ledger, in nano-dollars. */
export interface Expected {
  spent: number;
  leased: number;
}

export interface SimulatedProxyOptions {
  readonly address: string;
  readonly token: string;
  readonly payers: readonly Payer[];
  readonly random: Random;
}

interface Lease {
  readonly budgetId: string;
  seq: number;
  available: number;
  isBusy: boolean;
}

const period = 'month';
const costMax = 1_000_000;
/** The cost of about sixty requests. */
const wanted = 30 * costMax;
/** One operation in this number is a release instead. */
const returnsOneIn = 8;
const againMs = 50;

export class SimulatedProxy {
  /** Calls without a response in time. */
  failures = 0;
  readonly #options: SimulatedProxyOptions;
  readonly #client: ControlPlaneClient;
  readonly #session = uuidv7();
  readonly #leases: readonly Lease[];
  readonly #leaseOf: ReadonlyMap<string, Lease>;
  /** The database's clock minus the monotonic clock. */
  #offset = 0;
  #spent = new Map<string, number>();

  constructor(options: SimulatedProxyOptions) {
    this.#options = options;
    this.#client = createControlPlaneClient({
      addresses: [options.address],
      token: new Secret(options.token),
      credentials: undefined,
      allowPlaintext: false,
    });
    const budgetIds = [...new Set(options.payers.flatMap((payer) => payer.budgetIds))];
    this.#leases = budgetIds.map((budgetId) => ({ budgetId, seq: 0, available: 0, isBusy: false }));
    this.#leaseOf = new Map(this.#leases.map((lease) => [lease.budgetId, lease]));
  }

  async open(): Promise<void> {
    const { now } = await this.#untilResponded(() => this.#client.ledger.keepSession(this.#session));
    this.#offset = now - performance.now();
  }

  /** Acquires, or now and then releases half of the available money. @returns which of the two */
  async operate(): Promise<'acquire' | 'release'> {
    const { random } = this.#options;
    const lease = this.#anyFree();
    lease.isBusy = true;
    lease.seq += 1;
    const window = windowOf(period, this.#now());
    const operation = { session: this.#session, budgetId: lease.budgetId, window, seq: lease.seq, shut: 0 };
    const amount = Math.floor(lease.available / 2);
    const kind = amount > 0 && random.below(returnsOneIn) === 0 ? 'release' : 'acquire';
    if (kind === 'release') {
      lease.available -= amount;
      await this.#untilResponded(() => this.#client.ledger.release({ ...operation, amount }));
    } else {
      const acquire = { ...operation, need: costMax, want: wanted };
      const { outcome, granted } = await this.#untilResponded(() => this.#client.ledger.acquire(acquire));
      if (outcome !== 'granted') throw new Error(`a lease that must be granted was refused: ${outcome}`);
      lease.available += granted;
    }
    lease.isBusy = false;
    return kind;
  }

  async report(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => this.#event());
    await this.#untilResponded(() => this.#client.ledger.report(events));
  }

  /** Adds what the ledger must contain because of this proxy. Call it when no operation is in progress. */
  addExpected(expected: Map<string, Expected>): void {
    for (const { budgetId, available } of this.#leases) {
      const sums = expected.get(budgetId) ?? { spent: 0, leased: 0 };
      sums.spent += this.#spent.get(budgetId) ?? 0;
      sums.leased += available;
      expected.set(budgetId, sums);
    }
  }

  close(): void {
    this.#client.close();
  }

  #anyFree(): Lease {
    const from = this.#options.random.below(this.#leases.length);
    const isFree = ({ isBusy }: Lease) => !isBusy;
    const lease = this.#leases.slice(from).find(isFree) ?? this.#leases.find(isFree);
    if (lease === undefined) throw new Error('every lease has an operation under way');
    return lease;
  }

  #now(): number {
    return Math.floor(performance.now() + this.#offset);
  }

  #event(): UsageEvent {
    const { random, payers } = this.#options;
    const { organizationId, aiSystemId, keyId, budgetIds } = random.pick(payers);
    const at = this.#now();
    const cost = 1 + random.below(costMax);
    const window = windowOf(period, at);
    const charges = budgetIds.map((budgetId) => ({ budgetId, window, escrow: this.#charge(budgetId, cost) }));
    return {
      ...{ id: uuidv7(at), at, session: this.#session },
      ...{ organizationId, aiSystemId, keyId, charges, cost },
      ...{ personId: undefined, projectKeyId: undefined },
      ...{ projectAiSystemId: undefined, projectPersonId: undefined },
      requestId: `bench-${random.below(1e9)}`,
      ...{ provider: 'gpt-provider', modelAsked: 'gpt-provider/gpt-4o-mini', modelAnswered: 'gpt-4o-mini' },
      ...{ promptTokens: 220, completionTokens: 49, cacheReadTokens: 0 },
      ...{ cacheWriteTokens: 0, cacheWrite1hTokens: 0, reasoningTokens: 0 },
      ...{ unpriced: false, status: 200, errorSource: '', errorCode: '' },
      ...{ latencyMs: 800, firstTokenMs: undefined, streamed: false },
      ...{ directKey: false, attempts: 1, estimated: false },
      ...{ estimateReason: undefined, reportedCost: undefined, providerKeyId: undefined },
    };
  }

  #charge(budgetId: string, cost: number): number {
    this.#spent.set(budgetId, (this.#spent.get(budgetId) ?? 0) + cost);
    const lease = this.#leaseOf.get(budgetId);
    if (lease === undefined) throw new Error('a payer has a budget without a lease');
    const escrow = Math.min(cost, lease.available);
    lease.available -= escrow;
    return escrow;
  }

  async #untilResponded<T>(send: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        if (error instanceof LedgerRefusedError) throw error;
        this.failures++;
        await sleep(againMs);
      }
    }
  }
}
