// The control plane's ledger as schedules run it: each operation is one transaction, and says when it took its turn among the
// others, with all its locks held. The real one runs over a store; a faulty one can stand in its place.
import type { Clock } from '../../common/clock.ts';
import type {
  AcquireResponse,
  DrawRequest,
  LedgerClient,
  Operation,
  ReturnRequest,
  SessionEnd,
  UsageEvent,
} from '../../proxy/usage/ledger-client.ts';
import type { Books, BudgetTerms, Lease } from './ledger.reference.ts';

export type LeaseName = Omit<Operation, 'seq' | 'shut'>;

export type NewBudget = Pick<BudgetTerms, 'subjectId' | 'model' | 'period' | 'amount'> & {
  readonly subjectKind: 'organization' | 'ai_system' | 'person' | 'virtual_key';
};

/** What an operation was, and what came of it. */
export type Executed =
  | { readonly kind: 'keep'; readonly session: string; readonly open: boolean }
  | {
      readonly kind: 'draw';
      readonly request: DrawRequest;
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
  | { readonly kind: 'delete'; readonly budgetId: string };

/** When an operation took effect. */
export interface Turn {
  /** Rises in the order in which operations that touch the same took effect; those of one transaction share it. */
  readonly turn: number;
  /** The last turn before the operation began: what later ones did it may have missed where it read without a lock. */
  readonly after: number;
  /** By the database's clock. */
  readonly now: number;
}

/** Called in the order of the operations of a transaction. */
export type OnExecuted = (executed: Executed, turn: Turn) => void;

export interface BooksRead {
  /** By rowKey. */
  readonly books: ReadonlyMap<string, Books>;
  /** By leaseKey. */
  readonly leases: ReadonlyMap<string, Lease>;
}

export interface EventsRead {
  /** Of each event, by its id. */
  readonly costs: ReadonlyMap<string, number>;
  /** What the sums by hour make of them. */
  readonly hourly: number;
}

/** Whose usage and money a schedule is about. */
export interface Subjects {
  readonly organizationId: string;
  readonly aiSystemIds: readonly string[];
  readonly personIds: readonly string[];
  readonly keyIds: readonly string[];
}

export interface LedgerSide extends LedgerClient {
  /** Closes what was silent. @param stopAfter transactions after which the control plane is killed */
  expire(stopAfter: number): Promise<void>;
  /** @param amount undefined: all */
  release(lease: LeaseName, amount: number): Promise<void>;
  createBudget(budget: NewBudget): Promise<void>;
  resizeBudget(id: string, amount: number): Promise<void>;
  deleteBudget(id: string): Promise<void>;
  /** All that the ledger has, while nothing is under way. */
  snapshot(): Promise<object>;
  /** Puts it back. @returns the database's epoch from then on */
  restore(snapshot: object): Promise<string>;
  read(): Promise<BooksRead>;
  readEvents(): Promise<EventsRead>;
}

export interface SideDeps {
  /** `now` is the database's. */
  readonly clock: Clock;
  readonly onExecuted: OnExecuted;
  /** Somebody needs what others hold. */
  readonly onRecall: (budgetId: string, window: string) => void;
  readonly subjects: Subjects;
}
