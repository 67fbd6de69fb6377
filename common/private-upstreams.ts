// Hosts that base URLs may name though they are private or plain http, as both planes read them from GATEWAY_PRIVATE_UPSTREAMS. What is
// listed for organizations is open to no other: who shares a platform does not share its neighbours' model servers.
import { type Decoder, hostAndPort } from './settings.ts';

export interface PrivateUpstream {
  /** Lower case. */
  readonly hostAndPort: string;
  /** Undefined: every organization, and the platform itself. */
  readonly organization: string | undefined;
}

const idForm = /^[A-Za-z0-9_-]{1,64}$/;

/** "models.internal:8000", or for one organization "<its id>@models.internal:8000". */
export const privateUpstream: Decoder<PrivateUpstream> = (value) => {
  const at = value.lastIndexOf('@');
  const organization = at < 0 ? undefined : value.slice(0, at);
  if (organization !== undefined && !idForm.test(organization))
    throw new Error(`must have the id of an organization before the @, not "${value}"`);
  return { hostAndPort: hostAndPort(value.slice(at + 1)), organization };
};

export class PrivateUpstreams {
  /** By host and port: the organizations, or none where it is for all. */
  readonly #organizations = new Map<string, Set<string> | undefined>();

  constructor(listed: readonly PrivateUpstream[]) {
    for (const { hostAndPort: place, organization } of listed) {
      const known = this.#organizations.get(place);
      const isForAll = organization === undefined || (this.#organizations.has(place) && known === undefined);
      this.#organizations.set(place, isForAll ? undefined : (known ?? new Set()).add(organization));
    }
  }

  /** @param organization undefined: the platform, to which only that is open which is open to all */
  openTo(organization: string | undefined): (hostAndPort: string) => boolean {
    return (hostAndPort) => this.scopeOf(hostAndPort, organization) !== undefined;
  }

  /** Undefined where it is not open to the organization; empty where it is open to all, else the organization. */
  scopeOf(hostAndPort: string, organization: string | undefined): string | undefined {
    if (!this.#organizations.has(hostAndPort)) return undefined;
    const organizations = this.#organizations.get(hostAndPort);
    if (organizations === undefined) return '';
    return organization !== undefined && organizations.has(organization) ? organization : undefined;
  }
}
