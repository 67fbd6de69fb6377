// The console's files on disk: from the source tree in console/dist, beside a bundle in the folder `console`. Assets are
// streamed, compressed by the build, and never in memory. Their names are one segment of harmless characters, so no path
// leads out of their folder.
import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Site } from '../auth/site.ts';
import { CallError } from '../rpc/errors.ts';
import { type Exchange, single } from '../rpc/http-request.ts';
import { consoleHeaders } from './headers.ts';

/** Looked up again each time, because the console may be built while the program runs. */
export function consoleFolder(): string {
  const beside = join(import.meta.dirname, 'console');
  return existsSync(beside) ? beside : join(import.meta.dirname, '../../console/dist');
}

/** The reader is cut when it takes nothing for this long. */
const stallMs = 60_000;
const namePattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}$/;

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/** Compressed forms beside each file, the smallest first. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

/** Sends a file of the build's assets. @throws CallError not_found, cancelled */
export async function sendAsset(folder: string, name: string, exchange: Exchange, site: Site): Promise<void> {
  const { request, response } = exchange;
  const type = types[extname(name)];
  if (type === undefined || !namePattern.test(name)) throw noFile();
  const found = await openAsset(join(folder, 'assets', name), single(request, 'accept-encoding') ?? '');
  try {
    const { size } = await found.file.stat();
    response.writeHead(200, {
      ...consoleHeaders(site),
      'content-type': type,
      'content-length': size,
      // The name contains a hash of the content.
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      ...(found.encoding !== undefined && { 'content-encoding': found.encoding }),
    });
    if (request.method === 'HEAD') return void response.end();
    response.setTimeout(stallMs, () => response.destroy());
    await pipeline(found.file.createReadStream({ autoClose: false }), response);
  } catch {
    throw new CallError('cancelled', 'the client left before the end');
  } finally {
    await found.file.close();
  }
}

interface OpenedAsset {
  readonly file: FileHandle;
  readonly encoding: string | undefined;
}

async function openAsset(path: string, accepted: string): Promise<OpenedAsset> {
  for (const { name, suffix } of encodings.filter((one) => accepts(accepted, one.name))) {
    const file = await openIfThere(path + suffix);
    if (file !== undefined) return { file, encoding: name };
  }
  const file = await openIfThere(path);
  if (file === undefined) throw noFile();
  return { file, encoding: undefined };
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined || (await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

/** Whether Accept-Encoding names the encoding with a weight above 0. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return name === encoding && !parameters.some((text) => /^q=0(\.0*)?$/.test(text));
  });
}

function noFile(): CallError {
  return new CallError('not_found', 'no such file');
}
