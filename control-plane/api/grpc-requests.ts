// The calls of the gRPC server: operators' methods from the table of methods, Access and Ledger for proxies. It only knows
// the transport; services/ decides who may do what.
import {
  Metadata,
  type ServerDuplexStream,
  type ServerErrorResponse,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { plainAddress } from '../../common/caller-address.ts';
import type { Callers } from '../../common/callers.ts';
import type { TlsSource } from '../../common/tls.ts';
import type { ResolveManyRequest__Output } from '../../proto/generated/gateway/v1/ResolveManyRequest.ts';
import type { ResolveRequest__Output } from '../../proto/generated/gateway/v1/ResolveRequest.ts';
import type { WatchRequest__Output } from '../../proto/generated/gateway/v1/WatchRequest.ts';
import type { WatchResponse } from '../../proto/generated/gateway/v1/WatchResponse.ts';
import { errorDetail } from '../../proto/load.ts';
import type { CertificateProxy, Credentials } from '../rpc/authentication.ts';
import { certificateProxyOf, isConfidential, peerOf } from '../rpc/authentication.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { CallError, callCodes } from '../rpc/errors.ts';
import { createInFlight, type Outcome, type RespondDeps, respond } from '../rpc/respond.ts';
import type { AccessService } from '../services/access.ts';
import type { ReportCaptures } from '../services/capture-report.ts';
import type { ReportDecisions } from '../services/guardrail-decisions.ts';
import type { LedgerService } from '../services/ledger.ts';
import type { ReportRefusedKeys } from '../services/refused-keys.ts';
import { type AuthenticateProxy, rememberProxies } from '../services/remembered-proxies.ts';
import type { ReportRequests } from '../services/request-report.ts';
import type { Dispatcher } from './dispatch.ts';
import { type DownloadStream, GrpcWatchStream, sendChunks } from './grpc-streams.ts';
import { isDownload, isMethodName, type MethodName } from './methods.ts';

export interface GrpcRequestDeps extends RespondDeps {
  readonly dispatcher: Dispatcher;
  readonly access: AccessService;
  readonly ledger: LedgerService;
  readonly reportDecisions: ReportDecisions;
  readonly reportRefusedKeys: ReportRefusedKeys;
  readonly reportRequests: ReportRequests;
  readonly reportCaptures: ReportCaptures;
}

export interface GrpcRequestOptions {
  /** Undefined for plaintext. */
  readonly tls: TlsSource | undefined;
  /** For this listener only. */
  readonly callers: Callers;
  readonly proxyCertificates: readonly CertificateProxy[];
}

type UnaryCall<Request> = ServerUnaryCall<Request, object>;
type DownloadCall = UnaryCall<object> & DownloadStream;
type WatchCall = ServerDuplexStream<WatchRequest__Output, WatchResponse>;
type PeerCall = Pick<UnaryCall<unknown>, 'metadata' | 'getPeer' | 'getAuthContext'>;
type AnyCall = PeerCall & Pick<UnaryCall<unknown>, 'on'>;

/** Serves the calls of one listener. */
export class GrpcRequests {
  readonly inFlight = createInFlight();
  serving = true;
  readonly #options: GrpcRequestOptions;
  readonly #deps: GrpcRequestDeps;
  readonly #rememberedProxy: AuthenticateProxy;
  readonly #watches = new Set<() => void>();

  constructor(options: GrpcRequestOptions, deps: GrpcRequestDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#rememberedProxy = rememberProxies((who) => deps.dispatcher.proxy(who), deps.clock);
  }

  implement(service: string, definition: ServiceDefinition): UntypedServiceImplementation {
    if (service === 'Access') return this.#access();
    if (service === 'Ledger') return this.#ledger();
    return { ...this.#operators(service, definition), ...this.#reports(service) };
  }

  /** What proxies report to services of operators. */
  #reports(service: string): UntypedServiceImplementation {
    const { reportDecisions, reportRefusedKeys, reportRequests, reportCaptures } = this.#deps;
    switch (service) {
      case 'Captures':
        return { Report: this.#unary('Captures.Report', this.#ofProxy(reportCaptures)) };
      case 'Guardrails':
        return { ReportDecisions: this.#unary('Guardrails.ReportDecisions', this.#ofProxy(reportDecisions)) };
      case 'ProviderKeys':
        return { ReportRefused: this.#unary('ProviderKeys.ReportRefused', this.#ofProxy(reportRefusedKeys)) };
      case 'Requests':
        return { Report: this.#unary('Requests.Report', this.#ofProxy(reportRequests)) };
      default:
        return {};
    }
  }

  #operators(service: string, definition: ServiceDefinition): UntypedServiceImplementation {
    return Object.fromEntries(
      Object.keys(definition).map((name) => {
        const method = `${service}.${name}`;
        if (!isMethodName(method)) throw new Error(`no row for ${method} in methods.ts`);
        if (isDownload(method)) return [name, this.#download(method)];
        const { dispatcher } = this.#deps;
        return [
          name,
          this.#unary(method, (request, who, call) => dispatcher.call(method, who, request, signalOf(call))),
        ];
      }),
    );
  }

  #access(): UntypedServiceImplementation {
    const { dispatcher, access } = this.#deps;
    const resolve = async (request: ResolveRequest__Output, who: Credentials, call: PeerCall) => {
      this.#requireSecrecy(call);
      this.#requireServing();
      return await access.resolve(await dispatcher.proxy(who), request);
    };
    const resolveMany = async (request: ResolveManyRequest__Output, who: Credentials, call: PeerCall) => {
      this.#requireSecrecy(call);
      this.#requireServing();
      return await access.resolveMany(await dispatcher.proxy(who), request);
    };
    return {
      Resolve: this.#unary('Access.Resolve', resolve),
      ResolveMany: this.#unary('Access.ResolveMany', resolveMany),
      Watch: (call: WatchCall) => void this.#watch(call),
    };
  }

  #ledger(): UntypedServiceImplementation {
    const { ledger } = this.#deps;
    return {
      KeepSession: this.#unary('Ledger.KeepSession', this.#ofProxy(ledger.keepSession)),
      Draw: this.#unary('Ledger.Draw', this.#ofProxy(ledger.draw)),
      Return: this.#unary('Ledger.Return', this.#ofProxy(ledger.release)),
      ReportUsage: this.#unary('Ledger.ReportUsage', this.#ofProxy(ledger.reportUsage)),
      CloseSession: this.#unary('Ledger.CloseSession', this.#ofProxy(ledger.closeSession)),
    };
  }

  #ofProxy<Request>(work: (caller: ProxyCaller, request: Request) => Promise<object>) {
    return async (request: Request, who: Credentials) => {
      this.#requireServing();
      return await work(await this.#rememberedProxy(who), request);
    };
  }

  endWatches(): void {
    for (const end of this.#watches) end();
  }

  #unary<Request>(method: MethodName, work: (request: Request, who: Credentials, call: AnyCall) => Promise<object>) {
    return (call: UnaryCall<Request>, callback: sendUnaryData<object>) => {
      const who = this.#credentials(call);
      const responding = respond(this.#deps, method, who.from, () => work(call.request, who, call));
      this.inFlight.add(responding.then((outcome) => reply(callback, outcome)));
    };
  }

  #download(method: MethodName) {
    return (call: DownloadCall) => {
      const who = this.#credentials(call);
      const sending = respond(this.#deps, method, who.from, async () => {
        const { chunks, done } = await this.#deps.dispatcher.download(method, who, call.request);
        await sendChunks(call, chunks).finally(done);
      });
      const end = (outcome: Outcome<void>) =>
        'error' in outcome ? call.emit('error', serviceError(outcome.error, outcome.requestId)) : call.end();
      this.inFlight.add(sending.then(end));
    };
  }

  async #watch(call: WatchCall): Promise<void> {
    const { dispatcher, access, metrics } = this.#deps;
    const who = this.#credentials(call);
    const stream = new GrpcWatchStream(call, () => dispatcher.proxy(who), serviceError);
    const end = () => stream.leave();
    this.#watches.add(end);
    const outcome = await respond(this.#deps, 'Access.Watch', who.from, async () => {
      this.#requireServing();
      return await dispatcher.proxy(who);
    });
    if ('error' in outcome) stream.end(outcome.error);
    else {
      metrics.watcherCame();
      await access.watch(outcome.value, stream);
      metrics.watcherWent();
    }
    this.#watches.delete(end);
  }

  #credentials(call: PeerCall): Credentials {
    const authorization = call.metadata.get('authorization')[0]?.toString();
    const certificate = call.getAuthContext().sslPeerCertificate;
    const { callers, proxyCertificates } = this.#options;
    const forwardedFor = () => call.metadata.get('x-forwarded-for').map(String).join(', ') || undefined;
    return {
      authorization,
      certificateProxy: certificateProxyOf(certificate?.subjectaltname, proxyCertificates),
      from: callers.addressOf(peerOf(call.getPeer()), forwardedFor),
    };
  }

  /** Fails fast: a replica that cannot read its database would make proxies wait for its time-outs. */
  #requireServing(): void {
    if (this.serving) return;
    throw new CallError('unavailable', 'this replica cannot serve right now; try another one');
  }

  /** Resolve returns provider secrets, so it needs TLS or loopback. */
  #requireSecrecy(call: PeerCall): void {
    // Checks the peer of the connection, not the address that a trusted peer reports: the secrets go to the peer.
    const { remoteAddress = '' } = peerOf(call.getPeer());
    if (isConfidential(this.#options.tls !== undefined, plainAddress(remoteAddress))) return;
    throw new CallError('tls_required', 'Resolve returns secrets: call it over TLS or loopback');
  }
}

/** Aborted when the caller cancels the call or is gone. */
function signalOf(call: AnyCall): AbortSignal {
  const left = new AbortController();
  call.on('cancelled', () => left.abort(new CallError('cancelled', 'the client left before the end')));
  return left.signal;
}

function reply(callback: sendUnaryData<object>, outcome: Outcome<object>): void {
  if ('error' in outcome) callback(serviceError(outcome.error, outcome.requestId));
  else callback(null, outcome.value);
}

function serviceError(error: CallError, requestId = ''): ServerErrorResponse {
  const metadata = new Metadata();
  const { reason, violations } = error;
  metadata.set('gateway-error-bin', errorDetail.serialize({ reason, violations: [...violations], requestId }));
  if (error.retryAfter !== undefined) metadata.set('retry-after', String(error.retryAfter));
  return Object.assign(new Error(error.message), {
    code: callCodes[error.code].grpc,
    details: error.message,
    metadata,
  });
}
