// gRPC clients of the services Access and Ledger, and for reports to Guardrails, ProviderKeys, Requests and Captures, on
// one connection. The connection carries provider secrets, so it uses TLS, or plain text to this machine only.
import {
  type CallOptions,
  Channel,
  type ChannelCredentials,
  type ChannelInterface,
  type ClientDuplexStream,
  credentials,
  Metadata,
  makeClientConstructor,
  type ServiceDefinition,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import type { Secret } from '../../common/secret.ts';
import type { AccessClient } from '../../proto/generated/gateway/v1/Access.ts';
import type { CapturesClient } from '../../proto/generated/gateway/v1/Captures.ts';
import type { CloseSessionResponse__Output } from '../../proto/generated/gateway/v1/CloseSessionResponse.ts';
import type { DrawResponse__Output } from '../../proto/generated/gateway/v1/DrawResponse.ts';
import type { GuardrailsClient } from '../../proto/generated/gateway/v1/Guardrails.ts';
import type { LedgerClient as LedgerStub } from '../../proto/generated/gateway/v1/Ledger.ts';
import type { ProviderKeysClient } from '../../proto/generated/gateway/v1/ProviderKeys.ts';
import type { ReportCapturesResponse__Output } from '../../proto/generated/gateway/v1/ReportCapturesResponse.ts';
import type { ReportRefusedProviderKeysResponse__Output } from '../../proto/generated/gateway/v1/ReportRefusedProviderKeysResponse.ts';
import type { ReportRequestsResponse__Output } from '../../proto/generated/gateway/v1/ReportRequestsResponse.ts';
import type { RequestsClient } from '../../proto/generated/gateway/v1/Requests.ts';
import type { ResolveManyResponse__Output } from '../../proto/generated/gateway/v1/ResolveManyResponse.ts';
import type { ResolveResponse__Output } from '../../proto/generated/gateway/v1/ResolveResponse.ts';
import type { ReturnResponse__Output } from '../../proto/generated/gateway/v1/ReturnResponse.ts';
import type { WatchRequest } from '../../proto/generated/gateway/v1/WatchRequest.ts';
import type { WatchResponse__Output } from '../../proto/generated/gateway/v1/WatchResponse.ts';
import { services } from '../../proto/load.ts';
import { BatchRefusedError, type ResolveMany } from '../access/batched-resolves.ts';
import type { WatchHandlers, WatchStart, WatchStream } from '../access/feed.ts';
import type { RecordKeys } from '../access/record-keys.ts';
import type { ControlPlane } from '../access/record-source.ts';
import type { CaptureClient } from '../captures/captures.ts';
import type { DecisionClient } from '../guardrails/decision-samples.ts';
import type { RequestLogClient } from '../requests/request-log.ts';
import type { RefusedKeyClient } from '../routing/refused-key-reports.ts';
import { type LedgerClient, LedgerRefusedError } from '../usage/ledger-client.ts';
import { isLoopback, target } from './addresses.ts';
import { channelOptions } from './channel-options.ts';
import { hedged } from './hedged.ts';
import { type ProxySelf, statesOf } from './proxy-self.ts';
import { metadataOfCall, metadataOfLasting } from './shortest-wait.ts';
import { encodeCaptures } from './wire-captures.ts';
import { encodeDecisions } from './wire-guardrails.ts';
import {
  decodeAcquire,
  decodeEnd,
  decodeReturn,
  decodeSession,
  encodeAcquire,
  encodeEnd,
  encodeReturn,
} from './wire-ledger.ts';
import { decodeFeedMessage, decodeResolve } from './wire-records.ts';
import { encodeRefusedKeys } from './wire-refused-keys.ts';
import { decodeReport, encodeReport } from './wire-report.ts';
import { encodeRequests } from './wire-requests.ts';
import { decodeSignedMany, decodeSignedResolve } from './wire-signed.ts';

export interface ControlPlaneOptions {
  /** `host:port`: one name for all replicas, or several IP addresses. */
  readonly addresses: readonly string[];
  /**
   * The name in the control plane's certificate, if it is not the dialled one: TLS checks names, and an address is not
   * a name.
   */
  readonly name?: string | undefined;
  /** This proxy's `gw-proxy-…` token; absent if the client certificate is the identity. */
  readonly token: Secret | undefined;
  /** From openControlPlaneTls; absent: plain text. */
  readonly credentials: ChannelCredentials | undefined;
  /** From openControlPlaneTls: calls the listener when the files have changed. */
  readonly onRenewal?: ((renewed: () => void) => void) | undefined;
  /** Allows plain text to other machines, for meshes that encrypt on their own. */
  readonly allowPlaintext: boolean;
  /** Verifies records. Absent: records are trusted as the connection brings them, and cannot be stored elsewhere. */
  readonly recordKeys?: RecordKeys;
  /** The state of this proxy that the feed reports to operators; absent: nothing is reported. */
  readonly self?: ProxySelf;
}

export interface ControlPlaneClient extends ControlPlane {
  readonly ledger: LedgerClient;
  readonly decisions: DecisionClient;
  readonly refusedKeys: RefusedKeyClient;
  readonly requests: RequestLogClient;
  readonly captures: CaptureClient;
  /** The identity of this proxy, if it is not bound to one organization; undefined too until the feed has begun. */
  readonly platformIdentity: () => string | undefined;
  close(): void;
}

/** @throws Error if plain text would leave this machine, or the addresses cannot be dialled together */
export function createControlPlaneClient(options: ControlPlaneOptions): ControlPlaneClient {
  if (options.credentials === undefined && !options.allowPlaintext && !options.addresses.every(isLoopback))
    throw new Error('provider keys would cross the network in plain text; give TLS files, or allow plain text');
  const channel = renewedChannel(() => openChannel(options), options.onRenewal);
  const metadata = new Metadata();
  if (options.token !== undefined) metadata.set('authorization', `Bearer ${options.token.reveal()}`);
  const newCall = () => metadataOfCall(metadata);
  const access = stub<AccessClient>(services.Access, channel);
  let platformIdentity: string | undefined;
  const onIdentity = (identity: string) => {
    platformIdentity = identity === '' ? undefined : identity;
  };
  return {
    resolve: async (keyHash, timeoutMs) => {
      const { recordKeys } = options;
      const request = { keyHash: Buffer.from(keyHash, 'hex'), signed: recordKeys !== undefined };
      const send: Send<ResolveResponse__Output> = (options, done) => access.Resolve(request, newCall(), options, done);
      const response = await callInTime(timeoutMs, send);
      return recordKeys ? decodeSignedResolve(response, keyHash, recordKeys) : decodeResolve(response);
    },
    resolveMany: options.recordKeys && resolveManyOn(access, newCall, options.recordKeys),
    watch: (start, handlers) =>
      watch(access.Watch(metadataOfLasting(metadata)), { ...options, onIdentity }, start, handlers),
    ledger: ledgerOn(stub<LedgerStub>(services.Ledger, channel), newCall),
    decisions: decisionsOn(stub<GuardrailsClient>(services.Guardrails, channel), newCall),
    refusedKeys: refusedKeysOn(stub<ProviderKeysClient>(services.ProviderKeys, channel), newCall),
    requests: requestsOn(stub<RequestsClient>(services.Requests, channel), newCall),
    captures: capturesOn(stub<CapturesClient>(services.Captures, channel), newCall),
    platformIdentity: () => platformIdentity,
    close: () => channel.close(),
  };
}

/** Metadata for one call: its attempts share it. */
type NewCall = () => Metadata;

function resolveManyOn(access: AccessClient, newCall: NewCall, recordKeys: RecordKeys): ResolveMany {
  return async (keyHashes, timeoutMs) => {
    const request = { keyHashes: keyHashes.map((hash) => Buffer.from(hash, 'hex')) };
    const send: Send<ResolveManyResponse__Output> = (options, done) =>
      access.ResolveMany(request, newCall(), options, done);
    try {
      return decodeSignedMany(await callInTime(timeoutMs, send), keyHashes, recordKeys);
    } catch (error) {
      throw batchRefused(error) ?? error;
    }
  };
}

/** The control plane may be a newer one after a while; and it counts unknown keys anew after a second. */
const refusedForMs = { unknownMethod: 60_000, tooMany: 1_000 } as const;

function batchRefused(error: unknown): BatchRefusedError | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  if (error.code === status.UNIMPLEMENTED) return new BatchRefusedError(refusedForMs.unknownMethod, error);
  if (error.code === status.RESOURCE_EXHAUSTED) return new BatchRefusedError(refusedForMs.tooMany, error);
  return undefined;
}

