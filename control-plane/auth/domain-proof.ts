// Whether an organization controls an e-mail domain: its TXT record in DNS. A verified domain is checked again each week;
// once the record is missing, each day, and on the third day the domain is no longer verified. DNS servers that do not
// respond prove nothing.
import type { Kysely, Selectable } from 'kysely';
import type { ReadTxt } from '../../common/dns-txt.ts';
import { dayMs } from '../../common/durations.ts';
import { recordOf } from '../domain/sign-in-domain.ts';
import type { Schema } from '../store/schema.ts';
import type { Change, Store, Unchanged } from '../store/store.ts';

type Row = Selectable<Schema['sign_in_domains']>;
type Proof = 'proven' | 'missing' | 'unreachable';

const checkedEveryMs = 7 * dayMs;
const missedMax = 3;
/** Domains of one run, so that a run ends. */
const batchRows = 200;

/** Never rejects. */
export async function proofOf(row: Row, readTxt: ReadTxt): Promise<Proof> {
  const { recordName, recordValue } = recordOf(row);
  try {
    const texts = await readTxt(recordName);
    return texts.includes(recordValue) ? 'proven' : 'missing';
  } catch {
    return 'unreachable';
  }
}

/** The columns after a check. */
export function afterCheck(row: Row, proof: Proof, now: number): Pick<Row, 'verified_at' | 'checked_at' | 'missed'> {
  switch (proof) {
    case 'proven':
      return { verified_at: row.verified_at ?? now, checked_at: now, missed: 0 };
    case 'unreachable':
      return { verified_at: row.verified_at, checked_at: now, missed: row.missed };
    case 'missing': {
      const missed = Math.min(row.missed + 1, missedMax);
      const isLost = row.vouched === 0 && missed >= missedMax;
      return { verified_at: isLost ? null : row.verified_at, checked_at: now, missed };
    }
  }
}

/** Whether another organization has verified the same domain. */
export async function verifiedElsewhere(db: Kysely<Schema>, { domain, id }: Row): Promise<boolean> {
  const other = await db
    .selectFrom('sign_in_domains')
    .select('id')
    .where('domain', '=', domain)
    .where('id', '!=', id)
    .where('verified_at', 'is not', null)
    .executeTakeFirst();
  return other !== undefined;
}

export interface DomainCheckDeps {
  readonly store: Pick<Store, 'change' | 'snapshot' | 'ledger'>;
  readonly readTxt: ReadTxt;
}

/** Checks the verified domains whose time has come. @throws StoreUnavailableError */
export async function checkDomains({ store, readTxt }: DomainCheckDeps): Promise<void> {
  const now = await store.ledger(async (tx) => tx.now);
  for (const row of await store.snapshot((db) => readDue(db, now))) {
    const proof = await proofOf(row, readTxt);
    await store.ledger(async ({ db }) => {
      const { verified_at: _kept, ...checks } = afterCheck(row, proof, now);
      await db.updateTable('sign_in_domains').set(checks).where('id', '=', row.id).execute();
    });
    if (afterCheck(row, proof, now).verified_at === null) await drop(store, row);
  }
}

async function readDue(db: Kysely<Schema>, now: number): Promise<readonly Row[]> {
  return await db
    .selectFrom('sign_in_domains')
    .selectAll()
    .where('verified_at', 'is not', null)
    .where('vouched', '=', 0)
    .where((or) =>
      or.or([
        or('checked_at', 'is', null),
        or('checked_at', '<=', now - checkedEveryMs),
        or.and([or('missed', '>', 0), or('checked_at', '<=', now - dayMs)]),
      ]),
    )
    .orderBy('checked_at')
    .limit(batchRows)
    .execute();
}

/** The domain is no longer the organization's; an audit event has the reason. */
async function drop(store: DomainCheckDeps['store'], row: Row): Promise<void> {
  const context = { actor: { kind: 'system', id: 'domain-checks' }, from: '', action: 'SignIn.LoseDomain' } as const;
  await store.change(context, async ({ db }): Promise<Change<void> | Unchanged<void>> => {
    const lost = await db
      .updateTable('sign_in_domains')
      .set({ verified_at: null })
      .where('id', '=', row.id)
      .where('missed', '>=', missedMax)
      .where('vouched', '=', 0)
      .where('verified_at', 'is not', null)
      .executeTakeFirst();
    if (lost.numUpdatedRows === 0n) return { unchanged: undefined };
    return {
      result: undefined,
      organizationId: row.organization_id,
      target: { kind: 'domain', id: row.id },
      after: { domain: row.domain, verified: false, why: 'its record was missing for three days' },
      invalidations: [],
    };
  });
}
