// How much the gateway takes on at a time: requests in flight and bytes buffered, in all and for one organization. What is
// over a limit is refused at once; nothing queues.
import { GatewayError } from '../errors.ts';

export interface AdmissionLimits {
  readonly inFlightMax: number;
  readonly bufferedBytesMax: number;
  /** Of both, the part that one organization may use, 0 to 1. */
  readonly organizationShare: number;
}

interface Load {
  inFlight: number;
  bufferedBytes: number;
}

export class Admission {
  readonly limits: AdmissionLimits;
  readonly #total: Load = { inFlight: 0, bufferedBytes: 0 };
  readonly #organizations = new Map<string, Load>();

  constructor(limits: AdmissionLimits) {
    this.limits = limits;
  }

  get inFlight(): number {
    return this.#total.inFlight;
  }

  get bufferedBytes(): number {
    return this.#total.bufferedBytes;
  }

  /** @throws GatewayError overloaded */
  admit(organizationId: string): Ticket {
    const organization = this.#organizations.get(organizationId) ?? { inFlight: 0, bufferedBytes: 0 };
    const { inFlightMax, organizationShare } = this.limits;
    if (this.#total.inFlight >= inFlightMax || organization.inFlight >= inFlightMax * organizationShare) {
      throw new GatewayError('overloaded', { retryAfter: 1 });
    }
    this.#organizations.set(organizationId, organization);
    this.#total.inFlight++;
    organization.inFlight++;
    return new Ticket(this, organizationId, organization);
  }

  /** Counts bytes of one request. @throws GatewayError overloaded */
  take(organization: Load, bytes: number): void {
    const { bufferedBytesMax, organizationShare } = this.limits;
    const total = this.#total.bufferedBytes + bytes;
    const own = organization.bufferedBytes + bytes;
    if (total > bufferedBytesMax || own > bufferedBytesMax * organizationShare) {
      throw new GatewayError('overloaded', { retryAfter: 1 });
    }
    this.#total.bufferedBytes = total;
    organization.bufferedBytes = own;
  }

  /** Gives back what one request took. */
  release(organizationId: string, organization: Load, bytes: number): void {
    this.#total.inFlight--;
    this.#total.bufferedBytes -= bytes;
    organization.inFlight--;
    organization.bufferedBytes -= bytes;
    if (organization.inFlight === 0) this.#organizations.delete(organizationId);
  }
}

/** One admitted request. Disposing it gives back its place and its bytes. */
export class Ticket implements Disposable {
  readonly #admission: Admission;
  readonly #organizationId: string;
  readonly #organization: Load;
  #held = 0;

  constructor(admission: Admission, organizationId: string, organization: Load) {
    this.#admission = admission;
    this.#organizationId = organizationId;
    this.#organization = organization;
  }

  /** Counts bytes that stay in memory until the request ends. @throws GatewayError overloaded */
  buffer(bytes: number): void {
    this.#admission.take(this.#organization, bytes);
    this.#held += bytes;
  }

  [Symbol.dispose](): void {
    this.#admission.release(this.#organizationId, this.#organization, this.#held);
  }
}
