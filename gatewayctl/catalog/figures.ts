// Sources of new prices: a file in the catalog's form, LiteLLM's public price list, or the shipped catalog.
import { parsedJson, readCatalogBytes } from '../../catalog/file.ts';
import { shippedContent } from '../../catalog/in-force.ts';
import { isLitellmList, rowsOfLitellm } from '../../catalog/litellm.ts';
import { type CatalogContent, parseCatalog } from '../../catalog/parse.ts';
import type { Figures } from '../../catalog/update.ts';
import { usageMistake } from '../failure.ts';

export interface ListOptions {
  /** The day on which the list was downloaded, YYYY-MM-DD. */
  readonly asOf: string;
  /** The name of the source in the catalog. */
  readonly source: string;
}

/**
 * @param options used for a list that does not contain these facts
 * @throws Failure
 */
export async function readFigures(file: string, { asOf, source }: ListOptions): Promise<Figures> {
  const value = await readJson(file);
  if (!isLitellmList(value)) return { ...(await parsed(value, file)), isWhole: true };
  const sources = { [source]: `BerriAI/litellm (MIT), model_prices_and_context_window.json as of ${asOf}` };
  return { asOf, sources, models: rowsOfLitellm(value, asOf, source), isWhole: false };
}

/**
 * @param file undefined: the shipped catalog
 * @throws Failure
 */
export async function readCatalog(file: string | undefined): Promise<CatalogContent> {
  return file === undefined ? shippedContent() : await parsed(await readJson(file), file);
}

async function readJson(file: string): Promise<unknown> {
  return await orMistake(async () => parsedJson(await readCatalogBytes(file), file));
}

function parsed(value: unknown, file: string): Promise<CatalogContent> {
  return orMistake(() => parseCatalog(value, file));
}

/** Turns an error into a usage mistake, because the user who named the file has to fix it. @throws Failure */
export async function orMistake<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw usageMistake(error instanceof Error ? error.message : String(error));
  }
}
