// The keeper as the certificate authority, without cert-manager: it issues and renews the certificates and trust
// bundles of the gateway's programs. Every keeper reads the trusted authorities; only the leader writes. Secrets with a
// foreign authority stay unchanged and cause an error, because replacing it would break the trust of running programs.
import type { X509Certificate } from 'node:crypto';
import { type CertificateEnd, certificatesIn } from '../../common/certificate-ends.ts';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { type ApiClient, hasStatus } from '../api/client.ts';
import {
  type Authority,
  type AuthorityName,
  authorityIn,
  authorityNames,
  bundleOf,
  dataOf,
  spanOf,
  stepOf,
  switched,
} from './authorities.ts';
import { certificateIn, type Leaf, leafStepOf, leavesOf } from './leaves.ts';
import { readSecret, type SecretRef, type StoredSecret, writeSecret } from './secrets.ts';
import { issueAuthority, issueCertificate } from './x509.ts';

/** The name in the manifests. */
export const authoritiesSecret = 'model-gateway-authorities';
/** The authorities by which the egress gateway verifies sidecars. */
export const sidecarsCaSecret = 'sidecars-ca';

export interface AuthorityDeps {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly namespace: string;
  readonly certificateLifeMs: number;
  readonly authorityLifeMs: number;
  isLeader(): boolean;
}

export interface CertificateKeeper {
  /** PEM of the authorities that sign the injector's certificate; undefined: not known yet. */
  readonly bundle: string | undefined;
  /** Expiry of all certificates here, by Secret, and of the authorities. */
  ends(): readonly CertificateEnd[];
  /** Reads everything once; the leader writes what is due. @throws Error */
  run(): Promise<void>;
  /**
   * Renews the certificate in the Secret of an app namespace.
   * @returns whether it is complete: false without an authority, and if a step is due but this keeper is not the leader
   * @throws ApiError; 403 and 404 if the namespace has not opted in
   */
  keepLeaf(leaf: Leaf, ref: SecretRef): Promise<boolean>;
}

/** Allows for differences between clocks. */
const backdatedMs = 5 * 60_000;

type Authorities = Readonly<Record<AuthorityName, Authority>>;

export function createCertificateKeeper(deps: AuthorityDeps): CertificateKeeper {
  return new Keeper(deps);
}

class Keeper implements CertificateKeeper {
  readonly #deps: AuthorityDeps;
  #authorities: Authorities | undefined;
  readonly #ends = new Map<string, number>();

  constructor(deps: AuthorityDeps) {
    this.#deps = deps;
  }

  get bundle(): string | undefined {
    return this.#authorities && bundleOf(this.#authorities.internal);
  }

