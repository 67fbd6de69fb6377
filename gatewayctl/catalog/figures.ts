// What figures come from: a file in the catalog's own form, LiteLLM's public list of prices, or the catalog that is shipped.
import { parsedJson, readCatalogBytes } from '../../catalog/file.ts';
import { shippedContent } from '../../catalog/in-force.ts';
import { isLitellmList, rowsOfLitellm } from '../../catalog/litellm.ts';
import { type CatalogContent, parseCatalog } from '../../catalog/parse.ts';
import type { Figures } from '../../catalog/update.ts';
import { usageMistake } from '../failure.ts';

export interface ListOptions {
  /** The day that the list was taken, YYYY-MM-DD. */
  readonly asOf: string;
  /** What the catalog calls it. */
  readonly source: string;
}

/** @param options of a list that does not say them itself @throws Failure */
export async function readFigures(file: string, { asOf, source }: ListOptions): Promise<Figures> {
  const value = await readJson(file);
  if (!isLitellmList(value)) return { ...(await parsed(value, file)), isWhole: true };
  const sources = { [source]: `BerriAI/litellm (MIT), model_prices_and_context_window.json as of ${asOf}` };
  return { asOf, sources, models: rowsOfLitellm(value, asOf, source), isWhole: false };
}

/** @param file undefined: the catalog that is shipped @throws Failure */
export async function readCatalog(file: string | undefined): Promise<CatalogContent> {
  return file === undefined ? shippedContent : await parsed(await readJson(file), file);
}

async function readJson(file: string): Promise<unknown> {
  return await orMistake(async () => parsedJson(await readCatalogBytes(file), file));
}

function parsed(value: unknown, file: string): Promise<CatalogContent> {
  return orMistake(() => parseCatalog(value, file));
}

/** What is wrong with a file is for whoever named it to put right. @throws Failure */
export async function orMistake<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw usageMistake(error instanceof Error ? error.message : String(error));
  }
}
