// What is recorded of one request: for the access log, the metrics and its row.
import type { Stage } from '../../guardrails/definition.ts';
import type { EstimateReason } from '../../proto/words/money.ts';
import type { Caller } from '../access/authenticator.ts';
import type { Principal } from '../access/principal.ts';
import type { Usage } from '../conversation/usage.ts';
import type { ClientFormatName } from '../formats/client-format.ts';
import type { HedgeWinner } from '../routing/chain.ts';
import type { Recovered } from '../routing/recovering-stream.ts';

/** Data for the access log, the metrics and the row of a request. */
export interface RequestRecord {
  route: string;
  /** The client's format; undefined if there is no such route. */
  clientFormat: ClientFormatName | undefined;
  organizationId: string | undefined;
  keyId: string | undefined;
  /** The key's scope; undefined if the caller is unknown. */
  scope: Principal['key']['scope'] | undefined;
  /** Whether the organization records its requests. */
  isRecorded: boolean;
  /** Of the request, once the body was read; undefined if it has none. */
  tags: Caller['tags'];
  /** The last characters of a key that was sent and is unknown. */
  keyHint: string | undefined;
  projectKeyId: string | undefined;
  provider: string | undefined;
  /** The stored key of the target that the provider was to be called with. */
  providerKeyId: string | undefined;
  /** Canonical name, without the provider. */
  model: string | undefined;
  /** The model as the caller sent it, once the body was read. */
  modelRequested: string | undefined;
  /** `<provider>/<model>` of a request that was refused for its model. */
  refusedModel: string | undefined;
  /** The name that the caller sent, if that is another one. */
  modelSent: string | undefined;
  /** The route that the caller called. */
  modelRoute: string | undefined;
  /** Whether the response was a stored one; undefined if the route stores none. */
  cache: 'hit' | 'miss' | undefined;
  /**
   * Whether the request went to a canary of its route first. `failed`: another target got it then, or at once because
   * the canary was out.
   */
  canary: 'false' | 'true' | 'failed';
  /** The model's name in the catalog or in configuration. Only known names are metric labels. */
  catalogName: string | undefined;
  status: number;
  errorCode: string | undefined;
  errorSource: 'gateway' | 'provider' | undefined;
  /** Logged, never sent. */
  cause: unknown;
  /** The message that the caller got, and the field at fault that it names. */
  errorMessage: string | undefined;
  errorParam: string | undefined;
  /** The limit or budget that refused the request. */
  limitId: string | undefined;
  /** The provider's id of a request that it failed. */
  upstreamRequestId: string | undefined;
  attempts: number;
  /** Which of two attempts at a time responded first; undefined: there were none. */
  hedge: HedgeWinner | undefined;
  /** What followed when a provider had cut the stream. */
  recovered: Recovered | undefined;
  /** The number of the attempt that followed. */
  recoveredBy: number | undefined;
  streamed: boolean;
  direct: boolean;
  usage: Usage | undefined;
  /** In nano-dollars, as the ledger settled it. Unreported usage is estimated. */
  costNano: number;
  /** The reason why the cost is estimated; undefined if it is not. */
  estimateReason: EstimateReason | undefined;
  /** Why a count of tokens is the gateway's estimate; undefined if it is the vendor's. */
  countEstimate: 'no_counter' | 'counter_failed' | undefined;
  /** The cost in a whole response, in USD; undefined if it is unknown. */
  costText: string | undefined;
  /** A route has sent a copy of it to another model. */
  isCopied?: boolean;
  /** The model that the provider reported. */
  modelAnswered: string | undefined;
  requestBytes: number;
  /** Monotonic time of the response's first byte, unless it was read on without the caller. */
  firstByteAt: number | undefined;
  /** Monotonic time at which reading on without the caller began. The caller received nothing after it. */
  readOnAt: number | undefined;
  /** How long it was read on. */
  readOnMs: number | undefined;
  /** Response headers about the caller's limits: alternating names and values. */
  limitHeaders: readonly string[];
  /** Response header about the guardrails that apply; undefined if none does. */
  guardrailHeader: string | undefined;
  /** The guardrails that did not pass, in the same form. */
  guardrailsNotPassed: string | undefined;
  /** The guardrail that refused the request or its response. */
  guardrailId: string | undefined;
  /** Stages of which a guardrail blocked the text or did not inspect all of it. */
  withheldStages: readonly Stage[] | undefined;
  /** An owner has capture on for the key, whether or not this request is in its sample. */
  isCaptured: boolean;
  /** Of its row, once something else needs it; otherwise made with the row. */
  rowId: string | undefined;
}

/** One literal, so that all records have the same hidden class. */
export function newRecord(): RequestRecord {
  return {
    route: 'none',
    clientFormat: undefined,
    organizationId: undefined,
    keyId: undefined,
    scope: undefined,
    isRecorded: false,
    tags: undefined,
    keyHint: undefined,
    projectKeyId: undefined,
    provider: undefined,
    providerKeyId: undefined,
    model: undefined,
    modelRequested: undefined,
    refusedModel: undefined,
    modelSent: undefined,
    modelRoute: undefined,
    cache: undefined,
    canary: 'false',
    catalogName: undefined,
    status: 0,
    errorCode: undefined,
    errorSource: undefined,
    cause: undefined,
    errorMessage: undefined,
    errorParam: undefined,
    limitId: undefined,
    upstreamRequestId: undefined,
    attempts: 0,
    hedge: undefined,
    recovered: undefined,
    recoveredBy: undefined,
    streamed: false,
    direct: false,
    usage: undefined,
    costNano: 0,
    estimateReason: undefined,
    countEstimate: undefined,
    costText: undefined,
    modelAnswered: undefined,
    requestBytes: 0,
    firstByteAt: undefined,
    readOnAt: undefined,
    readOnMs: undefined,
    limitHeaders: [],
    guardrailHeader: undefined,
    guardrailsNotPassed: undefined,
    guardrailId: undefined,
    withheldStages: undefined,
    isCaptured: false,
    rowId: undefined,
  };
}