  ends(): readonly CertificateEnd[] {
    return [...this.#ends].map(([use, seconds]) => ({ use, seconds }));
  }

  async run(): Promise<void> {
    const { client, namespace, isLeader } = this.#deps;
    const stored = await readSecret(client, { namespace, name: authoritiesSecret });
    this.#remember(isLeader() ? await this.#keepAuthorities(stored) : authoritiesIn(stored));
    for (const leaf of leavesOf(namespace)) await this.keepLeaf(leaf, { namespace, name: leaf.secret });
    await this.#keepSidecarsCa();
  }

  async keepLeaf(leaf: Leaf, ref: SecretRef): Promise<boolean> {
    const { client, clock, log, isLeader, namespace } = this.#deps;
    const authority = this.#authorities?.[leaf.authority];
    const bundle = authority && bundleOf(authority);
    if (authority?.current === undefined || bundle === undefined) return false;
    const stored = await readSecret(client, ref);
    let certificate = certificateIn(stored.data);
    const storedLeaf = { certificate, bundle: stored.data['ca.crt'] };
    const step = leafStepOf(leaf, storedLeaf, { bundle, now: clock.now() });
    const acts = step !== undefined && isLeader();
    if (acts) {
      const fresh = step === 'renew' ? await this.#issue(leaf, authority.current) : {};
      const written = await writeSecret(client, stored, { ...fresh, 'ca.crt': bundle });
      log.info({ namespace: ref.namespace, secret: ref.name, step }, 'a certificate was kept');
      if (step === 'renew') certificate = certificateIn(written.data);
    }
    if (ref.namespace === namespace) this.#ended(ref.name, certificate);
    return step === undefined || acts;
  }

  async #keepAuthorities(stored: StoredSecret): Promise<Authorities> {
    let latest = stored;
    for (const name of authorityNames) {
      let authority = authorityIn(name, latest.data);
      for (
        let step = stepOf(authority, this.#deps.clock.now());
        step !== undefined;
        step = stepOf(authority, this.#deps.clock.now())
      ) {
        if (step === 'make') await this.#refuseForeign(name);
        authority = await this.#stepped(name, authority, step);
        latest = await writeSecret(this.#deps.client, latest, dataOf(name, authority));
        this.#deps.log.info({ authority: name, step }, 'an authority was kept');
      }
    }
    return authoritiesIn(latest);
  }

  async #stepped(
    name: AuthorityName,
    authority: Authority,
    step: NonNullable<ReturnType<typeof stepOf>>,
  ): Promise<Authority> {
    switch (step) {
      case 'make':
        return { ...authority, current: await this.#newAuthority(name) };
      case 'announce':
        return { ...authority, next: await this.#newAuthority(name) };
      case 'switch':
        return switched(authority);
      case 'drop_old':
        return { ...authority, old: undefined };
    }
  }

  #newAuthority(name: AuthorityName) {
    const now = this.#deps.clock.now();
    const span = { notBefore: now, notAfter: now + this.#deps.authorityLifeMs };
    return issueAuthority(`model-gateway-${name}`, span);
  }

  /**
   * Refuses to replace an authority that was made by hand: programs that trust it would trust no certificate any more.
   */
  async #refuseForeign(name: AuthorityName): Promise<void> {
    const { client, namespace, clock } = this.#deps;
    const own = leavesOf(namespace).filter(({ authority }) => authority === name);
    const secrets = [...own.map(({ secret }) => secret), ...(name === 'sidecars' ? [sidecarsCaSecret] : [])];
    for (const secret of secrets) {
      const { data } = await readSecret(client, { namespace, name: secret });
      const ends = certificatesIn(data['ca.crt'] ?? '').map(({ validToDate }) => validToDate.getTime());
      if (!ends.some((end) => end > clock.now())) continue;
      throw new Error(
        `the Secret ${secret} names an authority whose key is not here: bring it (plain.sh <folder> authorities), or empty the Secrets to begin anew`,
      );
    }
  }

  async #keepSidecarsCa(): Promise<void> {
    const { client, namespace, log, isLeader } = this.#deps;
    const bundle = this.#authorities && bundleOf(this.#authorities.sidecars);
    if (bundle === undefined) return;
    const stored = await readSecret(client, { namespace, name: sidecarsCaSecret });
    if (stored.data['ca.crt'] === bundle || !isLeader()) return;
    await writeSecret(client, stored, { 'ca.crt': bundle });
    log.info({ namespace, secret: sidecarsCaSecret, step: 'update_bundle' }, 'a certificate was kept');
  }

  #issue({ dnsNames, addresses, usage }: Leaf, authority: { cert: string; key: string }) {
    const now = this.#deps.clock.now();
    const { notAfter: authorityEnd } = spanOf(authority.cert);
    return issueCertificate(authority, {
      commonName: dnsNames[0] ?? '',
      dnsNames,
      addresses,
      usage,
      notBefore: now - Math.min(backdatedMs, this.#deps.certificateLifeMs / 10),
      notAfter: Math.min(now + this.#deps.certificateLifeMs, authorityEnd),
    }).then(({ cert, key }) => ({ 'tls.crt': cert, 'tls.key': key }));
  }

  #remember(authorities: Authorities): void {
    this.#authorities = authorities;
    for (const name of authorityNames) {
      const { current } = authorities[name];
      if (current !== undefined) this.#ends.set(`authority_${name}`, spanOf(current.cert).notAfter / 1000);
    }
  }

  #ended(secret: string, certificate: X509Certificate | undefined): void {
    if (certificate === undefined) this.#ends.delete(secret);
    else this.#ends.set(secret, certificate.validToDate.getTime() / 1000);
  }
}

function authoritiesIn({ data }: StoredSecret): Authorities {
  return { internal: authorityIn('internal', data), sidecars: authorityIn('sidecars', data) };
}

/** Whether the namespace has not opted in to certificates from the keeper. */
export function isUnwanted(error: unknown): boolean {
  return hasStatus(error, 403, 404);
}
