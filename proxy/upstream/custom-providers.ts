// The custom providers that an organization may call, by name: each a provider as any other, with what its configuration says
// of its models. Made once for each revision of an organization's record, which holds them.
import type { CustomProvider as Configured, OrganizationRecord } from '../access/principal.ts';
import type { CatalogModel } from '../catalog/models.ts';
import type { Traits, TraitTable } from '../catalog/traits.ts';
import { customProvider } from '../providers/custom.ts';
import type { Provider } from '../providers/provider.ts';

export interface CustomProvider {
  readonly provider: Provider;
  /** Those that are listed, by name. */
  readonly models: ReadonlyMap<string, CatalogModel>;
  /** Of any model: those of its wire format, and what is said of it beyond them. */
  traitsOf(model: string): Traits;
}

type ByName = ReadonlyMap<string, CustomProvider>;

export class CustomProviders {
  readonly #shipped: ReadonlyMap<string, Provider>;
  readonly #traits: TraitTable;
  readonly #made = new WeakMap<OrganizationRecord, ByName>();

  /** @param shipped by canonical name, at least */
  constructor(shipped: ReadonlyMap<string, Provider>, traits: TraitTable) {
    this.#shipped = shipped;
    this.#traits = traits;
  }

  of(organization: OrganizationRecord): ByName {
    let byName = this.#made.get(organization);
    if (byName === undefined) {
      byName = new Map(organization.customProviders.flatMap((one) => this.#make(one)));
      this.#made.set(organization, byName);
    }
    return byName;
  }

  /** None where this version does not speak the wire format. */
  #make(configured: Configured): [string, CustomProvider][] {
    const { models, name, wireFormat } = configured;
    const base = this.#shipped.get(wireFormat);
    if (base === undefined) return [];
    const usual = (model: string) => this.#traits.of(wireFormat, model);
    const traits = new Map(
      models.map((model) => {
        const { name: listed } = model.catalogModel;
        return [listed, Object.freeze({ ...usual(listed), ...model.traits })] as const;
      }),
    );
    const made = {
      provider: customProvider(base, configured),
      models: new Map(models.map(({ catalogModel }) => [catalogModel.name, catalogModel] as const)),
      traitsOf: (model: string) => traits.get(model) ?? usual(model),
    };
    return [[name, made]];
  }
}
