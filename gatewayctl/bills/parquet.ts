// Parquet files, as AWS exports them (this program's only hyparquet): a row group at a time, and of it the wanted columns alone.
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { Failure } from '../failure.ts';

/** Rows in memory at a time. */
const rowsMax = 50_000;

/** @param wanted columns by the names that the file may have them under; those that it lacks are left out. @throws Failure */
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
