// Hosts that base URLs may name although they are private or plain http. Both planes read them from
// GATEWAY_PRIVATE_UPSTREAMS. A host that is listed for some organizations is closed to all others, because tenants of a
// platform do not share their model servers.
import { type Decoder, hostAndPort } from './settings.ts';

export interface PrivateUpstream {
  /** In lower case. */
  readonly hostAndPort: string;
  /** Undefined: open to every organization and to the platform itself. */
  readonly organization: string | undefined;
}

const idForm = /^[A-Za-z0-9_-]{1,64}$/;

/** Decodes "models.internal:8000", or "<organization id>@models.internal:8000" for one organization. */
export const privateUpstream: Decoder<PrivateUpstream> = (value) => {
  const at = value.lastIndexOf('@');
  const organization = at < 0 ? undefined : value.slice(0, at);
  if (organization !== undefined && !idForm.test(organization))
    throw new Error(`must have the id of an organization before the @, not "${value}"`);
  return { hostAndPort: hostAndPort(value.slice(at + 1)), organization };
};

export class PrivateUpstreams {
  /** The organizations by host and port; undefined if the host is open to all. */
  readonly #organizations = new Map<string, Set<string> | undefined>();

  constructor(listed: readonly PrivateUpstream[]) {
    for (const { hostAndPort, organization } of listed) {
      const known = this.#organizations.get(hostAndPort);
      const isForAll = organization === undefined || (this.#organizations.has(hostAndPort) && known === undefined);
      this.#organizations.set(hostAndPort, isForAll ? undefined : (known ?? new Set()).add(organization));
    }
  }

  /** @param organization undefined for the platform, which may only use hosts that are open to all */
  openTo(organization: string | undefined): (hostAndPort: string) => boolean {
    return (hostAndPort) => this.scopeOf(hostAndPort, organization) !== undefined;
  }

  /** Undefined if the host is not open to the organization; '' if it is open to all; otherwise the organization. */
  scopeOf(hostAndPort: string, organization: string | undefined): string | undefined {
    if (!this.#organizations.has(hostAndPort)) return undefined;
    const organizations = this.#organizations.get(hostAndPort);
    if (organizations === undefined) return '';
    return organization !== undefined && organizations.has(organization) ? organization : undefined;
  }
}
