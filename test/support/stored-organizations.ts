// Organizations with rows in every table that a record is made of, at random: for tests that compare two readings of
// them, and for measurements.
import type { SealKeys } from '../../common/seal.ts';
import { sealProviderSecret } from '../../control-plane/domain/provider-secret.ts';
import { createSealedRecordKey } from '../../control-plane/domain/record-key.ts';
import { sealWebhookSecret } from '../../control-plane/domain/webhook.ts';
import { encoded } from '../../control-plane/services/route-rows.ts';
import { platformId } from '../../control-plane/store/platform-id.ts';
import type { ChangeTransaction, Store } from '../../control-plane/store/store.ts';
import {
  change,
  insertAiSystem,
  insertKeyValue,
  insertLimit,
  insertOrganization,
  insertPerson,
  insertPrice,
  insertProviderKey,
  insertVirtualKey,
} from './stored-records.ts';

export interface OrganizationsPlan {
  readonly organizations: number;
  readonly keysOfEach: number;
  readonly sealKeys: SealKeys;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** The clock by which ends are in the past or the future; milliseconds since 1970. */
  readonly now: number;
}

/** @returns the hashes of the values of all keys; some of them are revoked, ended, or without their scope */
export async function storeOrganizations(store: Store, plan: OrganizationsPlan): Promise<readonly string[]> {
  const hashes: string[] = [];
  await change(store, async (tx) => {
    const fill = new Filling(tx, plan);
    await fill.platform();
    for (let n = 0; n < plan.organizations; n++) hashes.push(...(await fill.organization(`organization-${n}`)));
  });
  return hashes;
}

/** The hash of a key value that no test presents. */
export function hashOfKey(organization: string, n: number): string {
  return Buffer.from(`${organization}/${n}`).toString('hex').padStart(64, '0').slice(-64);
}

const providerForm = { wire_format: 'responses', key_form: 'header' } as const;
const blocking = { stage: 'both', action: 'block', on_failure: 'block', message: 'no' } as const;

class Filling {
  readonly #tx: ChangeTransaction;
  readonly #plan: OrganizationsPlan;
  #rows = 0;

  constructor(tx: ChangeTransaction, plan: OrganizationsPlan) {
    this.#tx = tx;
    this.#plan = plan;
  }

  async platform(): Promise<void> {
    await this.#repeat(3, () => this.#stop(null));
    await this.#repeat(3, () => this.#provider(null));
    await this.#repeat(2, () => this.#limit(platformId, { subject_kind: 'platform', subject_id: platformId }));
  }

