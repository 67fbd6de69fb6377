// Every page of the console in a browser, for each role: the navigation, no error, no violation of the content security
// policy, nothing that hinders assistive technology, nothing wider than a phone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Filled, fillGateway } from '../../../support/console-content.ts';
import { type ConsolePage, openConsole } from '../../../support/console-page.ts';
import { startGateway, type TestGateway } from '../../../support/gateway.ts';

let gateway: TestGateway;
let filled: Filled;

beforeAll(async () => {
  gateway = await startGateway();
  filled = await fillGateway(gateway);
});
afterAll(() => gateway.close());

const ofOwner = {
  Home: '',
  Spend: 'spend',
  Requests: 'requests',
  Guardrails: 'guardrails',
  'Models and providers': 'models',
  Access: 'settings/access',
  Organization: 'settings/organization',
  People: 'settings/people',
  'Service accounts': 'settings/service-accounts',
  'AI systems': 'settings/ai-systems',
  Limits: 'settings/limits',
  Webhooks: 'settings/webhooks',
  Stops: 'settings/stops',
  'Sign-in': 'settings/sign-in',
  Capture: 'settings/capture',
  Audit: 'settings/audit',
  'My tokens': 'settings/tokens',
} as const;
const ofMember = ['Home', 'Spend', 'Requests', 'Models and providers', 'Access', 'Limits', 'My tokens'];
const ofPlatform = {
  Organizations: 'platform/organizations',
  Proxies: 'platform/proxies',
  Providers: 'platform/providers',
  Stops: 'platform/stops',
  Operators: 'platform/people',
  'Sign-in': 'platform/sign-in',
  Audit: 'platform/audit',
  'My tokens': 'platform/tokens',
} as const;
/** Contents of pages behind tabs. */
const tabs = [
  'spend?tab=budgets',
  'spend?tab=unconfirmed',
  'spend?tab=export',
  'guardrails?tab=decisions',
  'guardrails?tab=test',
  'models?tab=list&state=out',
  'models?tab=models',
  'models?tab=keys',
  'models?tab=routes',
  'models?tab=providers',
  'models?tab=prices',
  'settings/sign-in?tab=invitations',
  'settings/sign-in?tab=provisioning',
  'settings/sign-in?tab=domains',
  'settings/sign-in?tab=settings',
];

const dialogs = [
  ['settings/service-accounts', 'Add service account'],
  ['settings/limits', 'Create limit'],
  ['settings/people', 'Add person'],
  ['settings/access', 'Create key'],
  ['guardrails', 'Create guardrail'],
] as const;
const menus = [
  ['settings/limits', 'Change'],
  ['settings/people', 'Identities'],
] as const;

