// Reads the paths of a request's fields from the SDK's own types, with the compiler's API. A member of a union of
// objects has its `type` in brackets: `messages.content[image].source[url].url`. Lists add nothing to a path.
import { join } from 'node:path';
import type { Checker, Symbol as CompilerSymbol, Type } from 'typescript/unstable/sync';
import { API, TypeFlags } from 'typescript/unstable/sync';

/** The fields by which a reader distinguishes the members of a union. Roles differ in their fields in one format alone. */
const discriminatorsOf = (name: string) => (name === 'ChatCompletions' ? ['type', 'role'] : ['type']);

const folder = import.meta.dirname;
const source = join(folder, 'sdk-requests.ts');

/**
 * @returns for each exported type of sdk-requests.ts, the paths of its fields, sorted: of each type once, and without
 * objects whose fields are there
 */
export function readSdkFields(): ReadonlyMap<string, readonly string[]> {
  const config = join(folder, 'tsconfig.json');
  const options = { module: 'nodenext', target: 'esnext', strict: true, noEmit: true, skipLibCheck: true, types: [] };
  const files = new Map([[config, JSON.stringify({ compilerOptions: options, files: [source] })]]);
  const api = new API({
    cwd: folder,
    fs: { readFile: (path) => files.get(path), fileExists: (path) => files.has(path) || undefined },
  });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    const file = project?.program.getSourceFile(source);
    if (project === undefined || file === undefined) throw new Error('the compiler does not know the types');
    const module = project.checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error('sdk-requests.ts exports types');
    return new Map(
      project.checker.getExportsOfModule(module).map((one) => [one.name, fieldsOf(project.checker, one)] as const),
    );
  } finally {
    api.close();
  }
}

function fieldsOf(checker: Checker, symbol: CompilerSymbol): readonly string[] {
  return [...new Walk(checker, discriminatorsOf(symbol.name)).paths(checker.getDeclaredTypeOfSymbol(symbol))].sort();
}

interface FieldType {
  readonly type: Type;
  readonly path: string;
}

/** Breadth first, each type once: its fields have their shortest paths, although other fields contain it too. */
class Walk {
  readonly #checker: Checker;
  readonly #discriminators: readonly string[];
  readonly #seen = new Set<number>();

  constructor(checker: Checker, discriminators: readonly string[]) {
    this.#checker = checker;
    this.#discriminators = discriminators;
  }

  paths(root: Type): ReadonlySet<string> {
    const paths = new Set<string>();
    const waiting: FieldType[] = [...this.#newObjects({ type: root, path: '' })];
    for (const found of waiting) {
      const fields = this.#fields(found);
      if (fields.length === 0) paths.add(found.path);
      for (const field of fields) {
        const objects = this.#newObjects(field);
        if (objects.length === 0) paths.add(field.path);
        waiting.push(...objects);
      }
    }
    return paths;
  }

  #fields({ type, path }: FieldType): readonly FieldType[] {
    const properties = this.#checker
      .getPropertiesOfType(type)
      .filter(({ name }) => !this.#discriminators.includes(name));
    return properties.flatMap((property) => {
      const inner = this.#checker.getTypeOfSymbol(property);
      return inner === undefined || membersOf(inner).every(isNothing)
        ? []
        : [{ type: inner, path: path === '' ? property.name : `${path}.${property.name}` }];
    });
  }

  /** The objects that a field may be, without those that another field was before. */
  #newObjects({ type, path }: FieldType): readonly FieldType[] {
    const objects = this.#objectsOf(type);
    const found = objects.map((one) => ({ type: one, path: objects.length > 1 ? `${path}${this.#kind(one)}` : path }));
    return found.filter(({ type: one }) => !this.#seen.has(one.id) && this.#seen.add(one.id));
  }

  #kind(type: Type): string {
    for (const name of this.#discriminators) {
      const property = this.#checker.getPropertyOfType(type, name);
      const value = property && this.#checker.getTypeOfSymbol(property);
      const words =
        value === undefined ? [] : membersOf(value).flatMap((one) => (one.isStringLiteralType() ? [one.value] : []));
      if (words.length > 0) return `[${words.sort().join('|')}]`;
    }
    return '';
  }

  /** The objects that a value may be, alone or in a list. */
  #objectsOf(type: Type, lists: readonly number[] = []): readonly Type[] {
    return membersOf(type).flatMap((one) => {
      if (this.#checker.isArrayType(one) && one.isTypeReference()) {
        // A JSON value may be a list of JSON values.
        if (lists.includes(one.id)) return [];
        return this.#checker.getTypeArguments(one).flatMap((element) => this.#objectsOf(element, [...lists, one.id]));
      }
      return isObjectType(one) && !isOfLanguage(one) && !isUnknownMember(one) ? [one] : [];
    });
  }
}

/** `string & {}` is a string. */
function isObjectType(type: Type): boolean {
  if (type.isIntersectionType()) return type.getTypes().every(isObjectType);
  return (type.flags & TypeFlags.Object) !== 0;
}

/** The fields of a union's other members, in SDKs whose members are the names of fields. */
function isNothing(type: Type): boolean {
  return (type.flags & (TypeFlags.Undefined | TypeFlags.Never)) !== 0;
}

/** What the AWS SDK calls the members that a later version of it may have. */
function isUnknownMember(type: Type): boolean {
  return type.getSymbol()?.name === '$UnknownMember';
}

function membersOf(type: Type): readonly Type[] {
  return type.isUnionType() ? type.getTypes().flatMap(membersOf) : [type];
}

/** Types of the language and its environment: `Date`, `Uint8Array`, `AbortSignal`, functions. */
function isOfLanguage(type: Type): boolean {
  const [declaration] = type.getSymbol()?.declarations ?? [];
  if (declaration === undefined) return false;
  return (
    /\/lib\.[^/]*$/.test(declaration.path) ||
    (!declaration.path.includes('/node_modules/@') &&
      !declaration.path.includes('/openai/') &&
      !declaration.path.includes('sdk-requests'))
  );
}
