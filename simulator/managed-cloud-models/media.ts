// Images and documents: their number, size and names, and whether the bytes match the declared format.
import { isObject, type Json } from '../checks.ts';
import { invalid, modelRefuses } from './refusal.ts';
import { allBlocksOf, blocksOfKind, type ConverseRequest, type PlacedBlock } from './request.ts';

const imagesMax = 20;
const imageBytesMax = 3.75 * 1024 * 1024;
const documentsMax = 5;
const documentBytesMax = 4.5 * 1024 * 1024;

export function imagesFit(request: ConverseRequest): void {
  for (const message of request.messages) {
    if (blocksOfKind(message, 'image').length > imagesMax) {
      throw invalid(`A message can't contain more than ${imagesMax} images. Remove images and retry your request.`);
    }
  }
  for (const block of allBlocksOf(request)) {
    if (block.kind === 'image') checkImage(request, block);
  }
}

function checkImage({ model }: ConverseRequest, { value, path }: PlacedBlock): void {
  const { format, source } = value as { readonly format: string; readonly source: Json };
  const bytes = bytesOf(source);
  if (bytes === undefined) return;
  if (bytes.length > imageBytesMax) {
    throw modelRefuses(
      `${path}.image.source.base64: image exceeds 3.75 MB maximum: ${bytes.length} bytes > ${imageBytesMax} bytes`,
    );
  }
  const actual = imageFormat(bytes);
  if (actual === format) return;
  if (model.family !== 'claude') {
    throw modelRefuses('The provided image does not match the specified image format.');
  }
  if (actual === undefined) throw modelRefuses('Could not process image');
  throw modelRefuses(
    `${path}.image.source.base64: The image was specified using the image/${format} media type, but the image appears to be a image/${actual} image`,
  );
}

function imageFormat(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif';
  return /^RIFF.{4}WEBP$/s.test(head) ? 'webp' : undefined;
}

export function documentsFit(request: ConverseRequest): void {
  const names = new Set<string>();
  for (const message of request.messages) {
    const documents = blocksOfKind(message, 'document');
    if (documents.length > documentsMax) {
      throw invalid(
        `A message can't contain more than ${documentsMax} documents. Remove documents and retry your request.`,
      );
    }
    if (documents.length > 0 && !message.content.some(({ text }) => typeof text === 'string')) {
      throw invalid('A text block must be included when using documents.');
    }
  }
  for (const { kind, value } of allBlocksOf(request)) {
    if (kind !== 'document' || !isObject(value)) continue;
    checkDocument(value);
    const name = String(value.name);
    if (names.has(name)) {
      throw invalid("Messages can't contain duplicate document names. Rename the document and retry your request.");
    }
    names.add(name);
  }
}

function checkDocument({ name, source }: Json): void {
  // Users report that the vendor accepts an underscore, but its documentation allows only these characters.
  if (!/^(?!.* {2})[a-zA-Z0-9 ()[\]-]+$/.test(String(name))) {
    throw invalid(
      "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character. Check that the file name conforms to these restrictions and retry your request.",
    );
  }
  const bytes = bytesOf(source as Json);
  if (bytes !== undefined && bytes.length > documentBytesMax) {
    throw invalid('The maximum document size is 4.5 MB. Reduce the size of the document and retry your request.');
  }
}

function bytesOf(source: Json): Buffer | undefined {
  return typeof source.bytes === 'string' ? Buffer.from(source.bytes, 'base64') : undefined;
}
