// Captures.Report: proxies report sealed sides of requests. Only what a present setting of the organization allows is
// kept: for the keys that it names, of requests from before its end, for no longer than its retention. The control plane
// does not open what it gets.
import type { Kysely } from 'kysely';
import { sealedOverheadBytes } from '../../common/captured-content.ts';
import { dayMs, minuteMs } from '../../common/durations.ts';
import { hpkeOverheadBytes } from '../../common/hpke.ts';
import { isUuid, uuidTime } from '../../common/uuid.ts';
import type { ReportCapturesRequest__Output } from '../../proto/generated/gateway/v1/ReportCapturesRequest.ts';
import type { ReportCapturesResponse } from '../../proto/generated/gateway/v1/ReportCapturesResponse.ts';
import type { ReportedCapture__Output } from '../../proto/generated/gateway/v1/ReportedCapture.ts';
import { captureSides } from '../../proto/words/captures.ts';
import { organizationBytesMax, settingBytesMax } from '../domain/capture.ts';
import { lateCapturesMs } from '../domain/capture-key.ts';
import { isValid } from '../domain/field.ts';
import { clientRequestId } from '../domain/shared-fields.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { invalidRequest } from '../rpc/checked.ts';
import { permissionDenied } from '../rpc/errors.ts';
import type { CapturesTable } from '../store/capture-tables.ts';
import type { Schema } from '../store/schema.ts';
import type { LedgerTransaction, RowsInsert, Store } from '../store/store.ts';
import type { CaptureSettingRow } from './capture-rows.ts';

/**
 * @throws CallError invalid_request, or permission_denied for an organization other than the proxy's;
 * StoreUnavailableError
 */
export type ReportCaptures = (
  caller: ProxyCaller,
  request: ReportCapturesRequest__Output,
) => Promise<ReportCapturesResponse>;

export const reportedCapturesMax = 100;
/** How far the clocks of proxies may be ahead. */
const aheadMsMax = 5 * minuteMs;

export interface ReportCapturesDeps {
  readonly store: Pick<Store, 'ledger'>;
  /** Whether the organization's share has room for so many sides; if so they are taken from it. Default: always. */
  readonly admit?: (organizationId: string, sides: number) => boolean;
}

export function createReportCaptures({ store, admit = () => true }: ReportCapturesDeps): ReportCaptures {
  return async ({ organizationId: bound }, { captures }) => {
    if (captures.length > reportedCapturesMax)
      throw invalidRequest([{ field: 'captures', description: `must contain at most ${reportedCapturesMax}` }]);
    if (bound !== undefined && captures.some(({ organizationId }) => organizationId !== bound))
      throw permissionDenied('a proxy of one organization reports captures of that one only');
    const read = captures.flatMap((capture) => readCapture(capture) ?? []);
    const admitted = [...Map.groupBy(read, (row) => row.organization_id)].flatMap(([id, ofOne]) =>
      admit(id, ofOne.length) ? ofOne : [],
    );
    const kept = admitted.length === 0 ? noneKept : await store.ledger((tx) => record(tx, admitted));
    return { recorded: kept.recorded, dropped: captures.length - kept.wanted };
  };
}

interface RecordedSides {
  /** Sides that were not there before. */
  readonly recorded: number;
  /** Sides that a setting allows. */
  readonly wanted: number;
}

const noneKept: RecordedSides = { recorded: 0, wanted: 0 };

interface ReportedRow extends CapturesTable {
  /** Of the seal, in bytes. */
  readonly bytes: number;
}

/** Undefined if it names nothing that could be kept. */
function readCapture(capture: ReportedCapture__Output): ReportedRow | undefined {
  const { id, organizationId, keyId, settingId, generation, sealed } = capture;
  const side = captureSides.wordOf(capture.side);
  const expiresAt = Number(capture.expiresAtMs);
  if (side === undefined || ![id, organizationId, keyId, settingId].every(isUuid)) return undefined;
  if (!Number.isSafeInteger(expiresAt) || sealed.length < hpkeOverheadBytes) return undefined;
  return {
    organization_id: organizationId,
    id,
    side,
    request_id: isValid(clientRequestId(capture.requestId)) ? capture.requestId : id,
    key_id: keyId,
    setting_id: settingId,
    generation,
    at: uuidTime(id),
    expires_at: expiresAt,
    sealed: sealed.toString('base64'),
    bytes: sealed.length,
  };
}

async function record(tx: LedgerTransaction, rows: readonly ReportedRow[]): Promise<RecordedSides> {
  const wanted = await wantedOf(tx, rows);
  if (wanted.length === 0) return noneKept;
  const known = await knownOf(tx.db, wanted);
  const fresh = wanted.filter((row) => !known.has(nameOf(row)));
  await tx.insertRows(
    tx.db,
    capturesInsert,
    fresh.map((row) => columnNames.map((name) => row[name])),
  );
  for (const [settingId, ofOne] of Map.groupBy(fresh, (row) => row.setting_id)) {
    await tx.db
      .updateTable('capture_settings')
      .set((column) => ({
        sides: column('sides', '+', ofOne.length),
        bytes: column(
          'bytes',
          '+',
          ofOne.reduce((sum, { bytes }) => sum + bytes, 0),
        ),
      }))
      .where('id', '=', settingId)
      .execute();
  }
  return { recorded: fresh.length, wanted: wanted.length };
}

