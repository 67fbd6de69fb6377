// A control plane with organizations that capture, a proxy's token, and what tests of captured content do there.
import { expect } from 'vitest';
import type { Store } from '../../control-plane/store/store.ts';
import {
  type CapturedKey,
  captureRecord,
  ofOrganization,
  organizationKey,
  type SideFields,
  sealedSide,
} from './captures.ts';
import type { StoreDatabase } from './databases.ts';
import {
  bootstrap,
  createOwned,
  createTenant,
  freely,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  type OwnedTenant,
  type Someone,
  startOperatorsPlane,
} from './operators.ts';

/** An organization that captures the requests of all of its keys. */
export interface Captured {
  readonly acme: OwnedTenant;
  readonly key: CapturedKey;
  readonly setting: JsonResponse;
  readonly record: NonNullable<Awaited<ReturnType<typeof captureRecord>>>;
}

export const openingReason = 'ticket 4711: a wrong response';

export type CaptureWorld = Awaited<ReturnType<typeof openCaptureWorld>>;

export async function openCaptureWorld(database: StoreDatabase) {
  const plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url }, rates: freely });
  const platform = await bootstrap(plane);
  const { value: proxyToken } = await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' });
  const other = await createTenant(plane, platform, 'other');
  const store = await database.open();
  return {
    ...{ database, plane, platform, other, store },
    proxyToken: String(proxyToken),
    ...actionsOf({ plane, platform, store, proxyToken }),
    close: async () => {
      await plane.close();
      await database.drop();
    },
  };
}

interface Parts {
  readonly plane: OperatorsPlane;
  readonly platform: Someone;
  readonly store: Store;
  readonly proxyToken: string;
}

function actionsOf({ plane, platform, store, proxyToken }: Parts) {
  const sideOf = ({ acme, key, record }: Captured, fields: SideFields = {}) =>
    sealedSide(record, { organizationId: acme.id, keyId: key.id }, fields);
  const report = (captures: readonly object[], token = proxyToken): Promise<JsonResponse> =>
    plane.expect('Captures.Report', token, { captures });
  return {
    sideOf,
    report,
    capturing: async (fields: object = {}): Promise<Captured> => {
      const acme = await createOwned(plane, platform, freshName('acme'));
      const key = await organizationKey(plane, acme);
      const setting = await plane.expect('Captures.Enable', acme.owner.token, { ...ofOrganization(acme), ...fields });
      const record = await captureRecord(plane, proxyToken, key);
      if (record === null) throw new Error('the record captures nothing');
      return { acme, key, setting, record };
    },
    /** @returns the id of a request of which both sides are kept */
    keep: async (captured: Captured, text = 'Rosebud'): Promise<string> => {
      const request = sideOf(captured, { text: `request ${text}` });
      const response = sideOf(captured, { id: request.id, side: 'response', text: `response ${text}`, form: 'stream' });
      expect(await report([request, response])).toEqual({ recorded: 2, dropped: 0 });
      return request.id;
    },
    open: (acme: OwnedTenant, id: string, token = acme.owner.token, reason = openingReason) =>
      plane.call('Captures.Get', token, { organizationId: acme.id, id, reason }),
    rowsOf: (acme: OwnedTenant) =>
      store.snapshot((db) => db.selectFrom('captures').selectAll().where('organization_id', '=', acme.id).execute()),
    keysOf: (acme: OwnedTenant) =>
      store.snapshot((db) =>
        db
          .selectFrom('capture_keys')
          .selectAll()
          .where('organization_id', '=', acme.id)
          .orderBy('generation')
          .execute(),
      ),
    audit: async (acme: OwnedTenant, fields: object = {}): Promise<JsonResponse[]> =>
      (await plane.expect('Audit.List', acme.owner.token, { organizationId: acme.id, ...fields })).events,
  };
}
