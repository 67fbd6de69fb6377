// The console's page and files on the listener of the JSON API: their headers, their names, and what is not served.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConsoleBrowser } from '../../support/console-browser.ts';
import { type OperatorsPlane, startOperatorsPlane } from '../../support/operators.ts';

const index = '<!doctype html><base href="{{base}}"><meta property="csp-nonce" nonce="{{nonce}}"><a href="{{base}}x">';
const secret = 'not an asset';
let folder: string;
let plane: OperatorsPlane;
let browser: ConsoleBrowser;

/** A built console: compressed forms differ from the plain one, so that a test sees which was sent. */
function writeBuild(): string {
  const root = mkdtempSync(join(tmpdir(), 'console-'));
  const built = join(root, 'dist');
  mkdirSync(join(built, 'assets', 'folder.js'), { recursive: true });
  writeFileSync(join(built, 'index.html'), index);
  for (const [name, text] of Object.entries({
    'main-1a2b.js': 'plain();',
    'main-1a2b.js.br': 'brotli',
    'main-1a2b.js.gz': 'gzip',
    'style.css': 'a{}',
  }))
    writeFileSync(join(built, 'assets', name), text);
  writeFileSync(join(root, 'secret.js'), secret);
  writeFileSync(join(built, 'secret.js'), secret);
  return built;
}

beforeAll(async () => {
  folder = writeBuild();
  plane = await startOperatorsPlane({
    consoleFolder: folder,
    env: { GATEWAY_CONSOLE_URL: 'https://gateway.example.com/gw/console/', GATEWAY_HTTP_HOSTS: 'inside.example.com' },
  });
  browser = new ConsoleBrowser({ port: plane.plane.httpPort });
});
afterAll(async () => {
  await plane.close();
  rmSync(join(folder, '..'), { recursive: true });
});

const publicHost = { host: 'gateway.example.com' };

describe('the page of the console', () => {
  it('is filled with its path and a new nonce for each request, and is never stored', async () => {
    const [one, two] = [await browser.get('/console/'), await browser.get('/console/')];
    expect(one.status).toBe(200);
    expect(one.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(one.headers.get('cache-control')).toBe('no-store');
    const nonce = /nonce="([\w-]{22})"/.exec(one.body)?.[1];
    expect(one.headers.get('content-security-policy')).toContain(`style-src 'self' 'nonce-${nonce}'`);
    expect(one.body).toContain('<base href="/console/">');
    expect(two.body).not.toContain(String(nonce));
  });

  it('has the path of the public URL behind a prefix, and strict transport there only', async () => {
    const outside = await browser.get('/console/keys', publicHost);
    expect(outside.body).toContain('<base href="/gw/console/">');
    expect(outside.headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect((await browser.get('/console/keys')).headers.has('strict-transport-security')).toBe(false);
  });

  it('lets nothing but its own scripts run and no other page frame it', async () => {
    const { headers } = await browser.get('/console/');
    expect(headers.get('content-security-policy')?.replace(/'nonce-[\w-]+'/, "'nonce-…'")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-…'; img-src 'self' data:; font-src 'self'; " +
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'self'; require-trusted-types-for 'script'",
    );
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
    });
    expect(headers.has('access-control-allow-origin')).toBe(false);
  });

  it.each(['/console/', '/console/settings/access', '/console/keys?after=x', '/console/%2e%2e/x'])(
    'is at %s',
    async (path) => {
      const response = await browser.get(path);
      expect([response.status, response.body.slice(0, 15)]).toEqual([200, index.slice(0, 15)]);
    },
  );

  it.each([
    ['/', 'console/'],
    ['/console', 'console/'],
  ])('is where %s leads', async (path, location) => {
    const response = await browser.get(path);
    expect([response.status, response.headers.get('location')]).toEqual([302, location]);
  });

  it.each(['evil.example.com', '169.254.169.254', 'gateway.example.com.evil.example', 'localhost.evil.example'])(
    'is not served as %s',
    async (host) => {
      for (const path of ['/', '/console/', '/console/assets/main-1a2b.js']) {
        expect((await browser.get(path, { host })).status).toBe(403);
      }
      expect((await browser.post('/console/auth/token', {}, { host })).status).toBe(403);
    },
  );

  it('is only read', async () => {
    const response = await browser.send('DELETE', '/console/');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const head = await fetch(`http://${browser.host}/console/`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe('an asset of the console', () => {
  const path = '/console/assets/main-1a2b.js';

  it.each([
    ['br, gzip', 'br', 'brotli'],
    ['gzip, deflate', 'gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip', 'gzip'],
    ['identity', undefined, 'plain();'],
    ['', undefined, 'plain();'],
  ])('is sent to a browser that accepts "%s" as %s', async (accepted, encoding, body) => {
    const response = await browser.get(path, { 'accept-encoding': accepted });
    expect([response.status, response.headers.get('content-encoding'), response.body]).toEqual([200, encoding, body]);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('vary')).toBe('accept-encoding');
  });

  it('is sent plain where no compressed form was built', async () => {
    const response = await browser.get('/console/assets/style.css', { 'accept-encoding': 'br, gzip' });
    expect([response.status, response.body]).toEqual([200, 'a{}']);
    expect(response.headers.has('content-encoding')).toBe(false);
  });

  it.each([
    ...['/console/assets/../secret.js', '/console/assets/..%2fsecret.js', '/console/assets/%2e%2e/secret.js'],
    ...['/console/assets/..%5csecret.js', '/console/assets/../../secret.js', '/console/assets/....//secret.js'],
    ...['/console/assets//secret.js', '/console/assets/%00main-1a2b.js', '/console/assets/.hidden.js'],
    ...['/console/secret.js', '/console/../secret.js', '/console/assets/main-1a2b.js.br', '/console/assets/folder.js'],
    ...['/console/assets/', '/console/assets/missing.js', '/console/index.html', '/console//../secret.js'],
  ])('is not what %s names', async (hostile) => {
    const response = await browser.get(hostile);
    expect(response.body).not.toContain(secret);
    expect(response.status).toBe(404);
  });
});

describe('a control plane without the console', () => {
  it('serves none of its paths if it is off', async () => {
    const off = await startOperatorsPlane({ env: { GATEWAY_CONSOLE: 'off' } });
    try {
      const away = new ConsoleBrowser({ port: off.plane.httpPort });
      const statuses = await Promise.all(
        ['/', '/console', '/console/'].map(async (path) => (await away.get(path)).status),
      );
      expect(statuses).toEqual([404, 404, 404]);
      expect((await away.post('/console/auth/token')).status).toBe(404);
    } finally {
      await off.close();
    }
  });

  it('says which command builds it', async () => {
    const bare = await startOperatorsPlane({
      consoleFolder: join(folder, 'none'),
      env: { GATEWAY_CONSOLE_PATH: '/ui/' },
    });
    try {
      const away = new ConsoleBrowser({ port: bare.plane.httpPort });
      const { status, body, headers } = await away.get('/ui/');
      expect(status).toBe(503);
      expect(body).toContain('npm --prefix console ci');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect((await away.get('/console/')).status).toBe(404);
    } finally {
      await bare.close();
    }
  });
});
