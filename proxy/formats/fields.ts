// How each field of a request is treated in a format that is not the client's. A format's table has one row for each
// known field. A field that no row accepts is dropped and reported to the client. It is refused instead if the client
// would misread the response without it.
import type { JsonObject } from '../../common/json.ts';
import type { ModelCapabilities } from '../catalog/capabilities.ts';
import {
  type FieldName,
  gatewayFields,
  isNeutral,
  isShaping,
  type Options,
  type ShapingField,
} from '../conversation/fields.ts';
import { unsupported } from '../conversation/invalid.ts';
import { isGiven } from '../conversation/options.ts';
import { type ConversationRequest, type OptionFields, optionsOf } from '../conversation/request.ts';

/** Facts about the call with which a row decides whether it accepts a value. */
export interface FieldContext {
  readonly capabilities: ModelCapabilities;
}

interface MappedField<Context extends FieldContext> {
  /** Path in the vendor's request, from its root. */
  readonly path: string;
  /** A model without this capability does not get the field. */
  readonly needs?: Flag;
  /** Whether the vendor accepts this value. Default: every value. */
  takes?(value: unknown, context: Context): boolean;
}

/** Names of the boolean capabilities. */
type Flag = {
  [Name in keyof ModelCapabilities]: ModelCapabilities[Name] extends boolean ? Name : never;
}[keyof ModelCapabilities];

/** A field that is read alone. */
export interface ScalarField<Context extends FieldContext = FieldContext> extends MappedField<Context> {
  /** @returns undefined for the vendor's default @throws GatewayError invalid_request */
  read(options: OptionFields): unknown;
}

/** A field that is read together with others, by the writer's function of this name. */
export interface JointField<Reader extends string, Context extends FieldContext = FieldContext>
  extends MappedField<Context> {
  readonly readBy: Reader;
}

/** One row for each known field. A field that shapes the response is never dropped. */
export type FieldTable<Row> = {
  readonly [Name in FieldName]: Row | (Name extends ShapingField ? 'refused' : 'dropped');
};

/** The options that one reader of a table may read: those of its rows. So no field is read without a row. */
export type OptionsOf<Table, Reader extends string> = Options<
  {
    [Name in FieldName & keyof Table]: Table[Name] extends { readonly readBy: Reader } ? Name : never;
  }[FieldName & keyof Table]
>;

type Decision<Context> = 'sent' | 'dropped' | ((value: unknown, context: Context) => boolean);

/**
 * The decisions of a table, prepared once. They are looked up by the fields of a request, not by the rows of the table.
 */
export class FieldRules<Context extends FieldContext> {
  readonly #decisions: ReadonlyMap<string, Decision<Context>>;
  readonly #unknown: 'sent' | 'dropped';

  /** @param unknown the decision for fields without a row. Default: they are dropped */
  constructor(
    table: FieldTable<MappedField<Context>>,
    { unknown = 'dropped' }: { readonly unknown?: 'sent' | 'dropped' } = {},
  ) {
    this.#unknown = unknown;
    this.#decisions = new Map<string, Decision<Context>>([
      ...gatewayFields.map((name) => [name, 'sent'] as const),
      ...Object.entries(table).map(([name, row]) => [name, decisionOf(row)] as const),
    ]);
  }

  /**
   * @returns the fields that the vendor does not get, in the order of the request, followed by those of messages, for
   * `x-svc-dropped-params`
   * @throws GatewayError unsupported_parameter
   */
  dropped(request: Pick<ConversationRequest, 'options' | 'namesSpeakers'>, context: Context): string[] {
    const { options } = request;
    const dropped: string[] = [];
    for (const name of Object.keys(options)) {
      const decision = this.#decisions.get(name) ?? this.#unknown;
      if (decision === 'sent') continue;
      const value = options[name];
      if (!isGiven(value) || (decision !== 'dropped' && decision(value, context))) continue;
      if (!isShaping(name)) dropped.push(name);
      else if (!isNeutral(name, value)) {
        throw unsupported(name, `${name} is not supported by this provider`);
      }
    }
    if (request.namesSpeakers()) dropped.push('messages.name');
    return dropped;
  }

  /** @returns the known fields that the vendor gets */
  taken({ options }: Pick<ConversationRequest, 'options'>, context: Context): OptionFields {
    const taken: JsonObject = {};
    for (const name of Object.keys(options)) {
      const decision = this.#decisions.get(name) ?? 'dropped';
      if (decision === 'dropped') continue;
      if (decision === 'sent' || decision(options[name], context)) taken[name] = options[name];
    }
    return optionsOf(taken);
  }
}

function decisionOf<Context extends FieldContext>(
  row: MappedField<Context> | 'dropped' | 'refused',
): Decision<Context> {
  if (typeof row === 'string') return 'dropped';
  const { needs, takes } = row;
  if (needs === undefined) return takes ?? 'sent';
  return (value, context) => context.capabilities[needs] && (takes?.(value, context) ?? true);
}

export interface ScalarPath {
  /** Name in the vendor's object that contains it. */
  readonly name: string;
  read(options: OptionFields): unknown;
}

/**
 * The scalar fields of one object of the vendor's request, in the order of their rows, each path once.
 * @param holder path of the object with a trailing dot, or empty for the root
 */
export function scalarsBelow(table: FieldTable<MappedField<never>>, holder: string): readonly ScalarPath[] {
  const rows = Object.values(table).flatMap((row) =>
    typeof row === 'object' && 'read' in row ? [row as ScalarField<never>] : [],
  );
  const byPath = new Map(rows.map((row) => [row.path, row]));
  return [...byPath.values()]
    .filter(({ path }) => path.startsWith(holder) && !path.slice(holder.length).includes('.'))
    .map(({ path, read }) => ({ name: path.slice(holder.length), read }));
}
