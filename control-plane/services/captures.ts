// Captures: settings by which proxies keep texts of requests for a time, and opening what they kept. Content leaves the
// database one request at a time, after the audit event about it is committed.
import type { Kysely } from 'kysely';
import { openContent } from '../../common/captured-content.ts';
import { dayMs } from '../../common/durations.ts';
import { hpkePrivateKey } from '../../common/hpke.ts';
import { isUuid, uuidv7 } from '../../common/uuid.ts';
import type { Capture } from '../../proto/generated/gateway/v1/Capture.ts';
import type { CapturedContent } from '../../proto/generated/gateway/v1/CapturedContent.ts';
import type { CaptureSetting } from '../../proto/generated/gateway/v1/CaptureSetting.ts';
import type { DisableCaptureRequest__Output } from '../../proto/generated/gateway/v1/DisableCaptureRequest.ts';
import type { DisableCaptureResponse } from '../../proto/generated/gateway/v1/DisableCaptureResponse.ts';
import type { EnableCaptureRequest__Output } from '../../proto/generated/gateway/v1/EnableCaptureRequest.ts';
import type { GetCaptureRequest__Output } from '../../proto/generated/gateway/v1/GetCaptureRequest.ts';
import type { ListCaptureSettingsRequest__Output } from '../../proto/generated/gateway/v1/ListCaptureSettingsRequest.ts';
import type { ListCaptureSettingsResponse } from '../../proto/generated/gateway/v1/ListCaptureSettingsResponse.ts';
import { captureForms } from '../../proto/words/captures.ts';
import {
  captureDaysMax,
  captureEnd,
  captureTarget,
  openingReason,
  retentionDays,
  samplePerThousand,
  sideBytes,
  sideBytesMax,
  usualRetentionDays,
} from '../domain/capture.ts';
import { optional } from '../domain/field.ts';
import { clientRequestId, timeText } from '../domain/shared-fields.ts';
import { checked } from '../rpc/checked.ts';
import { CallError, notFound, permissionDenied } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import type { CapturesTable } from '../store/capture-tables.ts';
import type { Schema } from '../store/schema.ts';
import type { RowLocks } from '../store/store.ts';
import { readUsageNames } from '../usage/names.ts';
import { captureKeysOf, ensureCaptureKey, privateKeyOf } from './capture-keys.ts';
import { mayOpenCaptures } from './capture-readers.ts';
import { type CaptureSettingRow, settingMessage } from './capture-rows.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { requireExists } from './organization-of.ts';
import { organizationChanged } from './organizations.ts';

/** Of one organization, whose record contains all of them. Ended ones do not count. */
export const captureSettingsMax = 50;
/** How long ended settings are listed: what they kept is deleted by then. */
export const endedCapturesMs = (captureDaysMax + 1) * dayMs;

export async function enable(
  call: ChangeCall,
  request: EnableCaptureRequest__Output,
): Promise<Outcome<CaptureSetting>> {
  const { db, now, deps, caller, revision } = call;
  const { organizationId } = request;
  const fields = checked({
    target: captureTarget(organizationId)(request.target),
    ends_at: captureEnd(now)(request.endsAt),
    sample_per_thousand: optional(samplePerThousand, request.samplePerThousand),
    retention_days: optional(retentionDays, request.retentionDays),
    side_bytes_max: optional(sideBytes, request.sideBytesMax),
  });
  await requireExists(db, organizationId, { field: 'target', ...fields.target });
  await expectRoom(call, organizationId);
  const hasNewKey = await ensureCaptureKey(db, deps.masterKeys, { organizationId, now });
  const row: CaptureSettingRow = {
    id: uuidv7(now),
    organization_id: organizationId,
    target_kind: fields.target.kind,
    target_id: fields.target.id,
    ends_at: fields.ends_at,
    purged_at: null,
    sample_per_thousand: fields.sample_per_thousand ?? 1000,
    retention_days: fields.retention_days ?? usualRetentionDays,
    side_bytes_max: fields.side_bytes_max ?? sideBytesMax,
    sides: 0,
    bytes: 0,
    created_by: caller.personId,
    created_at: now,
    revision,
  };
  await db.insertInto('capture_settings').values(row).execute();
  const after = settingMessage(row, now);
  const keys = hasNewKey ? { captureKeys: await captureKeysOf(db, organizationId) } : {};
  return { ...recorded(row), result: after, after: { ...after, ...keys } };
}

