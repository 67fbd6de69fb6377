// Limits the load that the gateway accepts at a time: requests in flight and buffered bytes, each shared by
// organizations and their keys. Anything beyond the limits is refused at once; nothing queues.
import { alphaOf, OccupiedShare, type ShareOwner } from '../../common/shares.ts';
import { overloaded } from '../errors.ts';

export interface AdmissionLimits {
  readonly inFlightMax: number;
  readonly bufferedBytesMax: number;
  /** The part of both that one organization may use while no other does, above 0 to 1. */
  readonly organizationShare: number;
  /** Default: keys have shares of their organization's part. */
  readonly keyAlpha?: number;
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

  /** @throws GatewayError overloaded */
  admit(owner: ShareOwner): Ticket {
    if (!this.requests.take(owner)) throw overloaded();
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