  async organization(id: string): Promise<readonly string[]> {
    const tx = this.#tx;
    await insertOrganization(tx, {
      ...{ id, suspended: this.#flag(0.1), suspended_ends_at: this.#end(), caller_provider_keys: this.#flag() },
      ...{ tag_names: this.#one(['[]', '["feature","übung"]']), request_days: this.#one([0, 30]) },
      ...{ weight: this.#one([100, 7]), allowed_models: this.#one(['[]', '["*/small","a/b"]']) },
      ...{ model_aliases: this.#one(['[]', '[{"name":"fast","model":"gpt-provider/gpt-4o"}]']) },
      ...{ own_tool_egress: this.#flag(), stored_responses: this.#flag(), priced_options: this.#flag() },
    });
    const scopes = { ai_system: `system of ${id}`, person: `person of ${id}` };
    await insertAiSystem(tx, { id: scopes.ai_system, organization_id: id, active: this.#flag(0.9) });
    await insertPerson(tx, { id: scopes.person, organization_id: id, allowed_models: '["*/\\"large\\""]' });
    for (const generation of [1, 2]) await this.#recordKey(id, generation);
    await this.#repeat(5, () => this.#providerKey(id));
    await this.#repeat(3, () => this.#provider(id));
    await this.#repeat(6, () => this.#price(id));
    await this.#repeat(4, () => this.#guardrail(id));
    await this.#repeat(5, () => this.#route(id));
    await this.#repeat(4, () => this.#stop(id));
    await this.#repeat(3, () => this.#limit(id, { subject_kind: 'organization', subject_id: id }));
    for (const [kind, subject] of Object.entries(scopes) as ['ai_system' | 'person', string][])
      await this.#repeat(2, () => this.#limit(id, { subject_kind: kind, subject_id: subject }));
    const hashes: string[] = [];
    for (let n = 0; n < this.#plan.keysOfEach; n++) hashes.push(await this.#key(id, n, scopes));
    return hashes;
  }

  async #key(id: string, n: number, scopes: Readonly<Record<'ai_system' | 'person', string>>): Promise<string> {
    const [key, hash] = [`key ${n} of ${id}`, hashOfKey(id, n)];
    const kind = this.#one(['organization', 'ai_system', 'person'] as const);
    const scope = kind === 'organization' ? id : this.#one([scopes[kind], scopes[kind], scopes[kind], 'nobody']);
    await insertVirtualKey(this.#tx, {
      ...{ id: key, organization_id: id, scope_kind: kind, scope_id: scope, active: this.#flag(0.9) },
      ...{ ends_at: this.#end(), revoked_at: this.#one([null, null, null, null, 1]), weight: this.#one([100, 3]) },
      ...{ priority_class: this.#one(['interactive', 'batch'] as const), allowed_models: this.#one(['[]', '["a/*"]']) },
    });
    await insertKeyValue(this.#tx, { hash, key_id: key, ends_at: this.#end() });
    await this.#repeat(2, () => this.#limit(id, { subject_kind: 'virtual_key', subject_id: key }));
    return hash;
  }

  async #recordKey(organizationId: string, generation: number): Promise<void> {
    const secret = this.#chance(0.9)
      ? createSealedRecordKey(this.#plan.sealKeys, { organizationId, generation })
      : 'damaged';
    const row = { organization_id: organizationId, generation, secret, created_at: this.#tx.now, replaced_at: null };
    await this.#tx.db.insertInto('record_keys').values(row).execute();
  }

  async #providerKey(organizationId: string): Promise<void> {
    const id = this.#id();
    const binding = { organizationId, providerKeyId: id, version: 1 };
    const secret = sealProviderSecret(this.#plan.sealKeys, binding, { apiKey: `canary-${id}` });
    await insertProviderKey(this.#tx, {
      ...{ id, organization_id: organizationId, secret, priority: this.#one([0, 1, 2]), enabled: this.#flag(0.8) },
      settings: this.#one(['{}', '{"baseUrl":"https://models.example/v1"}']),
    });
    if (this.#chance(0.5)) await this.#limit(organizationId, { subject_kind: 'provider_key', subject_id: id });
  }

  async #provider(organizationId: string | null): Promise<void> {
    const id = this.#id();
    const values = {
      ...{ id, organization_id: organizationId, name: `p${id}`, ...providerForm },
      ...{ base_url: 'https://models.example/v1', key_header: 'x-key', models: '[{"id":"m"}]', passed_fields: '["x"]' },
      ...this.#stamps(),
    } as const;
    await this.#tx.db.insertInto('providers').values(values).execute();
  }

  async #price(organizationId: string): Promise<void> {
    const id = this.#id();
    await insertPrice(this.#tx, { id, organization_id: organizationId, model: `gpt-provider/${id}` });
  }

  async #guardrail(organizationId: string): Promise<void> {
    const id = this.#id();
    const secret = this.#chance(0.3)
      ? sealWebhookSecret(this.#plan.sealKeys, { organizationId, webhookId: id, version: 1 }, 'x')
      : null;
    const check = { words: { words: ['one', 'two "three"'] } };
    const values = {
      ...{ id, organization_id: organizationId, name: `guardrail ${id}`, enabled: this.#flag(0.8) },
      ...{ position: this.#one([0, 1, 2]), ...blocking },
      ...{ ai_system_ids: '["a"]', key_ids: '[]', check_message: JSON.stringify(check), text_bytes: 6 },
      ...{ secret, secret_version: 1, ...this.#stamps() },
    } as const;
    await this.#tx.db.insertInto('guardrails').values(values).execute();
  }

  async #route(organizationId: string): Promise<void> {
    const id = this.#id();
    const row = {
      ...{ id, organization_id: organizationId, name: `route-${id}`, active: this.#flag(0.8), settings: '{}' },
      target_groups: '[{"targets":[{"model":"gpt-provider/gpt-4o","weight":1}]}]',
      ...this.#stamps(),
    };
    await this.#tx.db.insertInto('routes').values(encoded(row)).execute();
  }

  async #stop(organizationId: string | null): Promise<void> {
    const [provider, model, directKeys] = this.#one([
      ['gpt-provider', null, 0],
      ['gpt-provider', 'gpt-provider/gpt-4o', 0],
      [null, '*/large', 0],
      [null, null, 1],
    ] as const);
    const values = {
      ...{ id: this.#id(), organization_id: organizationId, provider, model, direct_keys: directKeys },
      ...{ reason: 'because', created_by: 'person-1', ends_at: this.#end(), ...this.#stamps() },
    };
    await this.#tx.db.insertInto('stops').values(values).execute();
  }

  async #limit(
    organizationId: string,
    subject: Required<Pick<NonNullable<Parameters<typeof insertLimit>[1]>, 'subject_kind' | 'subject_id'>>,
  ): Promise<void> {
    const row = { id: this.#id(), organization_id: organizationId, ...subject };
    const calendar = '{"timeZone":"Europe/Berlin","hour":3,"weekday":1,"dayOfMonth":1,"month":1}';
    const forms = [
      { kind: 'requests_per_minute', amount: 60 },
      { kind: 'budget', period: 'day', amount: 12_500_000_000, model: '*/large' },
      { kind: 'budget', period: 'month', amount: 9_007_199_254_740_991, soft: this.#flag() },
      { kind: 'budget', period: 'total', amount: 5, deleted_at: this.#tx.now },
      { kind: 'calendar_budget', period: 'month', amount: 1, calendar },
      { kind: 'counter_budget', period: 'day', amount: 7, counting: '{"each":"tag:user","required":true}' },
    ] as const;
    await insertLimit(this.#tx, { ...row, ...this.#one<(typeof forms)[number]>(forms) });
  }

  async #repeat(most: number, insert: () => Promise<void>): Promise<void> {
    for (let n = Math.floor(this.#plan.random() * (most + 1)); n > 0; n--) await insert();
  }

  #chance(of: number): boolean {
    return this.#plan.random() < of;
  }

  #flag(of = 0.5): 0 | 1 {
    return this.#chance(of) ? 1 : 0;
  }

  /** Mostly none, or one just now, before or after it. */
  #end(): number | null {
    const { now } = this.#plan;
    return this.#one([null, null, null, null, null, now, now - 1, now + 1, now + 3_600_000]);
  }

  #one<T>(choices: readonly T[]): T {
    const chosen = choices[Math.floor(this.#plan.random() * choices.length)];
    if (chosen === undefined) throw new Error('there is nothing to choose from');
    return chosen;
  }

  #id(): string {
    // In another order than that of the inserts.
    return `${Math.floor(this.#plan.random() * 1e9).toString(36)}-${this.#rows++}`;
  }

  #stamps() {
    return { created_at: this.#tx.now, revision: this.#tx.revision };
  }
}