export async function disable(
  call: ChangeCall,
  request: DisableCaptureRequest__Output,
): Promise<Outcome<DisableCaptureResponse>> {
  const { db, now, locks, revision } = call;
  const before = await locks
    .update(db.selectFrom('capture_settings').selectAll().where('id', '=', request.id))
    .executeTakeFirst();
  if (before === undefined) throw notFound('id');
  const hasEnded = before.ends_at <= now;
  if (hasEnded && !request.purge) return { unchanged: { purged: 0 } };
  const after: CaptureSettingRow = {
    ...before,
    ends_at: Math.min(before.ends_at, now),
    purged_at: request.purge ? now : before.purged_at,
    revision,
  };
  await db.updateTable('capture_settings').set(after).where('id', '=', before.id).execute();
  const purged = request.purge ? await purge(db, { setting_id: before.id }) : 0;
  return {
    ...recorded(before),
    result: { purged },
    before: settingMessage(before, now),
    after: { ...settingMessage(after, now), purged },
    invalidations: hasEnded ? [] : [organizationChanged(before.organization_id)],
  };
}

export async function listSettings(
  { db, now }: ReadCall,
  request: ListCaptureSettingsRequest__Output,
): Promise<ListCaptureSettingsResponse> {
  const { organizationId } = request;
  const query = db.selectFrom('capture_settings').selectAll().where('organization_id', '=', organizationId);
  const { items, nextPageToken } = await pageOf(query, request, (row) => row);
  const targets = (kind: CaptureSettingRow['target_kind']) =>
    items.filter(({ target_kind }) => target_kind === kind).map(({ target_id }) => target_id);
  const names = await readUsageNames(db, organizationId, {
    systems: targets('ai_system'),
    keys: targets('virtual_key'),
    people: items.map(({ created_by }) => created_by),
  });
  const settings = items.map((row) => ({
    ...settingMessage(row, now),
    targetName: names.systems.get(row.target_id) ?? names.keys.get(row.target_id)?.name ?? '',
    createdByName: names.people.get(row.created_by) ?? '',
  }));
  return { settings, nextPageToken };
}

/** A change, because it is audited: nobody opens content without an event that says so. */
export async function get(call: ChangeCall, request: GetCaptureRequest__Output): Promise<Outcome<Capture>> {
  const { db, now, caller } = call;
  const { organizationId } = request;
  if (!(await mayOpenCaptures(db, caller, { organizationId, now })))
    throw permissionDenied('this needs an owner, or a grant of an owner that has not ended');
  const fields = checked({ id: clientRequestId(request.id), reason: openingReason(request.reason) });
  const sides = await readCaptures(db, { organizationId, id: fields.id, now });
  const [first] = sides;
  if (first === undefined) throw notFound('id');
  const opened: { request?: CapturedContent; response?: CapturedContent } = {};
  for (const row of sides) opened[row.side] = await openSide(call, row);
  const about = { id: first.id, requestId: first.request_id, keyId: first.key_id };
  return {
    action: 'capture.opened',
    result: { ...about, at: timeText(first.at), expiresAt: timeText(first.expires_at), ...opened },
    organizationId,
    target: { kind: 'capture', id: first.id },
    after: { ...about, sides: sides.map(({ side }) => side), reason: fields.reason },
    invalidations: [],
  };
}

