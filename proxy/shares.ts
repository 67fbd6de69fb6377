// The scarce resources of a proxy that its users share (common/shares.ts): a row for each. Docs, metrics and refusals
// take name, bounds and code from here.
import type { ShareUse } from '../common/shared-metrics.ts';
import type { OccupiedShare, RateOptions, ShareOptions } from '../common/shares.ts';
import type { ErrorCode } from './errors.ts';

/** A setting gives the capacity; a setting or the row gives the part that one owner may have of it. */
export interface SetOptions {
  readonly setting: string;
  readonly alpha: ShareOptions['alpha'] | { readonly setting: string };
  /** The part of the setting that is the capacity. Default: all of it. */
  readonly part?: number;
}

export interface ShareRow {
  /** The capacity, in total or for each owner. */
  readonly bounds: ShareOptions | RateOptions | SetOptions;
  /** The unit that is counted, and the owners that share it. */
  readonly unit: string;
  /** The code of a refusal. Undefined: nothing is refused, and the unit describes what happens instead. */
  readonly refusal: ErrorCode | undefined;
}

/** Characters of texts that guardrails are to scan. */
const textMax = 64 * 1024 * 1024;

const ofOrganization = { setting: 'GATEWAY_ORGANIZATION_SHARE' };

// Everyone who adds a resource adds a row, so rows are short.
export const shares = {
  requests: {
    bounds: { setting: 'GATEWAY_IN_FLIGHT_MAX', alpha: ofOrganization },
    unit: 'requests and streams in flight, from their key to their end, by organization and key',
    refusal: 'overloaded',
  },
  buffered_bytes: {
    bounds: { setting: 'GATEWAY_BUFFERED_BYTES_MAX', alpha: ofOrganization },
    unit: 'bytes of requests and responses in memory, by organization and key',
    refusal: 'overloaded',
  },
  read_on: {
    bounds: { setting: 'GATEWAY_READ_ON_MAX', alpha: ofOrganization },
    unit: 'responses that are read on for their usage after their caller left, by organization and key; a response without room is charged its reservation, and no request is refused',
    refusal: undefined,
  },
  background_responses: {
    bounds: { setting: 'GATEWAY_BACKGROUND_MAX', alpha: ofOrganization },
    unit: 'responses that vendors generate in the background, until they are settled, by organization and key',
    refusal: 'overloaded',
  },
  shadow_requests: {
    bounds: { setting: 'GATEWAY_IN_FLIGHT_MAX', part: 0.1, alpha: ofOrganization },
    unit: 'copies of requests that routes send to other models, by organization; none is sent while requests and copies together are as many as the setting, and no request is refused',
    refusal: undefined,
  },
  shadow_bytes: {
    bounds: { setting: 'GATEWAY_BUFFERED_BYTES_MAX', part: 0.1, alpha: ofOrganization },
    unit: 'bytes of these copies and their responses in memory, by organization; they count in `buffered_bytes` as well',
    refusal: undefined,
  },
  request_rows: {
    bounds: { capacity: 20_000, alpha: 1 },
    unit: 'rows of finished requests that wait to be reported to the control plane, by organization and key; a row without room is dropped and counted, and no request is refused',
    refusal: undefined,
  },
  capture_bytes: {
    bounds: { capacity: 64 * 1024 * 1024, alpha: 1 },
    unit: 'bytes of captured content, from the inspection of its request until it is reported to the control plane, by organization and key; a side without room is dropped and counted, and no request is refused',
    refusal: undefined,
  },
  loop_turns: {
    bounds: { capacity: 256 * 1024 * 1024, alpha: 1 },
    unit: 'bytes of requests and responses that wait for the event loop, 2 ms of it at a time, by organization and key; small pieces of others pass',
    refusal: 'overloaded',
  },
  lookups: {
    bounds: { capacity: 512, alpha: 1 },
    unit: 'names of hosts being looked up, for images, base URLs and services of guardrails, by organization and key; the operator’s own hosts are not counted',
    refusal: 'overloaded',
  },
  connections: {
    bounds: { setting: 'GATEWAY_CONNECTIONS_MAX', alpha: 4 },
    unit: 'connections of callers on the traffic listeners, from accept to close, by address (IPv6: by /64); an idle one is closed before a new one is refused',
    refusal: 'overloaded',
  },
  unknown_credentials: {
    bounds: { perMinute: 20, burst: 20, ownersMax: 10_000 },
    unit: 'look-ups at the control plane of keys that neither this proxy nor Redis has ever had and that turn out not to exist, by address of the caller (IPv6: by /64)',
    refusal: 'rate_limit_exceeded',
  },
  translation_queue: {
    bounds: { capacity: 512 * 1024 * 1024, alpha: 1 },
    unit: 'bytes of large requests and whole responses that wait for a worker to translate them, by organization and key',
    refusal: 'overloaded',
  },
  translation_workers: {
    bounds: { capacity: 2, alpha: 1 },
    unit: 'workers that translate large requests and whole responses, by organization and key; a request without one waits in `translation_queue`',
    refusal: 'overloaded',
  },
  guardrail_slices: {
    bounds: { capacity: textMax, alpha: 1 },
    unit: 'characters of texts that are scanned in slices between other requests, by organization and key',
    refusal: 'guardrail_unavailable',
  },
  guardrail_queue: {
    bounds: { capacity: textMax, alpha: 1 },
    unit: 'characters of texts that wait for a worker to scan them, by organization and key',
    refusal: 'guardrail_unavailable',
  },
  guardrail_workers: {
    bounds: { capacity: 32, alpha: 0.25 },
    unit: 'scans in the two workers, by organization and key; each worker runs the one whose organization has had the least time; scans above a share wait in `guardrail_queue`',
    refusal: 'guardrail_unavailable',
  },
} as const satisfies Record<string, ShareRow>;

export type ShareName = keyof typeof shares;

/** How much of each resource is used, and how often a part of it was refused. */
export interface ShareUses {
  /** The code that constructs the resource registers it here. */
  watch(resource: ShareName, read: () => ShareUse): void;
  read(): readonly (readonly [ShareName, ShareUse])[];
}

export function createShareUses(): ShareUses {
  const rows = new Map<ShareName, () => ShareUse>();
  return {
    watch: (resource, read) => void rows.set(resource, read),
    read: () => [...rows].map(([resource, read]) => [resource, read()] as const),
  };
}

/** A share of a resource that is used or waited for. */
export type ReadShare = Pick<OccupiedShare, 'used' | 'capacity' | 'refused'>;

export function useOf({ used, capacity, refused }: ReadShare): ShareUse {
  return { used: used / capacity, refused };
}
