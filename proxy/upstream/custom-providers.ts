// The custom providers that an organization may call, by name: each a provider like any other, with the configured
// facts about its models. Each is created once for its configuration, which organizations share if it is the
// platform's.
import type { CustomProvider as Configured, OrganizationRecord } from '../access/principal.ts';
import type { Capabilities, CapabilityTable } from '../catalog/capabilities.ts';
import type { CatalogModel } from '../catalog/models.ts';
import { customProvider } from '../providers/custom.ts';
import type { Provider } from '../providers/provider.ts';

export interface CustomProvider {
  readonly provider: Provider;
  /** The listed models, by name. */
  readonly models: ReadonlyMap<string, CatalogModel>;
  /** The capabilities of any model: those of its wire format, with the configured differences. */
  capabilitiesOf(model: string): Capabilities;
}

type ByName = ReadonlyMap<string, CustomProvider>;

export class CustomProviders {
  readonly #bases: ReadonlyMap<string, Provider>;
  readonly #capabilities: CapabilityTable;
  readonly #made = new WeakMap<Configured, CustomProvider>();
  readonly #byName = new WeakMap<OrganizationRecord, ByName>();

  /** @param bases by the word of the wire format */
  constructor(bases: ReadonlyMap<string, Provider>, capabilities: CapabilityTable) {
    this.#bases = bases;
    this.#capabilities = capabilities;
  }

  of(organization: OrganizationRecord): ByName {
    const known = this.#byName.get(organization);
    if (known !== undefined) return known;
    const byName = new Map<string, CustomProvider>();
    for (const configured of organization.customProviders) {
      const made = this.#made.get(configured) ?? this.#make(configured);
      if (made !== undefined) byName.set(configured.name, made);
    }
    this.#byName.set(organization, byName);
    return byName;
  }

  /** Undefined if this version does not know the wire format. */
  #make(configured: Configured): CustomProvider | undefined {
    const { models, wireFormat } = configured;
    const base = this.#bases.get(wireFormat);
    if (base === undefined) return undefined;
    const usual = (model: string) => this.#capabilities.of(base.name, model);
    const capabilities = new Map(
      models.map((model) => {
        const { name: listed } = model.catalogModel;
        return [listed, Object.freeze({ ...usual(listed), ...model.capabilities })] as const;
      }),
    );
    const made = {
      provider: customProvider(base, configured),
      models: new Map(models.map(({ catalogModel }) => [catalogModel.name, catalogModel] as const)),
      capabilitiesOf: (model: string) => capabilities.get(model) ?? usual(model),
    };
    this.#made.set(configured, made);
    return made;
  }
}
