// A browser at the console, as far as the control plane sees one: a cookie jar, and the headers of a page's requests.
import { openConnection, type RawResponse } from './raw-http.ts';

export interface BrowserOptions {
  readonly port: number;
  /** Default: 127.0.0.1 with the port. */
  readonly host?: string;
}

export type Headers = Readonly<Record<string, string | undefined>>;

export class ConsoleBrowser {
  readonly #options: BrowserOptions;
  /** `name=value` of the console's cookie; undefined without one. */
  cookie: string | undefined;
  /** The last Set-Cookie header. */
  setCookie: string | undefined;

  constructor(options: BrowserOptions) {
    this.#options = options;
  }

  get host(): string {
    return this.#options.host ?? `127.0.0.1:${this.#options.port}`;
  }

  /** A request byte by byte. @param headers undefined removes a header */
  async send(method: string, path: string, { body = '', headers = {} }: { body?: string; headers?: Headers } = {}) {
    const all: Headers = {
      host: this.host,
      ...(this.cookie !== undefined && { cookie: this.cookie }),
      ...(method === 'POST' && { 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    };
    const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`));
    const connection = await openConnection(this.#options.port);
    try {
      connection.send(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
      const response = await connection.respond();
      this.#keepCookie(response);
      return response;
    } finally {
      connection.socket.destroy();
    }
  }

  get(path: string, headers: Headers = {}): Promise<RawResponse> {
    return this.send('GET', path, { headers });
  }

  /** As the page of the console does. */
  post(path: string, body: object = {}, headers: Headers = {}): Promise<RawResponse> {
    const own = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers };
    return this.send('POST', path, { body: JSON.stringify(body), headers: own });
  }

  /** A new access token. @throws Error unless it is signed in */
  async token(): Promise<string> {
    const response = await this.post('/console/auth/token');
    if (response.status !== 200) throw new Error(`auth/token: ${response.status} ${response.body}`);
    return JSON.parse(response.body).accessToken;
  }

  /** A call of the API as the page makes it. @returns status and JSON */
  async call(method: string, token: string | undefined, request: object = {}) {
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const path = `/gateway.v1.${method.replace('.', '/')}`;
    const { status, body } = await this.send('POST', path, { body: JSON.stringify(request), headers });
    return { status, json: JSON.parse(body) };
  }

  #keepCookie({ headers }: RawResponse): void {
    const set = headers.get('set-cookie');
    if (set === undefined) return;
    this.setCookie = set;
    const [pair = ''] = set.split(';');
    this.cookie = /Max-Age=0/.test(set) ? undefined : pair;
  }
}
