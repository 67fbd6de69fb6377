// Images and documents: their bytes must match their declared type, and URLs must be https.
import { anything, arrayOf, boolean, type Check, nullable, object, string, stringOr } from '../checks.ts';
import { choice, union, vendorPath } from './fields.ts';
import { badRequest, Refusal } from './refusal.ts';

const imageBytesMax = 5 * 1024 * 1024;

/** The first bytes of each kind, in hexadecimal. */
const beginnings: Readonly<Record<string, RegExp>> = {
  'image/jpeg': /^ffd8ff/,
  'image/png': /^89504e470d0a1a0a/,
  'image/gif': /^47494638(37|39)61/,
  'image/webp': /^52494646.{8}57454250/,
};

const url: Check = (value, path) => {
  string()(value, path);
  if (URL.canParse(value as string) && /^https:\/\//i.test(value as string)) return;
  throw badRequest(`${vendorPath(path)}: Only HTTPS URLs are supported.`);
};

const urlSource = object({ type: anything, url });

// Files are uploaded through another API; the simulator stores none.
const fileSource: Check = (value, path) => {
  object({ type: anything, file_id: string({ min: 1 }) })(value, path);
  throw new Refusal(404, `File not found: ${(value as { file_id: string }).file_id}`);
};

const base64Image: Check = (value, path) => {
  object({ type: anything, media_type: choice(...Object.keys(beginnings)), data: string() })(value, path);
  const { media_type, data } = value as { media_type: string; data: string };
  const bytes = decoded(data, path);
  if (bytes.length > imageBytesMax) {
    throw badRequest(`${vendorPath(path)}: image exceeds 5 MB maximum: ${bytes.length} bytes > ${imageBytesMax} bytes`);
  }
  const start = bytes.toString('hex', 0, 16);
  const actual = Object.keys(beginnings).find((type) => beginnings[type]?.test(start));
  if (actual === undefined) throw badRequest('Could not process image');
  if (actual === media_type) return;
  throw badRequest(
    `${vendorPath(path)}.data: The image was specified using the ${media_type} media type, but the image appears to be a ${actual} image`,
  );
};

const base64Pdf: Check = (value, path) => {
  object({ type: anything, media_type: choice('application/pdf'), data: string() })(value, path);
  const bytes = decoded((value as { data: string }).data, path);
  if (!bytes.toString('latin1', 0, 1024).includes('%PDF-')) {
    throw badRequest(`${vendorPath(path)}: The PDF specified was not valid.`);
  }
};

function decoded(data: string, path: string): Buffer {
  const bytes = Buffer.from(data, 'base64');
  if (data !== '' && bytes.toString('base64').replace(/=+$/, '') === data.replace(/=+$/, '')) return bytes;
  throw badRequest(`${vendorPath(path)}: invalid base64 data`);
}

/** @param cached the field `cache_control`, which most blocks accept */
export function image(cached: Readonly<Record<string, Check>>): Check {
  return object(
    { type: anything, source: union({ base64: base64Image, url: urlSource, file: fileSource }) },
    { ...cached, transformations: nullable(object({}, { oversized_image: choice('downsize', 'error') })) },
  );
}

export const citations = nullable(object({}, { enabled: boolean }));

/** @param parts check of a document's content: texts and images */
export function document(cached: Readonly<Record<string, Check>>, parts: Check): Check {
  const sources = {
    base64: base64Pdf,
    text: object({ type: anything, media_type: choice('text/plain'), data: string() }),
    content: object({ type: anything, content: stringOr(arrayOf(parts)) }),
    url: urlSource,
    file: fileSource,
  };
  return object(
    { type: anything, source: union(sources) },
    { ...cached, citations, context: nullable(string()), title: nullable(string()) },
  );
}
