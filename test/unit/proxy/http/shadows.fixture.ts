// Copies of requests, with a ledger and vendors that do what the test says.
import { Secret } from '../../../../common/secret.ts';
import type { Limit, ProviderKey, Stop } from '../../../../proxy/access/principal.ts';
import type { ChatCall, Outcome } from '../../../../proxy/call.ts';
import { CapabilityTable } from '../../../../proxy/catalog/capabilities.ts';
import { clientFormats } from '../../../../proxy/client-formats.ts';
import type { ResponseEnd } from '../../../../proxy/conversation/response-end.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import type { ClientFormatName } from '../../../../proxy/formats/client-format.ts';
import { Admission } from '../../../../proxy/http/admission.ts';
import type { NotSent, ShadowEnding } from '../../../../proxy/http/shadow-results.ts';
import { Shadows } from '../../../../proxy/http/shadows.ts';
import type { Reservation } from '../../../../proxy/ledger/ledger.ts';
import { providersByName, wireFormatProviders } from '../../../../proxy/providers/index.ts';
import type { DispatchContext } from '../../../../proxy/routing/dispatch.ts';
import type { AttemptResult } from '../../../../proxy/upstream/attempt.ts';
import { BaseUrls } from '../../../../proxy/upstream/base-urls.ts';
import { CustomProviders } from '../../../../proxy/upstream/custom-providers.ts';
import { Targets } from '../../../../proxy/upstream/targets.ts';
import { chatCallOf } from '../../../support/charged-calls.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const capabilities = new CapabilityTable();
const models = {
  now: () => Date.now(),
  ...{ providers: providersByName, capabilities },
  customProviders: new CustomProviders(wireFormatProviders, capabilities),
  targets: new Targets(new BaseUrls({ templates: new Map(), endpointHostSuffixes: [] })),
};

const providerKey = (id: string, provider: string): ProviderKey => ({
  ...{ id, provider, baseUrl: undefined, endpoint: undefined, region: undefined, apiVersion: undefined },
  ...{ priority: 0, weight: 1 },
  secret: {
    ...{ apiKey: new Secret('sk-made-up'), accessKeyId: undefined, secretAccessKey: undefined },
    sessionToken: undefined,
  },
});

export const budget: Limit = {
  ...{ id: 'b', kind: 'budget', count: undefined, amountUsd: '5', period: 'day', model: 'shadow/fast' },
};

const stopOf = { id: 's', model: undefined, directKeys: false, reason: 'why', endsAt: undefined };

/** Of a whole provider. */
export function stopped(provider: string): Stop {
  return { ...stopOf, provider };
}

export interface Copied {
  readonly fields?: object;
  readonly limits?: readonly Limit[];
  readonly percent?: number;
  readonly model?: string;
  readonly providerKeyId?: string | undefined;
  readonly allowedModels?: readonly string[];
  readonly client?: ClientFormatName;
  readonly stops?: readonly Stop[];
}

export function callOf({
  fields = {},
  limits = [budget],
  percent = 100,
  model,
  client,
  ...rest
}: Copied = {}): ChatCall {
  const { providerKeyId, allowedModels = [], stops = [] } = rest;
  const made = chatCallOf('gpt-provider', 'gpt-4o-mini', client === undefined ? fields : {});
  const { caller } = made;
  const { key, organization } = caller.principal;
  const providerKeys = [providerKey('g', 'gpt-provider'), providerKey('a', 'assistant-provider')];
  const principal = {
    ...caller.principal,
    key: { ...key, allowedModels },
    organization: { ...organization, limits, providerKeys, stops },
  };
  const shadow = { model: model ?? 'assistant-provider/claude-haiku-4-5', providerKeyId, percent };
  return {
    ...{
      ...made,
      caller: { ...caller, principal },
      request: client === undefined ? made.request : read(client, fields),
    },
    route: { name: 'fast', onContext: false, onFilter: false, onBudget: false, shadow },
  };
}

/** The request of a client of another format. */
function read(client: ClientFormatName, fields: object) {
  const { translation } = clientFormats[client];
  if (translation === undefined) throw new Error('chat completions need none');
  const bytes = Buffer.from(JSON.stringify({ model: 'fast', ...fields }));
  const path = { counts: undefined, compacts: undefined, stream: undefined, framing: undefined };
  return parseChatRequest({ bytes, numbersArePlain: true, client: { translation, headers: [], path } });
}

