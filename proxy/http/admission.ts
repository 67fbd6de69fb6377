// Limits the load that the gateway accepts at a time: requests in flight and buffered bytes, each shared by
// organizations and their keys. Anything beyond the limits is refused at once; nothing queues.
import { alphaOf, OccupiedShare, type ShareOwner, type ShareStanding } from '../../common/shares.ts';
import type { Principal } from '../access/principal.ts';
import { overloaded } from '../errors.ts';

export interface AdmissionLimits {
  readonly inFlightMax: number;
  readonly bufferedBytesMax: number;
  /** The part of both that one organization may use while no other does, above 0 to 1. */
  readonly organizationShare: number;
  /** Default: keys have shares of their organization's part. */
  readonly keyAlpha?: number;
}

/** The weight that counts as 1. */
const usualWeight = 100;

/** Undefined: the usual one. */
export function standingOf({ key, organization }: Principal): ShareStanding | undefined {
  const isBatch = key.priorityClass === 'batch';
  const { weight: ofKey = usualWeight } = key;
  const { weight: ofOrganization = usualWeight } = organization;
  if (!isBatch && ofKey === usualWeight && ofOrganization === usualWeight) return undefined;
  return { organizationWeight: ofOrganization / usualWeight, keyWeight: ofKey / usualWeight, isBatch };
}

export class Admission {
  readonly limits: AdmissionLimits;
  readonly requests: OccupiedShare;
  readonly bytes: OccupiedShare;

  constructor(limits: AdmissionLimits) {
    const { inFlightMax, bufferedBytesMax, organizationShare, keyAlpha } = limits;
    const alphas = { alpha: alphaOf(organizationShare), ...(keyAlpha !== undefined && { keyAlpha }) };
    this.limits = limits;
    this.requests = new OccupiedShare({ capacity: inFlightMax, ...alphas });
    this.bytes = new OccupiedShare({ capacity: bufferedBytesMax, ...alphas });
  }

  get inFlight(): number {
    return this.requests.used;
  }

  get bufferedBytes(): number {
    return this.bytes.used;
  }

  /**
   * Weights and classes are of slots alone: a request that has one gets its bytes like any other.
   * @param standing default: the usual one
   * @throws GatewayError overloaded
   */
  admit(owner: ShareOwner, standing?: ShareStanding): Ticket {
    if (!this.requests.take(owner, 1, standing)) throw overloaded();
    return new Ticket(this, owner);
  }
}

/** One admitted request. Disposing it releases its slot and its bytes. */
export class Ticket implements Disposable {
  readonly #admission: Admission;
  readonly #owner: ShareOwner;
  #bytesTaken = 0;

  constructor(admission: Admission, owner: ShareOwner) {
    this.#admission = admission;
    this.#owner = owner;
  }

  /** Counts bytes that stay in memory until the request ends. @throws GatewayError overloaded */
  buffer(bytes: number): void {
    if (!this.#admission.bytes.take(this.#owner, bytes)) throw overloaded();
    this.#bytesTaken += bytes;
  }

  [Symbol.dispose](): void {
    this.#admission.requests.give(this.#owner);
    if (this.#bytesTaken > 0) this.#admission.bytes.give(this.#owner, this.#bytesTaken);
  }
}
