// Reads the files that the keeper hands over: the sidecar's image, and the sizes that namespaces define. The files are
// in memory shared by both containers, and are read again when they change.
import { join } from 'node:path';
import { type FileWatcher, type FileWatcherOptions, readNamed, startFileWatcher } from '../common/file-watcher.ts';
import { decodeSizes, handOverFiles, type SizesByNamespace } from '../common/hand-over.ts';
import { isPlaceholderImage, placeholderProblem, sidecarImage } from '../common/sidecar-image.ts';
import { errorCode } from '../common/system-errors.ts';

export interface Handed {
  readonly image: HandedImage;
  /** Undefined: the keeper handed over nothing. */
  readonly namespaces: SizesByNamespace | undefined;
  close(): void;
}

export interface HandedImage {
  readonly image: string | undefined;
  /** One sentence on why there is no image. */
  readonly imageProblem: string | undefined;
}

/** @throws Error that names the invalid file */
export async function watchHanded(folder: string, options: FileWatcherOptions): Promise<Handed> {
  const image = await watchText(join(folder, handOverFiles.image), 'the sidecar’s image', {
    check: checkImage,
    options,
  });
  const sizes = await watchText(join(folder, handOverFiles.namespaces), 'the sizes that namespaces set', {
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
      // Decoded once per text, because it may be long and every review reads it.
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
  if (image === undefined) return { image, imageProblem: 'the keeper has not handed over the sidecar’s image yet' };
  if (isPlaceholderImage(image)) return { image: undefined, imageProblem: placeholderProblem(image) };
  return { image, imageProblem: undefined };
}

/** A placeholder is accepted here, because readiness reports it: the operator must fix another object, not this pod. */
function checkImage(image: string): void {
  if (!isPlaceholderImage(image)) sidecarImage(image);
}

interface Watching {
  /** @throws Error for an invalid text */
  check(text: string): void;
  readonly options: FileWatcherOptions;
}

/** Undefined if the file does not exist. */
async function watchText(
  file: string,
  what: string,
  { check, options }: Watching,
): Promise<FileWatcher<string | undefined>> {
  const read = async () => {
    const text = await readIfThere(file);
    if (text !== undefined) checked(text, { file, check });
    return text;
  };
  return startFileWatcher(await read(), { read, file, what }, options);
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
