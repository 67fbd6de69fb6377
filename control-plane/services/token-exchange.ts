// The exchange of an outside token for an operator token of a service account, in the form of RFC 8693. Only issuers that
// a trust row of the named account names are called. The issued token ends within an hour, with its trust row and with
// its account. An outside token works once for each account, except a projected token of Kubernetes.
import type { Kysely } from 'kysely';
import { addressGroup } from '../../common/caller-address.ts';
import { hashCredential } from '../../common/credential.ts';
import { hourMs, minuteMs } from '../../common/durations.ts';
import { type LRUCache, lruCache } from '../../common/lru-cache.ts';
import type { ExchangeTokenRequest__Output } from '../../proto/generated/gateway/v1/ExchangeTokenRequest.ts';
import type { ExchangeTokenResponse } from '../../proto/generated/gateway/v1/ExchangeTokenResponse.ts';
import { limited } from '../auth/deps.ts';
import { type Field, invalid, valid } from '../domain/field.ts';
import { id, nameLengthMax, visible } from '../domain/shared-fields.ts';
import { type Claims, claimedIssuer, isProjectedToken, misfit } from '../domain/trust.ts';
import { checked } from '../rpc/checked.ts';
import { CallError } from '../rpc/errors.ts';
import { issueOperatorToken } from '../store/operator-token-rows.ts';
import { isSuspended } from '../store/organization-table.ts';
import type { Schema } from '../store/schema.ts';
import type { ChangeTransaction } from '../store/store.ts';
import type { OpenCall } from './method.ts';
import { claimsOf, type TrustRow, trustOf } from './service-accounts.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
const tokenTypes = ['jwt', 'id_token'].map((type) => `urn:ietf:params:oauth:token-type:${type}`);
const tokenMs = hourMs;
const subjectTokenLengthMax = 16 * 1024;
/** Tokens of an account that have not ended. */
const liveTokensMax = 1000;
/** The clocks of issuers may differ so much from ours. */
const clockToleranceMs = minuteMs;

/** An account that may get tokens now. */
interface Account {
  readonly id: string;
  readonly organizationId: string;
  readonly trust: readonly TrustRow[];
}

/** A verified token with the row that it fits. */
interface Fitting {
  readonly row: TrustRow;
  readonly claims: Claims;
}

/** @throws CallError invalid_request, exchange_refused, issuer_unavailable, too_many_requests; StoreUnavailableError */
export async function exchange(call: OpenCall, request: ExchangeTokenRequest__Output): Promise<ExchangeTokenResponse> {
  const fields = checked({
    grant_type: oneOf([grantType])(request.grantType),
    subject_token: subjectToken(request.subjectToken),
    subject_token_type: oneOf(tokenTypes)(request.subjectTokenType),
    service_account_id: id(request.serviceAccountId),
  });
  const group = addressGroup(call.from);
  return await limited(call, 'sign_ins', `exchange ${group}`, async () => {
    const stranger = { organization: 'strangers', key: group };
    const account = await call.shares.inOrder('reads', stranger, () =>
      call.store.snapshot((db) => accountOf(db, fields.service_account_id, call.clock.now())),
    );
    if (account === undefined) throw refused('there is no such service account, or it is not active');
    try {
      const fitting = await verified(call, account, fields.subject_token);
      call.shares.take('change_rate', account.organizationId);
      return await issued(call, account, fitting);
    } catch (error) {
      if (error instanceof CallError && error.reason === 'exchange_refused') await recordRefusal(call, account, error);
      throw error;
    }
  });
}

async function accountOf(db: Kysely<Schema>, accountId: string, now: number): Promise<Account | undefined> {
  const row = await db
    .selectFrom('people')
    .innerJoin('organizations', 'organizations.id', 'people.organization_id')
    .select(['people.id', 'people.organization_id', 'organizations.suspended', 'organizations.suspended_ends_at'])
    .where('people.id', '=', accountId)
    .where('people.kind', '=', 'service')
    .where('people.active', '=', 1)
    .executeTakeFirst();
  if (row === undefined || row.organization_id === null || isSuspended(row, now)) return undefined;
  return { id: row.id, organizationId: row.organization_id, trust: await trustOf(db, [row.id]) };
}

/** @throws CallError exchange_refused, issuer_unavailable */
async function verified(call: OpenCall, account: Account, token: string): Promise<Fitting> {
  const issuer = claimedIssuer(token);
  const rows = account.trust.filter((row) => row.issuer === issuer);
  const [first] = rows;
  if (first === undefined) throw refused('no trust row of the service account has the token’s issuer');
  const outside = await call.deps.outsideTokens();
  const claims = await outside.verify(token, { issuer: first.issuer, organizationId: account.organizationId });
  const misfits = rows.map((row) => misfit({ audience: row.audience, claims: claimsOf(row) }, claims));
  const row = rows[misfits.indexOf(undefined)];
  if (row !== undefined) return { row, claims };
  throw new ExchangeMisfit(claims, misfits);
}