/** Cumulative layout shift: up to 0.1 counts as good. */
const shiftMax = 0.1;
/** Code of the browser is text here, because the project's types are those of Node. */
const countShifts = `globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

async function navigationOf({ page }: ConsolePage): Promise<readonly string[]> {
  return page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
}

async function widthOf({ page }: ConsolePage): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth');
}

/** Opens each path, and no more: for pages that were looked into as another role. */
async function openAll(console: ConsolePage, paths: readonly string[]): Promise<void> {
  for (const path of paths) await console.open(path);
}

/** Opens each path. @returns what is wrong there, with its path */
async function problemsOn(console: ConsolePage, paths: readonly string[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const path of paths) {
    await console.open(path);
    problems.push(...(await console.accessibility()).map((text) => `${path} ${text}`));
  }
  return problems;
}

describe('the sign-in form', () => {
  it('is accessible, and says why a token is refused', async () => {
    const console = await openConsole(gateway, { token: undefined });
    const { page } = console;
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await console.accessibility()).toEqual([]);
    await page.getByLabel('Operator token').fill('gw-op-no-such-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('revoked');
    expect(console.faults).toEqual([]);
    await console.close();
  });
});

describe('an owner', () => {
  it('has every page of the organization, in light and in dark', async () => {
    const console = await openConsole(gateway, { token: gateway.organization.ownerToken, colorScheme: 'light' });
    expect(await navigationOf(console)).toEqual(Object.keys(ofOwner));
    const details = [`settings/access/${filled.keyId}`, `requests/${filled.requestId}`];
    expect(await problemsOn(console, [...Object.values(ofOwner), ...tabs, ...details])).toEqual([]);
    await console.page.emulateMedia({ colorScheme: 'dark' });
    expect(await problemsOn(console, ['', 'settings/access', `requests/${filled.requestId}`])).toEqual([]);
    expect(console.faults).toEqual([]);
    await console.close();
  });

  it('has pages that fit on a phone', async () => {
    const viewport = { width: 360, height: 740 };
    const console = await openConsole(gateway, { token: gateway.organization.ownerToken, viewport });
    const wide: string[] = [];
    for (const path of [...Object.values(ofOwner), ...tabs, `settings/access/${filled.keyId}`]) {
      await console.open(path);
      if ((await widthOf(console)) > viewport.width) wide.push(path);
    }
    expect(wide).toEqual([]);
    await console.page.getByRole('button', { name: 'Menu' }).click();
    await console.page.getByRole('link', { name: 'Limits' }).click();
    await console.page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor();
    expect(console.faults).toEqual([]);
    await console.close();
  });
});

describe('a dialog', () => {
  it('is accessible where it has more than a few fields, and behind the menu of a row', async () => {
    const console = await openConsole(gateway, { token: gateway.organization.ownerToken });
    const { page } = console;
    const problems: string[] = [];
    const look = async (what: string) => {
      await page.getByRole('dialog').waitFor();
      problems.push(...(await console.accessibility()).map((text) => `${what} ${text}`));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    for (const [path, button] of dialogs) {
      await console.open(path);
      await page.getByRole('button', { name: button, exact: true }).click();
      await look(button);
    }
    for (const [path, item] of menus) {
      await console.open(path);
      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click();
      await page.getByRole('menuitem', { name: item }).click();
      await look(item);
    }
    expect(problems).toEqual([]);
    expect(console.faults).toEqual([]);
    await console.close();
  });
});

describe('any page', () => {
  it.each([
    [360, 740],
    [1920, 1080],
  ])('moves nothing while it loads, and is not wider than %i pixels', async (width, height) => {
    const console = await openConsole(gateway, {
      token: gateway.organization.ownerToken,
      viewport: { width, height },
    });
    await console.page.addInitScript({ content: countShifts });
    const faulty: string[] = [];
    for (const path of Object.values(ofOwner)) {
      await console.load(path);
      const shift = await console.page.evaluate<number>('globalThis.shift');
      if (shift > shiftMax || (await widthOf(console)) > width) faulty.push(`${path} ${shift}`);
    }
    expect(faulty).toEqual([]);
    expect(console.faults).toEqual([]);
    await console.close();
  });
});

describe('a member', () => {
  it('has the pages of their own keys, and no other page', async () => {
    const console = await openConsole(gateway, { token: filled.memberToken });
    const { page } = console;
    expect(await navigationOf(console)).toEqual(ofMember);
    const paths = Object.entries(ofOwner).flatMap(([name, path]) => (ofMember.includes(name) ? [path] : []));
    expect(await problemsOn(console, ['settings/access'])).toEqual([]);
    await openAll(console, paths);
    for (const path of ['settings/people', 'settings/organization', 'guardrails', 'platform/organizations']) {
      await console.load(path);
      await page.getByRole('heading', { name: 'This page does not exist for you' }).waitFor();
    }
    await console.open('settings/access');
    await page.getByRole('row', { name: /own key of a member/ }).waitFor();
    expect(await page.getByText(filled.keyName, { exact: true }).count()).toBe(0);
    expect(await page.getByText('Callers may send their own provider key').count()).toBe(0);
    expect(console.faults).toEqual([]);
    await console.close();
  });
});

describe('a platform operator', () => {
  it('has the pages of the platform, and looks at an organization without its content', async () => {
    const console = await openConsole(gateway, { token: gateway.secrets.platformToken });
    const { page } = console;
    expect(await navigationOf(console)).toEqual(Object.keys(ofPlatform));
    const own = ['platform/organizations', 'platform/proxies', `platform/organizations/${gateway.organization.id}`];
    await openAll(console, Object.values(ofPlatform));
    expect(await problemsOn(console, own)).toEqual([]);
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
    expect(console.faults).toEqual([]);
    await console.close();
  });
});
