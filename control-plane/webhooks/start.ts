// The periodic tasks of this replica: recording money that stays unconfirmed, sending notices about budgets, sending
// deliveries, deleting old ones. Every replica runs them.
import { type PeriodicTask, startPeriodicTask } from '../../common/periodic-task.ts';
import { systemTimers, type Timers } from '../../common/timers.ts';
import type { Store } from '../store/store.ts';
import { sendAlerts } from './alerts.ts';
import { Deliverer, type DelivererDeps } from './deliver.ts';
import { tidyDeliveries } from './deliveries.ts';
import { noteUnconfirmed } from './unconfirmed.ts';

export interface WebhooksDeps extends Omit<DelivererDeps, 'onFree' | 'store'> {
  readonly store: Pick<Store, 'ledger' | 'change' | 'snapshot'>;
  readonly timers?: Timers;
}

const everyMs = 1000;
const unconfirmedEveryMs = 60_000;
const tidyEveryMs = 3_600_000;

export function startWebhooks(deps: WebhooksDeps): { close(): Promise<void> } {
  const { store, log, timers = systemTimers } = deps;
  const deliverer = new Deliverer({ ...deps, onFree: () => sending.wake() });
  const sending: PeriodicTask = startPeriodicTask(() => deliverer.beginDue(), {
    what: 'webhook deliveries',
    everyMs,
    log,
    timers,
  });
  const alertTask = startPeriodicTask(
    async () => {
      if ((await sendAlerts(store)) > 0) sending.wake();
    },
    { what: 'news of budgets', everyMs, log, timers },
  );
  const noting = startPeriodicTask(
    async () => {
      if ((await noteUnconfirmed(store)) > 0) alertTask.wake();
    },
    { what: 'what stays unsettled', everyMs: unconfirmedEveryMs, log, timers },
  );
  const tidying: PeriodicTask = startPeriodicTask(
    async () => {
      if (await tidyDeliveries(store)) tidying.wake();
    },
    { what: 'old webhook deliveries', everyMs: tidyEveryMs, log, timers },
  );
  return {
    close: async () => {
      await Promise.all([noting.close(), alertTask.close(), tidying.close(), sending.close()]);
      await deliverer.close();
    },
  };
}