async function openSide({ db, deps }: ChangeCall, row: CapturesTable): Promise<CapturedContent> {
  const { organization_id: organizationId, generation, id, side } = row;
  const key = hpkePrivateKey(await privateKeyOf(db, deps.masterKeys, { organizationId, generation }));
  const binding = { organizationId, id, side, expiresAt: row.expires_at };
  const content = openContent(key, binding, Buffer.from(row.sealed, 'base64'));
  if (content === undefined)
    throw new CallError(
      'capture_sealed',
      'the content cannot be opened: it was changed, or its proxy is of a later release',
    );
  return {
    form: captureForms.names[content.form],
    text: content.text,
    cut: content.isCut,
    unfinished: content.isUnfinished,
  };
}

interface WantedCapture {
  readonly organizationId: string;
  /** Of the row, or of the request. */
  readonly id: string;
  readonly now: number;
}

/** Whether Captures.Get has content of the request. */
export async function isCaptured(db: Kysely<Schema>, wanted: WantedCapture): Promise<boolean> {
  return (
    (await unexpired(db, wanted).where('id', '=', wanted.id).select('id').limit(1).executeTakeFirst()) !== undefined
  );
}

async function readCaptures(db: Kysely<Schema>, wanted: WantedCapture): Promise<CapturesTable[]> {
  const id = isUuid(wanted.id) && (await isCaptured(db, wanted)) ? wanted.id : await chosenId(db, wanted);
  if (id === undefined) return [];
  return await unexpired(db, wanted).selectAll().where('id', '=', id).orderBy('side').execute();
}

/** The row's id of the newest request with an id that its caller chose. */
async function chosenId(db: Kysely<Schema>, wanted: WantedCapture): Promise<string | undefined> {
  const rows = unexpired(db, wanted).select('id').where('request_id', '=', wanted.id);
  return (await rows.orderBy('at', 'desc').limit(1).executeTakeFirst())?.id;
}

/** The task that deletes expired rows may be late. */
function unexpired(db: Kysely<Schema>, { organizationId, now }: Omit<WantedCapture, 'id'>) {
  return db.selectFrom('captures').where('organization_id', '=', organizationId).where('expires_at', '>', now);
}

/**
 * Deletes the captured content of a key that is switched off. The settings are locked first, so that a report that runs at
 * the same time sees the key as it is now.
 * @throws CallError if the caller is no owner
 */
export async function purgeCapturesOfKey(
  { db, locks, caller }: Pick<ChangeCall, 'db' | 'locks' | 'caller'>,
  { organizationId, keyId }: { readonly organizationId: string; readonly keyId: string },
): Promise<() => Promise<number>> {
  if (caller.role !== 'owner')
    throw permissionDenied('this needs the role owner: only an owner deletes captured content');
  await lockSettings(db, locks, organizationId);
  return () => purge(db, { organization_id: organizationId, key_id: keyId });
}

async function lockSettings(db: Kysely<Schema>, locks: RowLocks, organizationId: string): Promise<void> {
  const settings = db.selectFrom('capture_settings').select('id').where('organization_id', '=', organizationId);
  await locks.update(settings.orderBy('id')).execute();
}

/** @returns how many sides were deleted */
async function purge(
  db: Kysely<Schema>,
  columns: Partial<Pick<CapturesTable, 'setting_id' | 'organization_id' | 'key_id'>>,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('captures')
    .where((where) => where.and(columns))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** @throws CallError */
async function expectRoom({ db, now }: ChangeCall, organizationId: string): Promise<void> {
  const { count } = await db
    .selectFrom('capture_settings')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('ends_at', '>', now)
    .executeTakeFirstOrThrow();
  if (count < captureSettingsMax) return;
  throw new CallError(
    'too_many_captures',
    `${captureSettingsMax} settings capture already; disable one that is not needed`,
  );
}

function recorded({ id, organization_id: organizationId }: CaptureSettingRow) {
  return {
    organizationId,
    target: { kind: 'capture_setting', id },
    invalidations: [organizationChanged(organizationId)],
  };
}