/** Enough for a replica and its database at their slowest. A request waits four seconds for an acquire call. */
const ledgerDeadlines = {
  keepSession: 2_000,
  operation: 3_000,
  report: 10_000,
  closeSession: 2_000,
} as const;

function ledgerOn(stub: LedgerStub, newCall: NewCall): LedgerClient {
  const { closeSession, keepSession, operation, report } = ledgerDeadlines;
  return {
    keepSession: async (session) =>
      decodeSession(
        await callLedger(keepSession, (options, done) => stub.KeepSession({ session }, newCall(), options, done)),
      ),
    acquire: async (request) => {
      const [acquired, call] = [encodeAcquire(request), newCall()];
      const send: Send<DrawResponse__Output> = (options, done) => stub.Draw(acquired, call, options, done);
      return decodeAcquire(await hedged(operation, (timeoutMs) => callLedger(timeoutMs, send)));
    },
    release: async (request) => {
      const [released, call] = [encodeReturn(request), newCall()];
      const send: Send<ReturnResponse__Output> = (options, done) => stub.Return(released, call, options, done);
      return decodeReturn(await hedged(operation, (timeoutMs) => callLedger(timeoutMs, send)));
    },
    report: async (events) =>
      decodeReport(
        await callLedger(report, (options, done) => stub.ReportUsage(encodeReport(events), newCall(), options, done)),
      ),
    closeSession: async (end) => {
      const send: Send<CloseSessionResponse__Output> = (options, done) =>
        stub.CloseSession(encodeEnd(end), newCall(), options, done);
      try {
        return decodeEnd(await callLedger(closeSession, send));
      } catch (error) {
        throw unknownForGood(error);
      }
    },
  };
}

