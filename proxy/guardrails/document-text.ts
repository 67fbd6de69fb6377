// Texts that come as files: `data:text/plain;base64,…` and the like. Models read them as they read any text, so they are inspected as
// such; what is replaced in them is encoded again. Other files (PDF, office documents, archives) are not opened.
import { isUtf8 } from 'node:buffer';
import { plainBase64 } from '../chat/media.ts';

const head =
  /^data:(?:text\/[a-z0-9.+-]+|application\/(?:json|xml|yaml|x-yaml|javascript|x-javascript|x-python))(?:;[^,]{0,200})?;base64,/i;

/**
 * @param put what stands in place of the file's text
 * @returns the very same data URL where that is the same; undefined for what is no text in UTF-8
 */
export function mapDocumentText(dataUrl: string, put: (text: string) => string): string | undefined {
  const found = head.exec(dataUrl.slice(0, 512))?.[0];
  const base64 = found === undefined ? undefined : plainBase64(dataUrl.slice(found.length));
  if (found === undefined || base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString();
  const left = put(text);
  return left === text ? dataUrl : found + Buffer.from(left).toString('base64');
}
