// The control plane's ledger as schedules run it. Each operation is one transaction and reports when it took effect
// among the others, with all its locks held. The real ledger runs over a store; a faulty one can replace it.
import type { Clock } from '../../common/clock.ts';
import type {
  AcquireRequest,
  AcquireResponse,
  LedgerClient,
  Operation,
  ReturnRequest,
  SessionEnd,
  UsageEvent,
} from '../../proxy/usage/ledger-client.ts';
import type { BudgetTerms, Lease, LedgerState } from './ledger.reference.ts';

export type LeaseName = Omit<Operation, 'seq' | 'shut'>;

export type NewBudget = Pick<BudgetTerms, 'subjectId' | 'model' | 'period' | 'amount'> & {
  readonly subjectKind: 'organization' | 'ai_system' | 'person' | 'virtual_key';
  /** One budget for each virtual key of the organization. */
  readonly eachKey?: true | undefined;
};

/** An operation and its result. */
export type Executed =
  | { readonly kind: 'keep'; readonly session: string; readonly open: boolean }
  | {
      readonly kind: 'acquire';
      readonly request: AcquireRequest;
      readonly response: Pick<AcquireResponse, 'outcome' | 'granted'>;
    }
  | { readonly kind: 'return'; readonly request: ReturnRequest; readonly returned: number }
  | { readonly kind: 'report'; readonly events: readonly UsageEvent[]; readonly recorded: number }
  | { readonly kind: 'close'; readonly end: SessionEnd; readonly freed: number }
  | { readonly kind: 'expire'; readonly closed: readonly string[]; readonly expired: readonly LeaseName[] }
  | {
      readonly kind: 'release';
      readonly lease: LeaseName;
      readonly amount: number;
      readonly released: number;
    }
  | { readonly kind: 'create'; readonly terms: BudgetTerms }
  | { readonly kind: 'resize'; readonly budgetId: string; readonly amount: number }
  | { readonly kind: 'reset'; readonly budgetId: string; readonly window: string }
  | { readonly kind: 'delete'; readonly budgetId: string };

/** When an operation took effect. */
export interface StoreStep {
  /** Rises in the order in which operations on the same rows took effect; operations of one transaction share it. */
  readonly step: number;
  /**
   * The number of the last operation that took effect before this one began. This operation may have missed the effects
   * of later ones where it read without a lock.
   */
  readonly after: number;
  /** By the database's clock. */
  readonly now: number;
}

/** Called in the order of the operations of a transaction. */
export type OnExecuted = (executed: Executed, step: StoreStep) => void;

export interface LedgerRead {
  /** By rowKey. */
  readonly ledger: ReadonlyMap<string, LedgerState>;
  /** By leaseKey. */
  readonly leases: ReadonlyMap<string, Lease>;
}

export interface EventsRead {
  /** The cost of each event, by its id. */
  readonly costs: ReadonlyMap<string, number>;
  /** The total of the sums by hour. */
  readonly hourly: number;
  /** The total that operators read, when all that is over is folded into days and months. */
  readonly total: number;
}

/** The subjects of a schedule's usage and budgets. */
export interface Subjects {
  readonly organizationId: string;
  readonly aiSystemIds: readonly string[];
  readonly personIds: readonly string[];
  readonly keyIds: readonly string[];
}

export interface LedgerSide extends LedgerClient {
  /** Closes silent sessions. @param stopAfter the number of transactions after which the control plane is killed */
  expire(stopAfter: number): Promise<void>;
  /** @param amount undefined for all */
  releaseUnconfirmed(lease: LeaseName, amount: number): Promise<void>;
  createBudget(budget: NewBudget): Promise<void>;
  resizeBudget(id: string, amount: number): Promise<void>;
  /** The spent money of its current window counts from zero again. */
  resetBudget(id: string): Promise<void>;
  deleteBudget(id: string): Promise<void>;
  /** Copies the whole ledger, while no operation is in progress. */
  snapshot(): Promise<object>;
  /** Restores a snapshot. @returns the database's epoch from then on */
  restore(snapshot: object): Promise<string>;
  read(): Promise<LedgerRead>;
  readEvents(): Promise<EventsRead>;
}

export interface SideDeps {
  /** A clock whose `now` is the database's time. */
  readonly clock: Clock;
  readonly onExecuted: OnExecuted;
  /** Called when a session needs money that others have. */
  readonly onReclaim: (budgetId: string, window: string) => void;
  readonly subjects: Subjects;
}
