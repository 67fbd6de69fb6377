// The interface between doctor and its environment, so that every check can be tested without a network. Nothing here
// rejects: a failure is a result like any other.
import type { GetStatusResponse__Output } from '../../proto/generated/gateway/v1/GetStatusResponse.ts';

export interface Probe {
  /** This machine's clock, in milliseconds since 1970. */
  now(): number;
  /** Permission bits of a file; undefined if they cannot be read. */
  fileMode(path: string): Promise<number | undefined>;
  /** Why a file of authorities cannot be used; undefined if it can. */
  authoritiesProblem(path: string): Promise<string | undefined>;
  /** Resolves a name. */
  lookUp(host: string): Promise<LookedUp>;
  /** Connects, and determines which protocol the server speaks. */
  meet(address: string, port: number): Promise<Met>;
  /** Calls the replica at this address. */
  status(address: string): Promise<ProbeResult>;
  /** Reads /readyz and /metrics of an admin listener under this URL. */
  admin(url: string): Promise<AdminSeen>;
}

export type LookedUp =
  | { readonly found: readonly string[] }
  /** Code of the resolver, such as "ENOTFOUND". */
  | { readonly error: string };

export type Met =
  /** There is no connection; the system's code, such as "ECONNREFUSED". */
  | { readonly speaks: 'nothing'; readonly code: string }
  | TlsMet
  | { readonly speaks: 'http2' | 'http1' | 'silence' | 'unknown' };

export interface TlsMet {
  readonly speaks: 'tls';
  /** Whether HTTP/2 was negotiated, which gRPC needs. */
  readonly http2: boolean;
  /** Undefined: the server sent no certificate. */
  readonly certificate: CertificateSeen | undefined;
}

export interface CertificateSeen {
  /** Undefined if a trusted authority signed it; otherwise OpenSSL's error code. Dates are checked separately. */
  readonly distrust: string | undefined;
  /** Whether it is valid for the expected name. */
  readonly nameFits: boolean;
  readonly expectedName: string;
  /** In Node's format: "DNS:localhost, IP Address:127.0.0.1". */
  readonly names: string;
  readonly issuer: string;
  /** Milliseconds since 1970. */
  readonly validFrom: number;
  readonly validTo: number;
}

export type ProbeResult = StatusResponse | FailedCall;

export interface StatusResponse {
  readonly status: GetStatusResponse__Output;
  /** By this machine's clock. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

export interface FailedCall {
  /** gRPC's name of the status code. */
  readonly code: string;
  readonly message: string;
  /** Reason from the contract; only a control plane sends one. */
  readonly reason: string | undefined;
  /** The server is a control plane, but of a version without the Status service. */
  readonly beforeStatus: boolean;
}

export function hasResponded(results: ProbeResult): results is StatusResponse {
  return 'status' in results;
}

export type AdminSeen =
  /** The system's code, or the invalid response. */
  | { readonly error: string }
  | {
      readonly ready: boolean;
      /** The text of /readyz. */
      readonly reason: string;
      /** The Prometheus text; undefined: there is none. */
      readonly metrics: string | undefined;
    };
