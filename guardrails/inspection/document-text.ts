// Texts that come as files: `data:text/plain;base64,…` and the like. Models read them as they read any text, so they are inspected as
// such; what is replaced in them is encoded again. Whatever is text in UTF-8 is opened, because each vendor has a list of its own of
// types that it reads as text; pictures, sounds and PDF files are not, and office documents and archives are no UTF-8.
import { isUtf8 } from 'node:buffer';
import { plainBase64 } from '../../common/plain-base64.ts';

/** SVG is a picture in words. */
const unopened = /^(?:image\/(?!svg)|audio\/|video\/|application\/pdf$)/i;

/**
 * @param put what stands in place of the file's text
 * @returns the very same data URL where that is the same; undefined for what is no text in UTF-8
 */
export function mapDocumentText(dataUrl: string, put: (text: string) => string): string | undefined {
  if (!/^data:/i.test(dataUrl)) return undefined;
  const comma = dataUrl.indexOf(',');
  const [mediaType = '', ...parameters] = dataUrl.slice('data:'.length, Math.max(comma, 0)).split(';');
  if (unopened.test(mediaType.trim()) || !/^\s*base64\s*$/i.test(parameters.at(-1) ?? '')) return undefined;
  const base64 = plainBase64(dataUrl.slice(comma + 1));
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString();
  const left = put(text);
  return left === text ? dataUrl : dataUrl.slice(0, comma + 1) + Buffer.from(left).toString('base64');
}
