// Guardrails.ReportDecisions: proxies report samples of their guardrails' decisions. Each sample becomes one audit
// event, however often it is sent. Requests and responses contain no content of guarded texts.
import type { Clock } from '../../common/clock.ts';
import { dayMs, minuteMs } from '../../common/durations.ts';
import { lruCache } from '../../common/lru-cache.ts';
import type { GuardrailDecisionSample__Output } from '../../proto/generated/gateway/v1/GuardrailDecisionSample.ts';
import type { ReportGuardrailDecisionsRequest__Output } from '../../proto/generated/gateway/v1/ReportGuardrailDecisionsRequest.ts';
import type { ReportGuardrailDecisionsResponse } from '../../proto/generated/gateway/v1/ReportGuardrailDecisionsResponse.ts';
import type { Decision } from '../../proto/words/guardrails.ts';
import { decisions } from '../../proto/words/guardrails.ts';
import { wordOf } from '../domain/enum-names.ts';
import { oneStage } from '../domain/guardrail.ts';
import { clientRequestId, id, time, timeText, within } from '../domain/shared-fields.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import { CallError, permissionDenied } from '../rpc/errors.ts';
import type { Change, ChangeTransaction, Store, Unchanged } from '../store/store.ts';

/**
 * @throws CallError invalid_request, or permission_denied for an organization other than the proxy's;
 * StoreUnavailableError
 */
export type ReportDecisions = (
  caller: ProxyCaller,
  request: ReportGuardrailDecisionsRequest__Output,
) => Promise<ReportGuardrailDecisionsResponse>;

export const samplesMax = 100;
/** A sample is remembered for longer than it is accepted, so that none is recorded twice. */
export const sampleAgeMsMax = dayMs;
const rememberedMs = 2 * sampleAgeMsMax;

export interface ReportDecisionsDeps {
  readonly store: Pick<Store, 'snapshot' | 'change'>;
  readonly clock: Clock;
  /**
   * Makes a change when it is its organization's turn. It is a change of that organization, whichever proxy reports it.
   */
  readonly inOrder?: (organizationId: string, work: () => Promise<void>) => Promise<void>;
}

export function createReportDecisions({
  store,
  clock,
  inOrder: oneByOne = (_, work) => work(),
}: ReportDecisionsDeps): ReportDecisions {
  const hasRoom = createRoom(clock);
  return async (caller, { samples }) => {
    if (samples.length > samplesMax) {
      throw invalidRequest([{ field: 'samples', description: `must contain at most ${samplesMax}` }]);
    }
    const read = samples.map(readSample);
    requireOwn(caller, read);
    const recordOne = async (sample: Sample) => {
      if (!hasRoom(sample)) return;
      const actor = { kind: 'virtual_key', id: sample.key_id } as const;
      const context = { actor, from: caller.from, action: actions[sample.decision] };
      await oneByOne(sample.organization_id, () => store.change(context, (tx) => record(tx, caller, sample)));
    };
    const known = Map.groupBy(await ofKnownGuardrails(store, read), ({ organization_id }) => organization_id);
    // Organizations run concurrently and all to the end, so that none waits for another's turn.
    const done = await Promise.allSettled([...known.values()].map((samples) => inOrder(samples, recordOne)));
    for (const each of done) if (each.status === 'rejected') throw each.reason;
    return {};
  };
}

/**
 * If an organization has used its share of changes, its other samples are dropped. Metrics have counted their
 * decisions.
 */
async function inOrder(samples: readonly Sample[], recordOne: (sample: Sample) => Promise<void>) {
  try {
    for (const sample of samples) await recordOne(sample);
  } catch (error) {
    if (!(error instanceof CallError && error.reason === 'too_many_requests')) throw error;
  }
}

type Sample = ReturnType<typeof readSample>;

const actions = {
  pass: 'guardrail.passed',
  block: 'guardrail.blocked',
  redact: 'guardrail.redacted',
  observe: 'guardrail.observed',
  failed_pass: 'guardrail.failed_passed',
  failed_block: 'guardrail.failed_blocked',
  unavailable: 'guardrail.unavailable',
} as const satisfies Record<Decision, string>;

const decision = wordOf(decisions);
const uint32Max = 2 ** 32 - 1;

/** For one guardrail and decision, in a minute and on this replica. */
export const eventsPerMinuteMax = 20;
const kindsMax = 10_000;

/**
 * Every event is a change, and changes wait for each other: a thousand proxies must not fill the log with the same
 * event.
 */
function createRoom(clock: Clock): (sample: Sample) => boolean {
  const recorded = lruCache<{ readonly minute: number; events: number }>(kindsMax);
  return ({ guardrail_id, decision }) => {
    const key = `${guardrail_id} ${decision}`;
    const minute = Math.floor(clock.monotonic() / minuteMs);
    const known = recorded.get(key);
    const kind = known?.minute === minute ? known : { minute, events: 0 };
    recorded.set(key, kind);
    return kind.events++ < eventsPerMinuteMax;
  };
}

function readSample(sample: GuardrailDecisionSample__Output, index: number) {
  const fields = {
    id: id(sample.id),
    guardrail_id: id(sample.guardrailId),
    organization_id: id(sample.organizationId),
    key_id: id(sample.keyId),
    request_id: clientRequestId(sample.requestId),
    stage: oneStage(sample.stage),
    decision: decision(sample.decision),
    at: time(sample.at),
    decisions: within(1, uint32Max)(sample.decisions),
  };
  return checked(fields, `samples[${index}].`);
}

/**
 * Refuses samples instead of dropping them: a proxy forgets acknowledged samples, but another proxy can still report
 * refused ones.
 * @throws CallError
 */
function requireOwn({ organizationId }: ProxyCaller, samples: readonly Sample[]): void {
  if (organizationId === undefined) return;
  if (samples.some(({ organization_id }) => organization_id !== organizationId)) {
    throw permissionDenied('a proxy of one organization reports decisions of that one only');
  }
}

/** A guardrail that was deleted or never existed is not worth an event. */
async function ofKnownGuardrails(
  store: Pick<Store, 'snapshot'>,
  samples: readonly Sample[],
): Promise<readonly Sample[]> {
  if (samples.length === 0) return [];
  const ids = samples.map(({ guardrail_id }) => guardrail_id);
  const rows = await store.snapshot((db) =>
    db.selectFrom('guardrails').select(['id', 'organization_id']).where('id', 'in', ids).execute(),
  );
  const organizations = new Map(rows.map((row) => [row.id, row.organization_id]));
  return samples.filter((sample) => organizations.get(sample.guardrail_id) === sample.organization_id);
}

async function record(
  { db, now }: ChangeTransaction,
  caller: ProxyCaller,
  sample: Sample,
): Promise<Change<void> | Unchanged<void>> {
  if (Math.abs(now - sample.at) > sampleAgeMsMax) return { unchanged: undefined };
  await db
    .deleteFrom('guardrail_samples')
    .where('recorded_at', '<', now - rememberedMs)
    .execute();
  const isNew = await db
    .insertInto('guardrail_samples')
    .values({ id: sample.id, recorded_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (isNew === undefined) return { unchanged: undefined };
  const { stage, decisions, request_id: requestId } = sample;
  return {
    result: undefined,
    organizationId: sample.organization_id,
    target: { kind: 'guardrail', id: sample.guardrail_id },
    after: { stage, requestId, decisions, at: timeText(sample.at), proxy: caller.id },
    invalidations: [],
  };
}
