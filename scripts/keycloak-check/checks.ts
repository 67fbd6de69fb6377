// The checks, in order. Each throws an error that describes the problem.
import type { Page } from 'playwright-core';
import { isObject, objectsOf, parseJson } from '../../common/json.ts';
import { must, mustEqual } from '../cluster-check/check.ts';
import { clientIds, realmName } from './realm.ts';
import { passwordOf, type Scene } from './scene.ts';

export interface Check {
  /** A sentence that is true if it passes. */
  readonly name: string;
  run(scene: Scene): Promise<void>;
}

const refused = 'The sign-in was refused.';
/** The gateway tolerates clocks that differ by a minute, and fetches keys once a minute. */
const minuteAndMoreMs = 65_000;

/** A login that waits at Keycloak, with a token for it that ends before the login does. */
let waiting: { readonly page: Page; readonly expired: string; readonly issuedAt: number } | undefined;
let signedIn: Page | undefined;

export const checks: readonly Check[] = [
  {
    name: 'a person signs in by the code flow with PKCE, with the role of their group',
    run: async (scene) => {
      signedIn = await scene.newPage();
      await toKeycloak(signedIn);
      await proveAs(signedIn, scene, 'ada');
      await signedIn.getByText('Ada Example · admin').waitFor();
    },
  },
  {
    name: 'a person without a role is refused',
    run: async (scene) => {
      const page = await scene.newPage();
      await toKeycloak(page);
      await proveAs(page, scene, 'bob');
      await page.getByText(refused).waitFor();
      await page.context().close();
    },
  },
  {
    name: 'a change that needs a recent sign-in gets one: Keycloak asks for the password again',
    run: async (scene) => {
      const page = signedInPage();
      await page.goto(`${scene.base}settings/tokens`);
      scene.plane.clock.offsetMs = 16 * 60_000;
      await makeToken(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Sign in again' }).click();
      scene.plane.clock.offsetMs = 0;
      await proveAs(page, scene, 'ada');
      await page.waitForURL('**/console/settings/tokens');
      await makeToken(page);
      await page.getByRole('button', { name: 'I have copied it' }).click();
    },
  },
  {
    name: 'tokens that Keycloak signed for this login are accepted in place of its response',
    run: async (scene) => {
      const { page, nonce } = await loginAtKeycloak(scene);
      waiting = await loginThatWaits(scene);
      scene.front.replaceTokens(await scene.issue({ nonce }));
      await proveAs(page, scene, 'ada');
      await page.getByText('Ada Example · admin').waitFor();
      await page.context().close();
    },
  },
  {
    name: 'an ID token for another client of the realm is refused',
    run: async (scene) => {
      const { page, nonce } = await loginAtKeycloak(scene);
      scene.front.replaceTokens(await scene.issue({ clientId: clientIds.other, nonce }));
      await mustBeRefused(scene, page);
    },
  },
  {
    name: 'an ID token for another login is refused',
    run: async (scene) => {
      const { page } = await loginAtKeycloak(scene);
      scene.front.replaceTokens(await scene.issue({ nonce: 'of-another-login' }));
      await mustBeRefused(scene, page);
    },
  },
  {
    name: 'an ID token that has expired is refused',
    run: async (scene) => {
      if (waiting === undefined) throw new Error('no login waits');
      const { page, expired, issuedAt } = waiting;
      await sleep(issuedAt + minuteAndMoreMs - Date.now());
      scene.front.replaceTokens(expired);
      await mustBeRefused(scene, page);
    },
  },
  {
    name: 'sign-ins continue when Keycloak replaces its keys',
    run: async (scene) => {
      const before = await rotateKeys(scene);
      const page = await scene.newPage();
      await toKeycloak(page);
      await proveAs(page, scene, 'ada');
      await page.getByText('Ada Example · admin').waitFor();
      must(!before.includes(keyOf(await scene.issue({ nonce: 'x' }))), 'Keycloak signs with a former key');
      await page.context().close();
    },
  },
  {
    name: 'a sign-out in the console ends the session at Keycloak, and leads back',
    run: async (scene) => {
      const page = signedInPage();
      await page.goto(scene.base);
      const before = await sessionsAtKeycloak(scene);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.locator('#kc-logout').click();
      await page.waitForURL(`${scene.base}**`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      mustEqual(await sessionsAtKeycloak(scene), before - 1, 'sessions of Ada at Keycloak');
      await page.goto(`${scene.base}o/acme`);
      await toKeycloak(page);
      await page.locator('#password').waitFor();
    },
  },
  {
    name: 'a logout at Keycloak ends the session of the console (back-channel)',
    run: async (scene) => {
      const page = signedInPage();
      await proveAs(page, scene, 'ada');
      await page.getByText('Ada Example · admin').waitFor();
      await scene.keycloak.admin('POST', `/${realmName}/users/${await idOfAda(scene)}/logout`);
      const headers = { 'sec-fetch-site': 'same-origin' };
      const response = await page.request.post(`${scene.base}auth/token`, { data: {}, headers });
      mustEqual(response.status(), 401, 'the session of the console');
      await page.getByRole('link', { name: 'Spend' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    },
  },
];

function signedInPage(): Page {
  if (signedIn === undefined) throw new Error('nobody is signed in');
  return signedIn;
}

async function toKeycloak(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue with keycloak' }).click();
  await page.waitForURL('**/realms/**');
}

/** Keycloak knows the name of a person who signs in again. */
async function proveAs(page: Page, { realm }: Scene, username: string): Promise<void> {
  await page.locator('#password').waitFor();
  const name = page.locator('input#username[type=text]');
  if ((await name.count()) > 0 && (await name.isEditable())) await name.fill(username);
  await page.locator('#password').fill(passwordOf(realm, username));
  await page.locator('#kc-login').click();
}

async function makeToken(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Make token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('laptop');
  await dialog.getByRole('button', { name: 'Make token' }).click();
}

/** A login of the gateway that has come to Keycloak's form. */
async function loginAtKeycloak(scene: Scene): Promise<{ readonly page: Page; readonly nonce: string }> {
  const page = await scene.newPage();
  await toKeycloak(page);
  const nonce = new URL(page.url()).searchParams.get('nonce');
  if (nonce === null) throw new Error('the login has no nonce');
  return { page, nonce };
}

async function loginThatWaits(scene: Scene): Promise<NonNullable<typeof waiting>> {
  const { page, nonce } = await loginAtKeycloak(scene);
  await setLifespan(scene, 1);
  const expired = await scene.issue({ nonce });
  await setLifespan(scene, 300);
  return { page, expired, issuedAt: Date.now() };
}

/** How long tokens of the gateway's client are valid. */
async function setLifespan({ keycloak }: Scene, seconds: number): Promise<void> {
  const [client] = objectsOf(await keycloak.admin('GET', `/${realmName}/clients?clientId=${clientIds.gateway}`));
  if (client === undefined || !isObject(client.attributes)) throw new Error('the realm has no client');
  const attributes = { ...client.attributes, 'access.token.lifespan': String(seconds) };
  await keycloak.admin('PUT', `/${realmName}/clients/${String(client.id)}`, { ...client, attributes });
}

/** The check before shows that tokens in place of a response are no reason for a refusal. */
async function mustBeRefused(scene: Scene, page: Page): Promise<void> {
  await proveAs(page, scene, 'ada');
  await page.getByText(refused).waitFor();
  must(!scene.front.isReplacing(), 'the gateway was refused before it got the tokens');
  await page.context().close();
}

/** New keys, and none of the former ones. @returns their ids */
async function rotateKeys({ keycloak }: Scene): Promise<readonly string[]> {
  const keys = await keycloak.admin('GET', `/${realmName}/keys`);
  const former = isObject(keys) ? objectsOf(keys.keys) : [];
  const realm = await keycloak.admin('GET', `/${realmName}`);
  const parentId = isObject(realm) ? realm.id : undefined;
  const type = 'org.keycloak.keys.KeyProvider';
  await keycloak.admin('POST', `/${realmName}/components`, {
    ...{ name: 'new', providerId: 'rsa-generated', providerType: type, parentId },
    config: { priority: ['1000'], keySize: ['2048'], algorithm: ['RS256'] },
  });
  const signing = former.filter((key) => key.use === 'SIG' && key.type === 'RSA');
  for (const id of new Set(signing.map(({ providerId }) => providerId)))
    await keycloak.admin('DELETE', `/${realmName}/components/${String(id)}`);
  return former.map(({ kid }) => String(kid));
}

/** The key that signed the ID token of a response. */
function keyOf(tokens: string): string {
  const response = parseJson(tokens);
  const [header = ''] = isObject(response) && typeof response.id_token === 'string' ? response.id_token.split('.') : [];
  const parsed = parseJson(Buffer.from(header, 'base64url').toString());
  return isObject(parsed) ? String(parsed.kid) : '';
}

async function idOfAda({ keycloak }: Scene): Promise<string> {
  const [ada] = objectsOf(await keycloak.admin('GET', `/${realmName}/users?username=ada&exact=true`));
  return String(ada?.id);
}

async function sessionsAtKeycloak(scene: Scene): Promise<number> {
  const sessions = await scene.keycloak.admin('GET', `/${realmName}/users/${await idOfAda(scene)}/sessions`);
  return objectsOf(sessions).length;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
