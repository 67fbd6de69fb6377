// The one page of the console, filled for each request: where it is, and the nonce of its styles. Without a build it is a
// page that says which command makes one.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Site } from '../auth/site.ts';
import type { Exchange } from '../rpc/http-request.ts';
import { consoleHeaders } from './headers.ts';

/** Sends index.html with `{{base}}`, `{{nonce}}` and `{{playground}}` filled. */
export async function sendPage(folder: string, { request, response }: Exchange, site: Site): Promise<void> {
  const nonce = randomBytes(16).toString('base64url');
  const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined);
  const html =
    page
      ?.replaceAll('{{base}}', attribute(site.base))
      .replaceAll('{{nonce}}', nonce)
      .replaceAll('{{playground}}', attribute(site.playground ?? '')) ?? notBuilt;
  const bytes = Buffer.from(html);
  response.writeHead(page === undefined ? 503 : 200, {
    ...consoleHeaders(site, nonce),
    'content-type': 'text/html; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Model Gateway</title>
<h1>The console is not built</h1>
<p>The gateway runs, and its API and <code>gatewayctl</code> work. Build the console in the gateway's folder:</p>
<pre>npm --prefix console ci &amp;&amp; npm --prefix console run build</pre>
<p>Then load this page again.</p>
</html>
`;

/** A URL, or a path of it, as the value of an attribute. */
function attribute(path: string): string {
  return path.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