const decisionsDeadlineMs = 5_000;

function decisionsOn(stub: GuardrailsClient, newCall: NewCall): DecisionClient {
  return {
    report: async (samples) => {
      await callInTime(decisionsDeadlineMs, (options, done) =>
        stub.ReportDecisions(encodeDecisions(samples), newCall(), options, done),
      );
    },
  };
}

const refusedKeysDeadlineMs = 5_000;

function refusedKeysOn(stub: ProviderKeysClient, newCall: NewCall): RefusedKeyClient {
  return {
    report: async (keys) => {
      const request = encodeRefusedKeys(keys);
      const send: Send<ReportRefusedProviderKeysResponse__Output> = (options, done) =>
        stub.ReportRefused(request, newCall(), options, done);
      try {
        return (await callInTime(refusedKeysDeadlineMs, send)).laterProviderKeyIds;
      } catch (error) {
        if (isOneOf(error, neverAccepted)) return 'refused';
        throw error;
      }
    },
  };
}

/** Of rows and of captured content, which may be dropped. */
const droppableDeadlineMs = 10_000;

function requestsOn(stub: RequestsClient, newCall: NewCall): RequestLogClient {
  return {
    report: async (rows) => {
      const request = encodeRequests(rows);
      return await callUnlessRefused<ReportRequestsResponse__Output>((options, done) =>
        stub.Report(request, newCall(), options, done),
      );
    },
  };
}

function capturesOn(stub: CapturesClient, newCall: NewCall): CaptureClient {
  return {
    report: async (sides) => {
      const request = encodeCaptures(sides);
      return await callUnlessRefused<ReportCapturesResponse__Output>((options, done) =>
        stub.Report(request, newCall(), options, done),
      );
    },
  };
}

async function callUnlessRefused<Response>(send: Send<Response>): Promise<Response | 'refused'> {
  try {
    return await callInTime(droppableDeadlineMs, send);
  } catch (error) {
    if (isOneOf(error, neverAccepted)) return 'refused';
    throw error;
  }
}

const neverAccepted: ReadonlySet<unknown> = new Set([
  status.INVALID_ARGUMENT,
  status.PERMISSION_DENIED,
  status.UNIMPLEMENTED,
]);

function isOneOf(error: unknown, codes: ReadonlySet<unknown>): boolean {
  return error instanceof Error && 'code' in error && codes.has(error.code);
}

type Send<Response> = (
  options: CallOptions,
  done: (error: ServiceError | null, response?: Response) => void,
) => unknown;

