// A started Keycloak on this machine, and the parts of its admin API that the check uses.
import { randomBytes } from 'node:crypto';
import { isObject, parseJson } from '../../common/json.ts';
import { freePort, startProcess, until } from '../../test/support/process.ts';
import { javaArgs } from './install.ts';

export interface Keycloak {
  readonly port: number;
  /** Calls the admin API. @param path below "/admin/realms" @returns what it responds with; an object for nothing */
  admin(method: string, path: string, body?: object): Promise<unknown>;
  close(): Promise<unknown>;
}

const startMs = 300_000;

/** @throws Error if it does not start */
export async function startKeycloak(home: string): Promise<Keycloak> {
  const port = await freePort();
  const password = randomBytes(16).toString('hex');
  const listen = ['--http-enabled=true', '--http-host=127.0.0.1', `--http-port=${port}`, '--hostname-strict=false'];
  const child = startProcess('java', [...javaArgs(home), 'start', '--optimized', '--cache=local', ...listen], {
    env: { KC_BOOTSTRAP_ADMIN_USERNAME: 'admin', KC_BOOTSTRAP_ADMIN_PASSWORD: password },
    cwd: home,
  });
  const ended = child.exited.then((code) => {
    throw new Error(`Keycloak ended with ${code}: ${child.stdout().slice(-2000)}${child.stderr().slice(-2000)}`);
  });
  const base = `http://127.0.0.1:${port}`;
  const responds = () =>
    fetch(`${base}/realms/master`).then(
      ({ ok }) => ok,
      () => false,
    );
  await Promise.race([until(responds, { what: 'Keycloak to respond', timeoutMs: startMs }), ended]);
  return { port, admin: adminOf(base, password), close: () => child.stop() };
}

/** @returns calls of the admin API as its first administrator */
export function adminOf(base: string, password: string): Keycloak['admin'] {
  return async (method, path, body) => {
    const authorization = `Bearer ${await adminToken(base, password)}`;
    const response = await fetch(`${base}/admin/realms${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Keycloak: ${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return text === '' ? {} : parseJson(text);
  };
}

/** A new one for each call, because it works for a minute. */
async function adminToken(base: string, password: string): Promise<string> {
  const form = { grant_type: 'password', client_id: 'admin-cli', username: 'admin', password };
  const url = `${base}/realms/master/protocol/openid-connect/token`;
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
  const tokens = parseJson(await response.text());
  if (!isObject(tokens) || typeof tokens.access_token !== 'string') throw new Error('Keycloak admits no administrator');
  return tokens.access_token;
}
