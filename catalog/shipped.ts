// The catalog that is shipped with the program. Read and checked once, when the program starts; a malformed row stops it there and
// never surfaces in a request.

import { createCatalog } from './catalog.ts';
import catalogJson from './models.json' with { type: 'json' };
import { parseCatalog } from './parse.ts';

const file = 'catalog/models.json';

// The compiler would otherwise work with the literal type of some hundred rows.
export const shippedContent = parseCatalog(catalogJson as unknown, file);

export const shippedCatalog = createCatalog(shippedContent, file);