function callInTime<Response>(timeoutMs: number, send: Send<Response>): Promise<Response> {
  return new Promise((resolve, reject) => {
    send({ deadline: Date.now() + timeoutMs }, (error, response) =>
      response === undefined ? reject(error) : resolve(response),
    );
  });
}

async function callLedger<Response>(timeoutMs: number, send: Send<Response>): Promise<Response> {
  try {
    return await callInTime(timeoutMs, send);
  } catch (error) {
    throw refusedForGood(error) ?? error;
  }
}

function refusedForGood(error: unknown): LedgerRefusedError | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  if (error.code === status.INVALID_ARGUMENT) return new LedgerRefusedError('invalid', error.message, error);
  if (error.code === status.PERMISSION_DENIED) return new LedgerRefusedError('denied', error.message, error);
  return undefined;
}

/** The session belongs to another identity, or the control plane does not support the end of sessions. */
function unknownForGood(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const isUnknown = error.code === status.NOT_FOUND || error.code === status.UNIMPLEMENTED;
  return isUnknown ? new LedgerRefusedError('unknown', error.message, error) : error;
}

/** Longer than any call but the feed, which ends on its own connection and begins on the newest. */
const formerMs = 15_000;

/**
 * A channel whose next call is on a connection with the newest certificate. A control plane that does not accept a
 * certificate keeps the connection and refuses each call, so the connection would outlive a renewal.
 */
function renewedChannel(open: () => Channel, onRenewal: ControlPlaneOptions['onRenewal']): ChannelInterface {
  let current = open();
  let isClosed = false;
  onRenewal?.(() => {
    if (isClosed) return;
    const former = current;
    current = open();
    setTimeout(() => former.close(), formerMs).unref();
  });
  return {
    createCall: (...call) => current.createCall(...call),
    getTarget: () => current.getTarget(),
    getConnectivityState: (connect) => current.getConnectivityState(connect),
    watchConnectivityState: (...watch) => current.watchConnectivityState(...watch),
    getChannelzRef: () => current.getChannelzRef(),
    close: () => {
      isClosed = true;
      current.close();
    },
  };
}

function openChannel({ addresses, credentials: own, name }: ControlPlaneOptions): Channel {
  const options = {
    ...channelOptions,
    ...(own !== undefined && name !== undefined && { 'grpc.ssl_target_name_override': name }),
  };
  return new Channel(target(addresses), own ?? credentials.createInsecure(), options);
}

function stub<Stub>(definition: ServiceDefinition, channel: ChannelInterface): Stub {
  const Client = makeClientConstructor(definition, 'gateway.v1');
  const options = { channelOverride: channel };
  return new Client(channel.getTarget(), credentials.createInsecure(), options) as unknown as Stub;
}

interface WatchOptions extends Pick<ControlPlaneOptions, 'recordKeys' | 'self'> {
  onIdentity(platformIdentity: string): void;
}

function watch(
  stream: ClientDuplexStream<WatchRequest, WatchResponse__Output>,
  { recordKeys, self, onIdentity }: WatchOptions,
  start: WatchStart,
  handlers: WatchHandlers,
): WatchStream {
  stream.on('data', (response: WatchResponse__Output) => {
    try {
      const beginning = response.started ?? response.reset;
      // Done before the message has any other effect: with these keys the proxy verifies records from Redis.
      if (beginning) recordKeys?.learn(beginning.recordKeys);
      if (beginning) onIdentity(beginning.platformIdentity);
      const message = decodeFeedMessage(response);
      if (message !== undefined) handlers.message(message);
    } catch (error) {
      stream.cancel();
      handlers.closed(error instanceof Error ? error : new Error(String(error)));
    }
  });
  // Errors also arrive as a status; without a listener they would end the process.
  stream.on('error', () => {});
  stream.on('status', (status) =>
    handlers.closed(new Error(`the control plane ended the feed: ${status.code} ${status.details}`)),
  );
  const state = self && statesOf(self);
  const since = start.since && { epoch: start.since.epoch, revision: start.since.revision };
  stream.write({
    start: {
      ...(since && { since }),
      maxStaleSeconds: Math.ceil(start.maxStaleMs / 1000),
      ...(self && { proxy: { version: self.version, host: self.host } }),
      ...(state && { state: state() }),
    },
  });
  return {
    ask: (nonce) => void stream.write({ ask: { nonce, ...(state && { state: state() }) } }),
    cancel: () => stream.cancel(),
  };
}
