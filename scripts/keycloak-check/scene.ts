// What all checks share: Keycloak with its realm, a control plane whose organization signs people in there, and a browser.
import { randomBytes } from 'node:crypto';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../test/support/chromium.ts';
import { bootstrap, createTenant, type OperatorsPlane, startOperatorsPlane } from '../../test/support/operators.ts';
import { type Front, startFront } from './front.ts';
import type { Keycloak } from './keycloak.ts';
import { clientIds, createRealm, type Realm, realmName } from './realm.ts';
import { issueTokens } from './tokens.ts';

export interface Scene {
  readonly keycloak: Keycloak;
  readonly front: Front;
  readonly plane: OperatorsPlane;
  /** The console's URL. */
  readonly base: string;
  readonly realm: Realm;
  /** A page of a browser without cookies, at the organization's sign-in page. */
  newPage(): Promise<Page>;
  /** Tokens for Ada that Keycloak signs now. @returns the response of its token endpoint */
  issue(of: { readonly clientId?: string; readonly nonce: string }): Promise<string>;
  close(): Promise<void>;
}

/** The realm is imported into the Keycloak that runs. */
export async function startScene(keycloak: Keycloak): Promise<Scene> {
  const front = await startFront(keycloak.port);
  const plane = await startOperatorsPlane({
    env: { GATEWAY_PRIVATE_ISSUERS: front.hostAndPort },
    rates: { sign_ins: { perMinute: 10_000, burst: 10_000 } },
  });
  const acme = await createTenant(plane, await bootstrap(plane), 'acme');
  const clientSecret = randomBytes(24).toString('base64url');
  const { id } = await plane.expect('SignIn.CreateIssuer', acme.owner.token, {
    ...{ organizationId: acme.id, name: 'keycloak', url: `http://${front.hostAndPort}/realms/${realmName}` },
    ...{ clientId: clientIds.gateway, secret: clientSecret },
    roles: [{ claim: 'groups', value: 'gateway-admins', role: 'ROLE_ADMIN' }],
  });
  const base = `http://127.0.0.1:${plane.plane.httpPort}/console/`;
  const redirectUri = `${base}auth/callback/${id}`;
  const backchannelLogoutUri = `${base}auth/backchannel-logout/${id}`;
  const realm = createRealm({ clientSecret, base, redirectUri, backchannelLogoutUri });
  await keycloak.admin('POST', '', realm.representation);
  const browser = await startBrowser();
  const login = { base: `http://${front.hostAndPort}`, clientSecret, redirectUri, username: 'ada' };
  return {
    ...{ keycloak, front, plane, base, realm },
    newPage: () => pageAt(browser, `${base}o/acme`),
    issue: ({ clientId = clientIds.gateway, nonce }) =>
      issueTokens({ ...login, password: passwordOf(realm, 'ada'), clientId, nonce }),
    close: async () => {
      await browser.close();
      await plane.close();
      await front.close();
    },
  };
}

export function passwordOf({ passwords }: Realm, username: string): string {
  const password = passwords.get(username);
  if (password === undefined) throw new Error(`the realm has no ${username}`);
  return password;
}

/** Its sandbox needs rights that containers seldom give. */
function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
}

async function pageAt(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US' });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(url);
  return page;
}
