// Logs in through a browser: the console signs the person in and has them approve this program. Either the browser comes
// back to a port of this machine, which only this machine reaches, with a code that is bound to a secret of this program
// (PKCE); or, with --device, the person types a code in a browser anywhere (RFC 8628).
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isWellFormedCredential } from '../common/credential.ts';
import type { JsonObject } from '../common/json.ts';
import { Secret } from '../common/secret.ts';
import { CallFailure } from './call-failure.ts';
import { type ConsoleCall, callConsole } from './console-api.ts';
import { Failure } from './failure.ts';
import type { Io } from './io.ts';

export interface IssuedLogin {
  readonly token: Secret;
  /** For revoking it. */
  readonly tokenId: string;
}

export type BrowserLogin = Omit<ConsoleCall, 'path' | 'body'>;

const waitMs = 5 * 60_000;

/** @throws Failure, CallFailure */
export async function loginByBrowser(login: BrowserLogin, io: Io): Promise<IssuedLogin> {
  const [verifier, state] = [random(), random()];
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const listening = await listen(state);
  try {
    // Segments alone: the page returns here after a sign-in at an issuer.
    const path = ['program', listening.port, challenge, state, programName()].join('/');
    const url = new URL(path, login.base).href;
    io.say(`open this address in a browser of this machine, if it does not open:\n${url}`);
    if (io.interactive) openBrowser(url, io.env);
    const code = await listening.code;
    return issuedLogin(await callConsole({ ...login, path: 'auth/exchange', body: { code, verifier } }));
  } finally {
    listening.close();
  }
}

/** @throws Failure, CallFailure */
export async function loginByDevice(login: BrowserLogin, io: Io): Promise<IssuedLogin> {
  const started = await callConsole({ ...login, path: 'auth/device', body: { name: programName() } });
  const { deviceCode, userCode, verificationUri, interval, expiresIn } = started;
  io.say(`open ${String(verificationUri)} in any browser and type the code ${String(userCode)}`);
  const until = Date.now() + Number(expiresIn) * 1000;
  let pauseMs = Number(interval) * 1000;
  while (Date.now() < until) {
    await sleep(pauseMs);
    try {
      return issuedLogin(await callConsole({ ...login, path: 'auth/exchange', body: { deviceCode } }));
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      if (error.reason === 'slow_down') pauseMs += 5000;
      else if (error.reason !== 'authorization_pending') throw error;
    }
  }
  throw new Failure('unauthenticated', 'nobody typed the code in time; run gatewayctl login again');
}

function issuedLogin({ token, tokenId }: JsonObject): IssuedLogin {
  if (typeof token === 'string' && typeof tokenId === 'string' && isWellFormedCredential('operator', token)) {
    return { token: new Secret(token), tokenId };
  }
  throw new Failure('unreachable', 'the console returned no token of an operator');
}

function random(): string {
  return randomBytes(32).toString('base64url');
}

/** What the person sees, of characters that a path of the console may have. */
function programName(): string {
  return `gatewayctl-on-${hostname()}`.replaceAll(/[^A-Za-z0-9-]/g, '-').slice(0, 64);
}

interface Listening {
  readonly port: number;
  /** Rejects after five minutes, and if the person refuses. */
  readonly code: Promise<string>;
  close(): void;
}

/** Takes the first request that has the state; others learn nothing and change nothing. */
async function listen(state: string): Promise<Listening> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const code = received(server, state, port);
  // Closing before the code arrives is no failure of its own.
  code.catch(() => undefined);
  return {
    port,
    code,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function received(server: Server, state: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Failure('unauthenticated', 'nobody approved it in the browser within five minutes'));
    }, waitMs);
    server.once('close', () => clearTimeout(timer));
    server.on('request', ({ url = '', headers }, response) => {
      const at = new URL(url, `http://127.0.0.1:${port}`);
      const isMine =
        headers.host === `127.0.0.1:${port}` && at.pathname === '/' && at.searchParams.get('state') === state;
      const text = isMine ? 'You can close this page and return to the terminal.' : 'This is not the login that waits.';
      response.writeHead(isMine ? 200 : 400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      response.end(`${text}\n`, () => {
        if (!isMine) return;
        const given = at.searchParams.get('code');
        if (given === null) reject(new Failure('unauthenticated', 'the person refused it in the browser'));
        else resolve(given);
      });
    });
  });
}

/** Where no browser starts, the address is in the terminal. */
function openBrowser(url: string, env: NodeJS.ProcessEnv): void {
  const command = env.BROWSER || { darwin: 'open', win32: 'explorer' }[String(process.platform)] || 'xdg-open';
  const started = spawn(command, [url], { stdio: 'ignore', detached: true });
  started.once('error', () => undefined);
  started.unref();
}