async function issued(call: OpenCall, account: Account, fitting: Fitting): Promise<ExchangeTokenResponse> {
  const actor = { kind: 'person', id: account.id } as const;
  const owner = { organization: account.organizationId, key: account.id };
  const { value, endsAt, now } = await call.shares.inOrder('changes', owner, () =>
    call.store.change({ actor, from: call.from, action: 'Tokens.Exchange' }, async (tx) => {
      const still = await accountOf(tx.db, account.id, tx.now);
      if (!still?.trust.some((row) => row.id === fitting.row.id)) throw refused('the trust row has just been deleted');
      await deleteEnded(tx, account.id);
      await spend(tx, account.id, fitting);
      await expectRoom(tx, account.id);
      const end = tx.now + tokenMs;
      const subject = String(fitting.claims.sub).slice(0, nameLengthMax);
      const made = await issueOperatorToken(tx, {
        personId: account.id,
        name: 'value' in visible(subject, nameLengthMax) ? subject : 'exchange',
        endsAt: end,
        trustId: fitting.row.id,
      });
      await tx.db
        .updateTable('service_trusts')
        .set({ exchanged_at: tx.now })
        .where('id', '=', fitting.row.id)
        .execute();
      return {
        result: { value: made.value, endsAt: end, now: tx.now },
        organizationId: account.organizationId,
        target: { kind: 'operator_token', id: made.row.id },
        after: { serviceAccountId: account.id, trustId: fitting.row.id, ...shownOf(fitting.claims) },
        invalidations: [],
      };
    }),
  );
  return {
    accessToken: value,
    issuedTokenType: 'urn:ietf:params:oauth:token-type:access_token',
    tokenType: 'Bearer',
    expiresIn: Math.floor((endsAt - now) / 1000),
  };
}

/** The audit log has their history. */
async function deleteEnded({ db, now }: ChangeTransaction, accountId: string): Promise<void> {
  await db
    .deleteFrom('operator_tokens')
    .where('person_id', '=', accountId)
    .where('trust_id', 'is not', null)
    .where('ends_at', '<=', now)
    .execute();
  await db.deleteFrom('spent_tokens').where('person_id', '=', accountId).where('ends_at', '<=', now).execute();
}

/** Changes run one after another: of two exchanges of one token the second finds it spent. @throws CallError */
async function spend({ db }: ChangeTransaction, accountId: string, { row, claims }: Fitting): Promise<void> {
  if (isProjectedToken(claims)) return;
  const { jti, exp } = claims;
  if (typeof jti !== 'string' || jti === '') throw refused('the token has no `jti`, by which it would work once');
  const ends_at = Math.ceil(Number(exp) * 1000) + 2 * clockToleranceMs;
  const inserted = await db
    .insertInto('spent_tokens')
    .values({ person_id: accountId, hash: hashCredential(`${row.issuer}\n${jti}`), ends_at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows !== 1n) throw refused('the token was used before; each works once');
}

/** @throws CallError */
async function expectRoom({ db }: ChangeTransaction, accountId: string): Promise<void> {
  const { count } = await db
    .selectFrom('operator_tokens')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('person_id', '=', accountId)
    .executeTakeFirstOrThrow();
  if (Number(count) < liveTokensMax) return;
  const message = `the service account has ${liveTokensMax} tokens that have not ended; use each for more than one call`;
  throw new CallError('too_many_requests', message, { retryAfter: 60 });
}

/** What of a verified token is in the audit log. */
function shownOf({ iss, sub, jti }: Claims) {
  return { issuer: shown(iss), subject: shown(sub), ...(jti !== undefined && { tokenId: shown(jti) }) };
}

const shownLengthMax = 256;

function shown(claim: unknown): string {
  return String(claim).slice(0, shownLengthMax);
}

/** A verified token that fits no row. Its claims are for the audit log, not for the caller. */
class ExchangeMisfit extends CallError {
  readonly seen: object;

  constructor(claims: Claims, misfits: readonly (string | undefined)[]) {
    super('exchange_refused', 'no trust row of the service account fits the token’s audience and claims');
    this.seen = { ...shownOf(claims), misfits: [...new Set(misfits)] };
  }
}

/** Strangers must not fill the audit log: one refusal of an account a minute is recorded, by each replica. */
const recordedEveryMs = minuteMs;
const recordedMax = 10_000;
const lastRecorded = new WeakMap<object, LRUCache<string, number>>();

async function recordRefusal(call: OpenCall, account: Account, error: CallError): Promise<void> {
  const recorded = lastRecorded.get(call.store) ?? lruCache<number>(recordedMax);
  lastRecorded.set(call.store, recorded);
  const now = call.clock.now();
  if (now - (recorded.get(account.id) ?? Number.NEGATIVE_INFINITY) < recordedEveryMs) return;
  recorded.set(account.id, now);
  const actor = { kind: 'system', id: account.id } as const;
  const after = { why: error.message, ...(error instanceof ExchangeMisfit && error.seen) };
  const stranger = { organization: 'strangers', key: addressGroup(call.from) };
  await call.shares.inOrder('changes', stranger, () =>
    call.store.change({ actor, from: call.from, action: 'Tokens.RefuseExchange' }, async () => ({
      result: undefined,
      organizationId: account.organizationId,
      target: { kind: 'service_account', id: account.id },
      after,
      invalidations: [],
    })),
  );
}

function subjectToken(text: string): Field<string> {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text) && text.length <= subjectTokenLengthMax
    ? valid(text)
    : invalid(`must be a JSON Web Token of at most ${subjectTokenLengthMax} characters`);
}

function oneOf(texts: readonly string[]): (text: string) => Field<string> {
  return (text) => (texts.includes(text) ? valid(text) : invalid(`must be ${texts.join(' or ')}`));
}

function refused(why: string): CallError {
  return new CallError('exchange_refused', why);
}
