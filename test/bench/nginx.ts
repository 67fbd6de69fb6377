// nginx in two roles: the upstream with a canned completion, and the yardstick "limit", a reverse proxy with
// keep-alive.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../support/containers.ts';
import { freePort } from '../support/process.ts';
import { cannedUpstreams } from './canned.ts';
import { type Pinned, startPinned } from './cores.ts';

export interface Nginx extends Pinned {
  readonly port: number;
}

/** Under this path the same responses take about two seconds. */
export const slowPath = '/slow';
const slowBytesPerSecond = 250;

/** Responds to every request with the canned completion of the vendor in its path, about 700 bytes. */
export async function startUpstream(core: number): Promise<Nginx> {
  const port = await freePort();
  const locations = cannedUpstreams.flatMap(({ path, response }) => {
    const respondDirective = `default_type application/json; return 200 '${JSON.stringify(response)}';`;
    const slowly = `limit_rate ${slowBytesPerSecond};`;
    return [
      `location ${path} { ${respondDirective} }`,
      `location ${slowPath}${path} { ${slowly} ${respondDirective} }`,
    ];
  });
  return startNginx(core, port, `server { listen 127.0.0.1:${port}; ${locations.join(' ')} }`);
}

export async function startLimit(core: number, upstreamPort: number): Promise<Nginx> {
  const port = await freePort();
  const upstream = `upstream canned { server 127.0.0.1:${upstreamPort}; keepalive 512; keepalive_requests 1000000000; }`;
  const proxy = 'proxy_pass http://canned; proxy_http_version 1.1; proxy_set_header Connection "";';
  return startNginx(core, port, `${upstream} server { listen 127.0.0.1:${port}; location / { ${proxy} } }`);
}

async function startNginx(core: number, port: number, http: string): Promise<Nginx> {
  const program = findProgram('nginx', ['/usr/sbin']);
  if (program === undefined) throw new Error('the benchmark needs nginx: apt-get install nginx');
  const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => {
    mkdirSync(join(directory, kind));
    return `${kind}_temp_path ${join(directory, kind)};`;
  });
  const config = `
    daemon off; master_process off; pid ${join(directory, 'pid')}; error_log stderr error;
    events { worker_connections 8192; }
    http {
      access_log off; keepalive_requests 1000000000; client_max_body_size 64m; client_body_buffer_size 1m;
      ${temporary.join(' ')}
      ${http}
    }`;
  writeFileSync(join(directory, 'nginx.conf'), config);
  const child = await startPinned(core, port, [program, '-c', join(directory, 'nginx.conf'), '-p', directory]);
  const stop = async () => {
    await child.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { ...child, stop, port };
}
