// Reads Parquet files that AWS exports (the only importer of hyparquet): one row group at a time, and only the wanted
// columns.
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { Failure } from '../failure.ts';

/** Maximum of rows in memory. */
const rowsMax = 50_000;

/** @param wanted all names under which the file may have the columns; missing columns are omitted. @throws Failure */
export async function* readParquet(
  file: string,
  wanted: ReadonlySet<string>,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  try {
    const buffer = await asyncBufferFromFile(file);
    const metadata = await parquetMetadataAsync(buffer);
    const names = parquetSchema(metadata).children.map(({ element }) => element.name);
    const columns = names.filter((name) => wanted.has(name));
    const rows = Number(metadata.num_rows);
    for (let rowStart = 0; rowStart < rows; rowStart += rowsMax) {
      const rowEnd = Math.min(rows, rowStart + rowsMax);
      yield* await parquetReadObjects({ file: buffer, metadata, columns, rowStart, rowEnd });
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      'usage',
      `${file} cannot be read as Parquet: ${error instanceof Error ? error.message : 'unknown'}`,
    );
  }
}
