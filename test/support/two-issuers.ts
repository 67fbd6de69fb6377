// A control plane whose tenant has two OpenID Connect issuers, for tests of signing in.
import { createIssuer, issuerPlane } from './login-browser.ts';
import { type OidcIssuer, startOidcIssuer } from './oidc-issuer.ts';
import {
  bootstrap,
  createTenant,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from './operators.ts';

export interface TwoIssuers {
  readonly plane: OperatorsPlane;
  readonly platform: Someone;
  readonly acme: TestTenant;
  readonly issuer: OidcIssuer;
  readonly other: OidcIssuer;
  readonly issuerId: string;
  readonly otherId: string;
  close(): Promise<void>;
}

export async function startTwoIssuers(): Promise<TwoIssuers> {
  const [issuer, other] = [await startOidcIssuer(), await startOidcIssuer()];
  const plane = await startOperatorsPlane(issuerPlane(issuer, other));
  const platform = await bootstrap(plane);
  const acme = await createTenant(plane, platform, 'acme');
  return {
    ...{ plane, platform, acme, issuer, other },
    issuerId: await createIssuer(plane, acme, issuer),
    otherId: await createIssuer(plane, acme, other),
    close: async () => {
      await issuer.close();
      await other.close();
      await plane.close();
    },
  };
}
