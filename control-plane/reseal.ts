// Maintenance: seals every provider secret anew under the newest master key, so that the older ones can be taken away.
// Rotation: put the new key in front of the old in GATEWAY_MASTER_KEY and restart all replicas, reseal, take the old key away.
import type { SealKeys } from '../common/seal.ts';
import { sealProviderSecret, unsealProviderSecret } from './domain/provider-secret.ts';
import type { Store } from './store/store.ts';

export interface Resealed {
  readonly resealed: number;
  /** Ids of provider keys that no given master key opens. */
  readonly lost: readonly string[];
}

/** One change: all or nothing. @throws StoreUnavailableError */
export function resealProviderSecrets(store: Store, masterKeys: SealKeys): Promise<Resealed> {
  const context = {
    actor: { kind: 'system', id: 'reseal' },
    from: '',
    action: 'ProviderKeys.Reseal',
  } as const;
  return store.change(context, async ({ db }) => {
    const rows = await db
      .selectFrom('provider_keys')
      .select(['id', 'organization_id', 'secret', 'secret_version'])
      .execute();
    const lost: string[] = [];
    for (const row of rows) {
      const place = {
        organizationId: row.organization_id,
        providerKeyId: row.id,
        version: row.secret_version,
      };
      const opened = unsealProviderSecret(masterKeys, place, row.secret);
      if (opened === undefined) {
        lost.push(row.id);
        continue;
      }
      const secret = sealProviderSecret(masterKeys, place, opened);
      await db.updateTable('provider_keys').set({ secret }).where('id', '=', row.id).execute();
    }
    const result = { resealed: rows.length - lost.length, lost };
    // What the proxies hold is the same secret: nothing to invalidate.
    return {
      result,
      organizationId: undefined,
      target: { kind: 'provider_keys', id: 'all' },
      after: result,
      invalidations: [],
    };
  });
}