export type Ran = { readonly call: ChatCall; readonly attempt: FakeAttempt; readonly context: DispatchContext };

/** An attempt at a vendor that responds when the test says so. */
class FakeAttempt {
  readonly result = Promise.withResolvers<AttemptResult>();
  ending: ResponseEnd = 'open';
  readonly aborted: Error[] = [];
  readonly #over = Promise.withResolvers<void>();

  abort(error: Error): void {
    this.aborted.push(error);
    if (error instanceof GatewayError && error.code === 'upstream_timeout') this.giveUp('timed_out');
    this.result.reject(error);
  }

  giveUp(ending: ResponseEnd): void {
    if (this.ending === 'open') this.ending = ending;
    this.#over.resolve();
  }

  readOn(): Promise<void> {
    return this.#over.promise;
  }

  usage = () => undefined;
  usageIsComplete = false;
  textTokens = () => 0;
  model = () => undefined;
  target = undefined;
}

interface World {
  readonly inFlightMax?: number;
  readonly bufferedBytesMax?: number;
  readonly random?: number;
  readonly refusal?: GatewayError;
  /** Thrown before anything is sent. */
  readonly unsent?: GatewayError;
}

export function world({ inFlightMax = 100, bufferedBytesMax = 1_000_000, random = 0, refusal, unsent }: World = {}) {
  const time = new VirtualTime();
  const admission = new Admission({ inFlightMax, bufferedBytesMax, organizationShare: 1 });
  const deferred: (() => void)[] = [];
  const ran: Ran[] = [];
  const notSent: NotSent[] = [];
  const ended: ShadowEnding[] = [];
  const settled: Outcome[] = [];
  const failures: unknown[] = [];
  const tasks: Promise<unknown>[] = [];
  const reservationOf = (call: ChatCall): Reservation => ({
    ...{ call, headersAt: () => [], outputCeiling: 77, costText: () => undefined },
    chargeAttempt: () => Promise.resolve(false),
    moveTo: () => false,
    reserveHedge: () => Promise.resolve(false),
    releaseHedge: () => undefined,
    chargeContender: () => undefined,
    settle: (outcome) => {
      settled.push(outcome);
      return { cost: 0, estimateReason: undefined };
    },
    outlasting: () => ({ settle: () => ({ cost: 0, estimateReason: undefined }) }),
  });
  const shadows = new Shadows({
    ...models,
    admission,
    ledger: {
      reserve: (call) => {
        if (refusal !== undefined) throw refusal;
        return reservationOf(call);
      },
    },
    dispatch: (call, context) => {
      if (unsent !== undefined) return Promise.reject(unsent);
      const attempt = new FakeAttempt();
      context.onAbort(attempt);
      context.attemptStarted(attempt as never);
      ran.push({ call, attempt, context });
      return attempt.result.promise;
    },
    times: { firstByteMs: 2000, idleMs: 1000, totalMs: 10_000 },
    clock: time,
    timers: time,
    random: () => random,
    defer: (work) => void deferred.push(work),
    background: (_name, promise) => void tasks.push(promise.catch((error: unknown) => failures.push(error))),
    onNotSent: (reason) => void notSent.push(reason),
    onEnded: ({ ending }) => void ended.push(ending),
  });
  const request = { dispatchedAt: 1 as number | undefined, record: {} as { isCopied?: boolean } };
  const copy = async (call = callOf(), of = request, dispatching: Promise<unknown> = Promise.resolve()) => {
    shadows.copy(call, of, dispatching);
    for (const work of deferred.splice(0)) work();
    await time.advance(0);
  };
  return { time, admission, shadows, ran, notSent, ended, settled, failures, copy, request, deferred, tasks };
}

export const whole: AttemptResult = { kind: 'complete', headers: [], body: Buffer.from('{}') };
export const stream = { kind: 'stream', headers: [] } as unknown as AttemptResult;

export async function respond({ time }: Pick<ReturnType<typeof world>, 'time'>, ran: Ran | undefined, result = whole) {
  if (ran === undefined) throw new Error('nothing was sent');
  ran.attempt.giveUp('whole');
  ran.attempt.result.resolve(result);
  await time.advance(0);
}
