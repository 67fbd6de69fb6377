// Scenes of bills that differ from the ledger, or that are no longer imported.
import { dayOf } from '../../../common/budget-window.ts';
import { dayMs } from '../../../common/durations.ts';
import { until } from '../../support/process.ts';
import type { Scene, World } from './scenes.ts';

const uuid = '[0-9a-f]{8}-[0-9a-f-]{27}';
const day = () => dayOf(Date.now() - 6 * dayMs);

/** A day for which the vendor bills more than was used. */
async function bill({ organization, owner, record }: World): Promise<void> {
  const call = (method: string, request: object) =>
    organization.api.call(`Reconciliation/${method}`, { organizationId: organization.id, ...request });
  const reference = { kind: 'BILL_REFERENCE_KIND_PROJECT', value: 'proj_shop' };
  const { providerKeys } = await owner.json('provider-keys list');
  const providerKeyIds = [providerKeys[0].id];
  await call('SetMapping', { vendor: 'BILL_VENDOR_OPENAI', reference, providerKeyIds });
  await record({
    ...{ at: Date.parse(day()) + dayMs / 2, provider_key_id: providerKeys[0].id, cost: 1_000_000_000 },
    ...{ model_asked: 'gpt-provider/gpt-4o', model_answered: 'gpt-4o-2024-08-06' },
  });
  const rows = [{ references: [reference], model: 'gpt-4o-2024-08-06', kind: 'BILL_ROW_KIND_USAGE', costUsd: '5' }];
  await call('ImportBill', { document: 'BILL_DOCUMENT_OPENAI_COSTS', days: [{ day: day(), rows }] });
}

export const billScenes = {
  'bill-drift': {
    plant: async (world) => {
      await bill(world);
      const found = async () => (await world.owner.json('reconcile list')).drift.length > 0;
      await until(found, { what: 'the bill to be compared', timeoutMs: 60_000 });
    },
    found: { id: new RegExp(` (${uuid})$`, 'm') },
    finds: [/^DAY .*DRIFT +UNEXPLAINED[\s\S]* unexplained /m, /^billed USD +5$/m, /^amount USD +4$/m],
    after: async ({ owner }) =>
      void (await until(async () => (await owner.json('reconcile list')).drift.length === 0, {
        timeoutMs: 60_000,
      })),
  },
  'bills-missing': {
    plant: bill,
    finds: [new RegExp(`^DAY +DOCUMENT[\\s\\S]*^${day()} +openai-costs `, 'm')],
  },
} as const satisfies Readonly<Record<string, Scene>>;
