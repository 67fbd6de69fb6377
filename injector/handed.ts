// What the keeper beside the injector hands over: the sidecar's image, and what namespaces say about sizes. Files in memory that
// both containers have; read again as certificates are.
import { join } from 'node:path';
import { type Reread, type RereadOptions, readNamed, reread } from '../common/file-watcher.ts';
import { decodeSizes, handOverFiles, type SizesByNamespace } from '../common/hand-over.ts';
import { isPlaceholderImage, placeholderProblem, sidecarImage } from '../common/sidecar-image.ts';
import { errorCode } from '../common/system-errors.ts';

export interface Handed {
  readonly image: HandedImage;
  /** Undefined: nothing was handed over. */
  readonly namespaces: SizesByNamespace | undefined;
  close(): void;
}

export interface HandedImage {
  readonly image: string | undefined;
  /** Why there is none, in a sentence. */
  readonly imageProblem: string | undefined;
}

/** @throws Error that names a file that cannot be used */
export async function watchHanded(folder: string, options: RereadOptions): Promise<Handed> {
  const image = await watchText(join(folder, handOverFiles.image), 'the sidecar’s image', {
    check: checkImage,
    options,
  });
  const sizes = await watchText(join(folder, handOverFiles.namespaces), 'what namespaces say about sizes', {
    check: (text) => void decodeSizes(text),
    options,
  });
  let decoded: { readonly text: string; readonly sizes: SizesByNamespace } | undefined;
  return {
    get image() {
      return imageIn(image.current);
    },
    get namespaces() {
      const text = sizes.current;
      if (text === undefined) return undefined;
      // Once for each text: it may be long, and every review asks.
      if (decoded?.text !== text) decoded = { text, sizes: decodeSizes(text) };
      return decoded.sizes;
    },
    close: () => {
      image.close();
      sizes.close();
    },
  };
}

function imageIn(image: string | undefined): HandedImage {
  if (image === undefined)
    return { image, imageProblem: 'the keeper has not handed over the sidecar’s image yet' };
  if (isPlaceholderImage(image)) return { image: undefined, imageProblem: placeholderProblem(image) };
  return { image, imageProblem: undefined };
}

/** The placeholder is told by readiness, not refused here: whoever mends it mends another object than this pod. */
function checkImage(image: string): void {
  if (!isPlaceholderImage(image)) sidecarImage(image);
}

interface Watching {
  /** @throws Error for a text that cannot be used */
  check(text: string): void;
  readonly options: RereadOptions;
}

/** Undefined: there is no such file. */
async function watchText(
  file: string,
  what: string,
  { check, options }: Watching,
): Promise<Reread<string | undefined>> {
  const read = async () => {
    const text = await readIfThere(file);
    if (text !== undefined) checked(text, { file, check });
    return text;
  };
  return reread(await read(), { read, file, what }, options);
}

function checked(text: string, { file, check }: { file: string; check(text: string): void }): void {
  try {
    check(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'cannot be read';
    throw new Error(`the file ${file} ${why}`, { cause });
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readNamed(file)).toString('utf8').trim();
  } catch (error) {
    if (error instanceof Error && errorCode(error.cause) === 'ENOENT') return undefined;
    throw error;
  }
}
