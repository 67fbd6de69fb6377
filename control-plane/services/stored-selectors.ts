// Finds stored selectors that match no known model: they were stored before selectors were checked, or with
// `allow_unmatched`, or their custom provider was deleted. Reads in pages, because there may be many keys.
import { type Kysely, sql } from 'kysely';
import { type SelectorHolder, type StoredProblem, selectorHolders, storedProblems } from '../../proto/words/access.ts';
import { type KnownModels, knownModels, storedProblemOf } from '../domain/model-selector.ts';
import { readColumn, strings } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import { listOf } from './known-models.ts';
import { countingPrices } from './price-rows.ts';

export interface FoundSelector {
  readonly holder: SelectorHolder;
  /** The holder's id. */
  readonly id: string;
  /** Null for the platform's own. */
  readonly organizationId: string | null;
  readonly problem: StoredProblem;
  /** The stored selector. */
  readonly selector: string;
  /** The models that it is compared with. */
  readonly known: KnownModels;
}

export interface SelectorFindings {
  /** How many selectors were checked. */
  readonly checked: number;
  readonly counts: Readonly<Record<StoredProblem, number>>;
  /** The first hundred. */
  readonly found: readonly FoundSelector[];
}

export interface CheckDeps {
  /** Reads in a snapshot: one for each page, or one for all. */
  read<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** Undefined for all organizations and the platform's own. */
  readonly organizationId: string | undefined;
}

export async function checkSelectors(deps: CheckDeps): Promise<SelectorFindings> {
  const findings = new Findings(await deps.read((db) => readLists(db)));
  for (const holder of selectorHolders.words) {
    for await (const page of pagesOf(deps, holder)) {
      for (const row of page) findings.look(holder, row);
    }
  }
  return findings.end();
}

/** Where selectors are stored: the table, the column, the column of the organization, and which rows count. */
const holders = {
  limit: {
    table: 'limits',
    column: 'model',
    organization: 'organization_id',
    where: 'deleted_at is null and model is not null',
  },
  price: { table: 'prices', column: 'model', organization: 'organization_id', where: '1 = 1' },
  organization: listsIn('organizations', 'id'),
  ai_system: listsIn('ai_systems'),
  person: listsIn('people'),
  virtual_key: listsIn('virtual_keys', 'organization_id', ' and revoked_at is null'),
} as const satisfies Record<SelectorHolder, object>;

function listsIn(table: string, organization = 'organization_id', and = '') {
  return { table, column: 'allowed_models', organization, where: `allowed_models <> '[]'${and}` };
}

interface StoredRow {
  readonly id: string;
  readonly organization: string | null;
  /** A selector, or a list of them as JSON. */
  readonly stored: string;
}

const pageSize = 1000;

async function* pagesOf(
  { read, organizationId }: CheckDeps,
  holder: SelectorHolder,
): AsyncIterable<readonly StoredRow[]> {
  const { table, column, organization, where } = holders[holder];
  const own = sql.ref(organization);
  const narrowed = organizationId === undefined ? sql`` : sql` and ${own} = ${organizationId}`;
  let after = '';
  for (;;) {
    const page = sql<StoredRow>`
      select id, ${own} as organization, ${sql.ref(column)} as stored from ${sql.table(table)}
      where ${sql.raw(where)} and id > ${after}${narrowed} order by id limit ${pageSize}`;
    const { rows } = await read((db) => page.execute(db));
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = last.id;
  }
}

type ModelList = ReturnType<typeof listOf>;

/** All custom providers by organization; the platform's under null. */
async function readLists(db: Kysely<Schema>): Promise<ReadonlyMap<string | null, readonly ModelList[]>> {
  const rows = await db.selectFrom('providers').select(['id', 'organization_id', 'name', 'models']).execute();
  const lists = new Map<string | null, ModelList[]>();
  for (const row of rows) {
    const of = lists.get(row.organization_id) ?? [];
    of.push(listOf(row));
    lists.set(row.organization_id, of);
  }
  return lists;
}

const foundMax = 100;
/** Many lists contain the same few selectors, so results are cached. */
const problemsMax = 10_000;

class Findings {
  readonly #lists: ReadonlyMap<string | null, readonly ModelList[]>;
  readonly #platform: KnownModels;
  readonly #known = new Map<string, KnownModels>();
  readonly #problems = new Map<string, StoredProblem | undefined>();
  readonly #counts = Object.fromEntries(storedProblems.words.map((name) => [name, 0])) as Record<StoredProblem, number>;
  readonly #found: FoundSelector[] = [];
  readonly #prices = new Map<string, { readonly id: string; readonly model: string }[]>();
  #checked = 0;

  constructor(lists: ReadonlyMap<string | null, readonly ModelList[]>) {
    this.#lists = lists;
    this.#platform = knownModels(lists.get(null) ?? []);
  }

  look(holder: SelectorHolder, { id, organization, stored }: StoredRow): void {
    if (holder === 'price' && organization !== null) {
      const prices = this.#prices.get(organization) ?? [];
      prices.push({ id, model: stored });
      this.#prices.set(organization, prices);
      return;
    }
    for (const selector of holder === 'limit'
      ? [stored]
      : readColumn(stored, strings, `${holders[holder].table}.${holders[holder].column} of ${id}`)) {
      this.#check({ holder, id, organizationId: organization, selector });
    }
  }

  /** Checks prices last, because only all prices of an organization together show which of them are shadowed. */
  end(): SelectorFindings {
    for (const [organizationId, prices] of this.#prices) {
      const counting = countingPrices(prices);
      for (const { id, model: selector } of prices) {
        const isShadowed = !counting.has(id);
        this.#check({ holder: 'price', id, organizationId, selector }, isShadowed ? 'shadowed' : undefined);
      }
    }
    return { checked: this.#checked, counts: this.#counts, found: this.#found };
  }

  #check(stored: Omit<FoundSelector, 'problem' | 'known'>, otherwise?: StoredProblem): void {
    const { organizationId, selector } = stored;
    const known = this.#knownOf(organizationId);
    const problem = otherwise ?? this.#problemOf(selector, organizationId, known);
    this.#checked++;
    if (problem === undefined) return;
    this.#counts[problem]++;
    if (this.#found.length < foundMax) this.#found.push({ ...stored, problem, known });
  }

  #knownOf(organization: string | null): KnownModels {
    const own = organization === null ? undefined : this.#lists.get(organization);
    if (organization === null || own === undefined) return this.#platform;
    const known = this.#known.get(organization) ?? knownModels([...(this.#lists.get(null) ?? []), ...own]);
    this.#known.set(organization, known);
    return known;
  }

  #problemOf(selector: string, organization: string | null, known: KnownModels): StoredProblem | undefined {
    const key = known === this.#platform ? selector : `${organization} ${selector}`;
    if (this.#problems.has(key)) return this.#problems.get(key);
    const problem = storedProblemOf(selector, known);
    if (this.#problems.size >= problemsMax) this.#problems.clear();
    this.#problems.set(key, problem);
    return problem;
  }
}
