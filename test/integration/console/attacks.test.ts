// Attacks by pages of other sites on a browser that is signed in: a frame around the console, requests with its cookie,
// and addresses that should lead elsewhere.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsolePage, openConsole } from '../../support/console-page.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';

let gateway: TestGateway;
let console: ConsolePage;
let evil: Server;
/** Another site for the browser: a name, where the console is at an address. */
let evilUrl: string;
let base: string;

beforeAll(async () => {
  gateway = await startGateway();
  base = `http://127.0.0.1:${gateway.controlPlane.httpPort}/console/`;
  evil = createServer((request, response) => {
    const target = new URL(request.url ?? '/', 'http://evil').searchParams.get('target') ?? '';
    response.setHeader('content-type', 'text/html');
    response.end(
      request.url?.startsWith('/frame')
        ? `<iframe id="framed" src="${target}" width="800" height="600"></iframe>`
        : `<form method="post" enctype="text/plain" action="${target}"><input name='{"x":"' value='"}'></form>`,
    );
  });
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  evilUrl = `http://localhost:${(evil.address() as AddressInfo).port}`;
  console = await openConsole(gateway, { token: gateway.organization.ownerToken });
});
afterAll(async () => {
  await console.close();
  evil.closeAllConnections();
  evil.close();
  await gateway.close();
});

async function expectSignedIn(): Promise<void> {
  await console.page.goto(base);
  await console.page.getByText('owner · owner').waitFor();
}

it('no page of another site, nor one of its own host at another port, shows the console in a frame', async () => {
  const sameHost = evilUrl.replace('localhost', '127.0.0.1');
  for (const site of [evilUrl, sameHost]) {
    const page = await console.page.context().newPage();
    await page.goto(`${site}/frame?target=${encodeURIComponent(base)}`);
    const framed = await (await page.locator('#framed').elementHandle())?.contentFrame();
    await framed?.waitForLoadState();
    expect([site, await framed?.locator('#root').count()]).toEqual([site, 0]);
    await page.close();
  }
});

it('a form of another site does nothing with the cookie', async () => {
  for (const path of ['auth/logout', 'auth/token', 'auth/start']) {
    const page = await console.page.context().newPage();
    await page.goto(`${evilUrl}/form?target=${encodeURIComponent(base + path)}`);
    const [response] = await Promise.all([
      page.waitForResponse((one) => one.url() === base + path),
      page.evaluate('document.forms[0].submit()'),
    ]);
    expect([path, response.status()]).toEqual([path, expect.toBeOneOf([401, 403, 415])]);
    await page.close();
  }
  await expectSignedIn();
});

it('a script of another site reads nothing and changes nothing, with or without the cookie', async () => {
  for (const site of [evilUrl, evilUrl.replace('localhost', '127.0.0.1')]) {
    const page = await console.page.context().newPage();
    await page.goto(`${site}/form`);
    for (const path of ['auth/token', 'auth/logout', '../gateway.v1.Status/Get', '']) {
      for (const type of ['application/json', 'text/plain']) {
        const call = `fetch(${JSON.stringify(base + path)}, ${path === '' ? "{ credentials: 'include' }" : `{ method: 'POST', body: '{}', credentials: 'include', headers: { 'content-type': '${type}' } }`})`;
        const outcome = await page.evaluate<string>(
          `${call}.then((one) => one.text(), () => 'refused by the browser')`,
        );
        expect([site, path, type, outcome]).toEqual([site, path, type, 'refused by the browser']);
      }
    }
    await page.close();
  }
  await expectSignedIn();
});

it('no address below the console leads to another site', async () => {
  const { page } = console;
  console.expectStatus(401);
  const tails = [
    '/evil.example/',
    '%2f%2fevil.example',
    '%5cevil.example',
    'o//evil.example',
    '?returnPath=https://evil.example/',
    '?error=https://evil.example/',
    '#link=https://evil.example/',
    '#invitation=javascript:alert(1)',
    'program/1/x/x/https:%2f%2fevil.example',
    'program/80@evil.example/x/x/x',
  ];
  for (const tail of tails) {
    await page.goto('about:blank');
    await page.goto(base + tail);
    // A page, or the error of a path that is none.
    await page.locator('h1, pre').first().waitFor();
    expect([tail, new URL(page.url()).origin]).toEqual([tail, new URL(base).origin]);
  }
  expect(console.faults.filter((fault) => /policy|dialog/.test(fault))).toEqual([]);
});
