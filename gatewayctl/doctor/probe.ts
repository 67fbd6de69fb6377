// What doctor asks of the world, so that every judgement can be tested without one. Nothing here rejects: a failure is an
// observation like any other.
import type { GetStatusResponse__Output } from '../../proto/generated/gateway/v1/GetStatusResponse.ts';

export interface Probe {
  /** This machine's clock, in milliseconds since 1970. */
  now(): number;
  /** Permission bits of a file; undefined: it cannot be looked at. */
  fileMode(path: string): Promise<number | undefined>;
  /** What keeps a file of authorities from being used; undefined: nothing. */
  authoritiesProblem(path: string): Promise<string | undefined>;
  /** Addresses of a name. */
  lookUp(host: string): Promise<LookedUp>;
  /** Connects, and finds out what is spoken there. */
  meet(address: string, port: number): Promise<Met>;
  /** Asks the replica at this address. */
  status(address: string): Promise<ProbeResult>;
  /** A proxy's admin listener: /readyz and /metrics under the URL. */
  admin(url: string): Promise<AdminSeen>;
}

export type LookedUp =
  | { readonly found: readonly string[] }
  /** Of the resolver, such as "ENOTFOUND". */
  | { readonly error: string };

export type Met =
  /** No connection; the system's code, such as "ECONNREFUSED". */
  | { readonly speaks: 'nothing'; readonly code: string }
  | TlsMet
  | { readonly speaks: 'http2' | 'http1' | 'silence' | 'unknown' };

export interface TlsMet {
  readonly speaks: 'tls';
  /** Whether HTTP/2 was agreed on, as gRPC needs. */
  readonly http2: boolean;
  /** Undefined: no certificate was shown. */
  readonly certificate: CertificateSeen | undefined;
}

export interface CertificateSeen {
  /** Whether the authorities that are trusted have signed it; else OpenSSL's code for why not. Dates are judged apart. */
  readonly distrust: string | undefined;
  /** Whether it is for the name that is expected. */
  readonly nameFits: boolean;
  readonly expectedName: string;
  /** As node prints them: "DNS:localhost, IP Address:127.0.0.1". */
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
  /** gRPC's name of the code. */
  readonly code: string;
  readonly message: string;
  /** Of the contract: only a control plane gives one. */
  readonly reason: string | undefined;
  /** A control plane it is, but one that has no Status yet. */
  readonly beforeStatus: boolean;
}

export function hasResponded(results: ProbeResult): results is StatusResponse {
  return 'status' in results;
}

export type AdminSeen =
  /** The system's code, or what came instead of an answer. */
  | { readonly error: string }
  | {
      readonly ready: boolean;
      /** What /readyz says. */
      readonly reason: string;
      /** The Prometheus text; undefined: there is none. */
      readonly metrics: string | undefined;
    };
