// Fetching images by URL, over real sockets: valid images, failures, and addresses that are never called.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { InlineData } from '../../../../proxy/conversation/media.ts';
import { LoopScheduler } from '../../../../proxy/loop-scheduler.ts';
import { fetchImages, type ImageLimits } from '../../../../proxy/upstream/images.ts';
import { someOwner, transportTo } from '../../../support/transports.ts';

const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(92, 1)]);
const limits: ImageLimits = { imagesMax: 16, imageBytesMax: 10_000, imageTimeoutMs: 5_000 };
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/**
 * A server that the address policy of these tests allows, because https and public addresses are not available here.
 */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Fetching {
  readonly images: Promise<ReadonlyMap<string, InlineData>>;
  readonly buffered: () => number;
  abort(error: Error): void;
}

function start(urls: readonly string[], listed: readonly string[], own: Partial<ImageLimits> = {}): Fetching {
  const transport = transportTo(listed);
  closers.push(() => transport.close());
  let buffered = 0;
  let abort = (_error: Error): void => undefined;
  const images = fetchImages(
    urls,
    { transport, limits: { ...limits, ...own }, loop: new LoopScheduler({ now: () => performance.now() }) },
    {
      owner: someOwner,
      buffer: (bytes) => {
        buffered += bytes;
      },
      onAbort: (fetching) => {
        abort = (error) => fetching.abort(error);
      },
    },
  );
  return { images, buffered: () => buffered, abort: (error) => abort(error) };
}

const refusal = (message: RegExp) =>
  expect.objectContaining({
    code: 'invalid_request',
    param: 'messages',
    message: expect.stringMatching(message),
  });

describe('fetched images', () => {
  it('are fetched once each, and have the type of their bytes', async () => {
    const requested: string[] = [];
    const host = await serve((request, response) => {
      requested.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'text/html' }).end(png);
    });
    const [first, second] = [`http://${host}/a?sig=1`, `http://${host}/b`];
    const fetching = start([first, second, first], [host]);
    const images = await fetching.images;
    expect([...images.keys()].toSorted()).toEqual([first, second]);
    for (const { mediaType, base64 } of images.values())
      expect({ mediaType, base64 }).toEqual({ mediaType: 'image/png', base64: png.toString('base64') });
    expect(requested.sort()).toEqual(['/a?sig=1', '/b']);
    expect(fetching.buffered()).toBe(2 * png.length);
  });

  it('are fetched over at most three redirects', async () => {
    const host = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end(png);
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect((await start([`http://${host}/3`], [host]).images).size).toBe(1);
    await expect(start([`http://${host}/4`], [host]).images).rejects.toEqual(refusal(/redirected too often/));
  });

  it.each<[string, RequestListener, RegExp]>([
    ['a status', (_request, response) => response.writeHead(404).end(), /responded with status 404/],
    ['no image', (_request, response) => response.end('<html>'), /no PNG, JPEG, GIF or WebP/],
    ['nothing', (_request, response) => response.end(), /no PNG, JPEG, GIF or WebP/],
    [
      'a response that is cut off',
      (_request, response) =>
        void response.writeHead(200, { 'content-length': '900' }).write(png, () => response.destroy()),
      /could not be fetched/,
    ],
    [
      'an odd redirect',
      (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      /no?t an https URL/,
    ],
  ])('are refused with a message when the server returns %s', async (_what, listener, message) => {
    const host = await serve(listener);
    await expect(start([`http://${host}/x?secret=1`], [host]).images).rejects.toEqual(refusal(message));
    await expect(start([`http://${host}/x?secret=1`], [host]).images).rejects.not.toThrow(/secret/);
  });

  it('are refused when their total size exceeds the limit', async () => {
    const host = await serve((_request, response) => response.end(Buffer.concat([png, Buffer.alloc(6_000)])));
    const urls = [`http://${host}/1`, `http://${host}/2`];
    await expect(start(urls, [host]).images).rejects.toEqual(refusal(/larger than 10000 bytes together/));
    expect((await start(urls.slice(1), [host]).images).size).toBe(1);
  });

  it('are limited in number', () => {
    const urls = Array.from({ length: 17 }, (_, i) => `https://example.com/${i}`);
    expect(() => start(urls, [])).toThrow(refusal(/at most 16 images/));
  });

  it('are refused when they take too long, and their connections are closed', async () => {
    const left: Promise<unknown>[] = [];
    const host = await serve((_request, response) => {
      left.push(once(response, 'close'));
      response.writeHead(200).flushHeaders();
    });
    const fetching = start([`http://${host}/slow`], [host], { imageTimeoutMs: 50 });
    await expect(fetching.images).rejects.toEqual(refusal(/took too long/));
    expect(left.length).toBe(1);
    await Promise.all(left);
  });

  it('are aborted with their request', async () => {
    const pending = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const host = await serve((_request, response) => {
      response.once('close', () => left.resolve());
      pending.resolve();
    });
    const fetching = start([`http://${host}/slow`], [host]);
    await pending.promise;
    const gone = new Error('the client left');
    fetching.abort(gone);
    await expect(fetching.images).rejects.toBe(gone);
    await left.promise;
  });
});

describe('an image is never fetched from', () => {
  it.each([
    'http://127.0.0.1/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0.0.0.0/',
    'https://localhost/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'http://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::]/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
  ])('the address %s', async (url) => {
    await expect(start([url], []).images).rejects.toEqual(refusal(/public https address/));
  });

  it.each(['https://user:word@example.com/', 'ftp://example.com/', 'https://', 'gopher://x/', 'file:///etc/passwd'])(
    'a URL that is no plain https URL: %s',
    async (url) => {
      await expect(start([url], []).images).rejects.toEqual(refusal(/not an https URL|contains credentials/));
    },
  );

  it('a private address to which a public one redirects', async () => {
    const reached: string[] = [];
    const inner = await serve((request, response) => {
      reached.push(request.url ?? '');
      response.end(png);
    });
    for (const location of [`http://${inner}/x`, `https://${inner}/x`, `http://localhost:${inner.split(':')[1]}/x`]) {
      const outer = await serve((_request, response) => response.writeHead(302, { location }).end());
      await expect(start([`http://${outer}/`], [outer]).images).rejects.toEqual(refusal(/public https address/));
    }
    expect(reached).toEqual([]);
  });
});