/** What a setting allows. Settings are locked before keys are read: see purgeCapturesOfKey. */
async function wantedOf({ db, now, locks }: LedgerTransaction, rows: readonly ReportedRow[]): Promise<ReportedRow[]> {
  const organizationIds = [...new Set(rows.map((row) => row.organization_id))];
  const settingIds = [...new Set(rows.map((row) => row.setting_id))];
  const locked = db
    .selectFrom('capture_settings')
    .selectAll()
    .where('id', 'in', settingIds)
    .where('organization_id', 'in', organizationIds)
    .orderBy('id');
  const settings = new Map((await locks.update(locked).execute()).map((row) => [row.id, row]));
  const keys = await readKeys(db, rows);
  const generations = await readGenerations(db, organizationIds, now);
  const room = await readRoom(db, organizationIds, settings.values());
  return rows.filter((row) => {
    const setting = settings.get(row.setting_id);
    const key = keys.get(row.key_id);
    if (setting === undefined || key === undefined) return false;
    if (!generations.has(`${row.organization_id} ${row.generation}`)) return false;
    return isAllowed(row, { setting, key, now }) && takeRoom(room, row);
  });
}

/** Bytes that settings and organizations may still keep, by id. What was deleted meanwhile counts, unless it was purged. */
async function readRoom(
  db: Kysely<Schema>,
  organizationIds: readonly string[],
  settings: Iterable<CaptureSettingRow>,
): Promise<Map<string, number>> {
  const room = new Map(organizationIds.map((id) => [id, organizationBytesMax]));
  const sums = await db
    .selectFrom('capture_settings')
    .select(({ fn }) => ['organization_id', fn.sum('bytes').as('bytes')])
    .where('organization_id', 'in', organizationIds)
    .where('purged_at', 'is', null)
    .groupBy('organization_id')
    .execute();
  for (const { organization_id: id, bytes } of sums) room.set(id, organizationBytesMax - Number(bytes));
  for (const { id, bytes } of settings) room.set(id, settingBytesMax - bytes);
  return room;
}

/** @returns whether there was room */
function takeRoom(room: Map<string, number>, row: ReportedRow): boolean {
  const owners = [row.organization_id, row.setting_id];
  if (owners.some((id) => (room.get(id) ?? 0) < row.bytes)) return false;
  for (const id of owners) room.set(id, (room.get(id) ?? 0) - row.bytes);
  return true;
}

interface Allowing {
  readonly setting: CaptureSettingRow;
  readonly key: CapturedKey;
  readonly now: number;
}

function isAllowed(row: ReportedRow, { setting, key, now }: Allowing): boolean {
  const isTheirs = setting.organization_id === row.organization_id && key.organization_id === row.organization_id;
  const isInTime = row.at >= now - lateCapturesMs && row.at <= now + aheadMsMax && row.at < setting.ends_at;
  const isBounded = row.expires_at > now && row.expires_at <= row.at + setting.retention_days * dayMs;
  return (
    isTheirs &&
    isInTime &&
    isBounded &&
    setting.purged_at === null &&
    row.bytes <= setting.side_bytes_max + sealedOverheadBytes &&
    isTargeted(setting, key)
  );
}

function isTargeted({ target_kind: kind, target_id: id }: CaptureSettingRow, key: CapturedKey): boolean {
  switch (kind) {
    case 'organization':
      return true;
    case 'ai_system':
      return key.scope_kind === 'ai_system' && key.scope_id === id;
    case 'virtual_key':
      return key.id === id;
  }
}

type CapturedKey = Awaited<ReturnType<typeof readKeys>> extends ReadonlyMap<string, infer Key> ? Key : never;

/** Those that are not switched off. */
async function readKeys(db: Kysely<Schema>, rows: readonly ReportedRow[]) {
  const keys = await db
    .selectFrom('virtual_keys')
    .select(['id', 'organization_id', 'scope_kind', 'scope_id'])
    .where('id', 'in', [...new Set(rows.map((row) => row.key_id))])
    .where('revoked_at', 'is', null)
    .where('active', '=', 1)
    .execute();
  return new Map(keys.map((key) => [key.id, key]));
}

/** Those to which proxies may seal now. */
async function readGenerations(
  db: Kysely<Schema>,
  organizationIds: readonly string[],
  now: number,
): Promise<Set<string>> {
  const keys = await db
    .selectFrom('capture_keys')
    .select(['organization_id', 'generation'])
    .where('organization_id', 'in', organizationIds)
    .where((where) => where.or([where('replaced_at', 'is', null), where('replaced_at', '>', now - lateCapturesMs)]))
    .execute();
  return new Set(keys.map(({ organization_id, generation }) => `${organization_id} ${generation}`));
}

async function knownOf(db: Kysely<Schema>, rows: readonly ReportedRow[]): Promise<Set<string>> {
  const known = await db
    .selectFrom('captures')
    .select(['organization_id', 'id', 'side'])
    .where('organization_id', 'in', [...new Set(rows.map((row) => row.organization_id))])
    .where('id', 'in', [...new Set(rows.map(({ id }) => id))])
    .execute();
  return new Set(known.map(nameOf));
}

function nameOf({ organization_id, id, side }: Pick<CapturesTable, 'organization_id' | 'id' | 'side'>): string {
  return `${organization_id} ${id} ${side}`;
}

const columns = {
  organization_id: 'text',
  id: 'text',
  side: 'text',
  request_id: 'text',
  key_id: 'text',
  setting_id: 'text',
  generation: 'bigint',
  at: 'bigint',
  expires_at: 'bigint',
  sealed: 'text',
} as const satisfies Record<keyof CapturesTable, 'text' | 'bigint'>;

const columnNames = Object.keys(columns) as readonly (keyof typeof columns)[];

const capturesInsert: RowsInsert = {
  table: 'captures',
  columns,
  ending: 'on conflict (organization_id, id, side) do nothing',
};
