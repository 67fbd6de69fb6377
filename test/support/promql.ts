// Checks a PromQL expression with the parser of Prometheus' own editor: whether every metric is known and has the
// labels and values by which it is matched, grouped and joined; and which labels the result has. It finds faults that
// Prometheus accepts silently: a selector that selects nothing, a grouping by a missing label, two sides that never
// match.
import { parser } from '@prometheus-io/lezer-promql';

type Node = ReturnType<typeof parser.parse>['topNode'];

export interface KnownMetric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: ReadonlySet<string>;
}

export interface Known {
  metric(name: string): KnownMetric | undefined;
  /** Undefined: any value is possible. */
  values(metric: string, label: string): readonly string[] | undefined;
}

export interface Looked {
  /** A line for each fault. */
  readonly problems: readonly string[];
  /** Labels of the result; undefined for a number. */
  readonly labels: ReadonlySet<string> | undefined;
  readonly metrics: ReadonlySet<string>;
}

export function lookAt(expr: string, known: Known): Looked {
  const looker = new Looker(expr, known);
  const top = parser.parse(expr).topNode;
  const root = top.firstChild;
  looker.syntax(top);
  const labels = root === null ? undefined : looker.labelsOf(root);
  return { problems: looker.problems, labels, metrics: looker.metrics };
}

type Labels = ReadonlySet<string> | undefined;

const none: ReadonlySet<string> = new Set();
const ofCounters = ['rate', 'irate', 'increase'];
const setOperators = ['And', 'Or', 'Unless'];

class Looker {
  readonly problems: string[] = [];
  readonly metrics = new Set<string>();
  readonly #expr: string;
  readonly #known: Known;

  constructor(expr: string, known: Known) {
    this.#expr = expr;
    this.#known = known;
  }

  syntax(node: Node): void {
    if (node.type.isError) this.problems.push(`no PromQL at ${node.from}: ${this.#expr}`);
    for (const child of children(node)) this.syntax(child);
  }

  labelsOf(node: Node): Labels {
    switch (node.name) {
      case 'VectorSelector':
        return this.#selector(node);
      case 'AggregateExpr':
        return this.#aggregate(node);
      case 'BinaryExpr':
        return this.#binary(node);
      case 'FunctionCall':
        return this.#call(node);
      case 'NumberDurationLiteral':
      case 'StringLiteral':
        return undefined;
      default: {
        // Ranges, offsets, parentheses, signs: their operand comes first.
        const inner = children(node).find(isExpression);
        return inner === undefined ? undefined : this.labelsOf(inner);
      }
    }
  }

  #selector(node: Node): Labels {
    const name = this.#text(node.getChild('Identifier'));
    const metric = this.#known.metric(name);
    if (metric === undefined) {
      this.problems.push(`no metric ${name}`);
      return none;
    }
    this.metrics.add(name);
    const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
    for (const matcher of matchers) this.#matcher(name, metric, matcher);
    return metric.labels;
  }

  #matcher(name: string, metric: KnownMetric, matcher: Node): void {
    const [label, operator, literal] = ['LabelName', 'MatchOp', 'StringLiteral'].map((kind) =>
      this.#text(matcher.getChild(kind)),
    );
    if (label === undefined || !metric.labels.has(label)) {
      this.problems.push(`${name} has no label ${label}`);
      return;
    }
    const values = this.#known.values(name, label);
    if (values === undefined) return;
    for (const text of alternatives(operator, literal?.slice(1, -1) ?? '')) {
      const isStated = isPattern(operator) ? fullMatch(text) : (value: string) => value === text;
      if (!values.some(isStated)) this.problems.push(`${name}: ${label} is never ${text}`);
    }
  }

  #aggregate(node: Node): Labels {
    const [inner] = this.#arguments(node).flatMap((argument) => this.labelsOf(argument) ?? []);
    const labels = inner ?? none;
    const modifier = node.getChild('AggregateModifier');
    // These choose series, which keep their labels.
    const keeps = ['topk', 'bottomk'].includes(this.#text(node.getChild('AggregateOp')));
    if (modifier === null) return keeps ? labels : none;
    const named = this.#labelNames(modifier);
    this.#expect(named, labels, node);
    if (keeps) return labels;
    return modifier.getChild('By') === null ? minus(labels, named) : new Set(named);
  }

  #call(node: Node): Labels {
    const name = this.#text(node.getChild('FunctionIdentifier'));
    const args = this.#arguments(node);
    const labels = args.map((argument) => this.labelsOf(argument)).find((found) => found !== undefined);
    if (ofCounters.includes(name)) this.#expectCounters(name, node);
    switch (name) {
      case 'vector':
      case 'absent':
        return none;
      case 'scalar':
      case 'time':
        return undefined;
      case 'histogram_quantile':
        this.#expect(['le'], labels ?? none, node);
        return minus(labels ?? none, ['le']);
      default:
        return labels;
    }
  }

  #expectCounters(name: string, node: Node): void {
    for (const metric of metricsIn(node, this.#expr)) {
      if (this.#known.metric(metric)?.type === 'gauge') this.problems.push(`${name}() of the gauge ${metric}`);
    }
  }

  #binary(node: Node): Labels {
    const [left, right] = children(node).filter(isExpression);
    if (left === undefined || right === undefined) return none;
    const [a, b] = [this.labelsOf(left), this.labelsOf(right)];
    if (a === undefined || b === undefined) return a ?? b;
    const isSet = setOperators.some((operator) => node.getChild(operator) !== null);
    if (node.getChild('Or') !== null) return new Set([...a, ...b]);
    const clause = node.getChild('MatchingModifierClause');
    if (clause === null) {
      if (!isSame(a, b)) this.problems.push(`the sides never match, {${[...a]}} and {${[...b]}}: ${this.#text(node)}`);
      return a;
    }
    const on = this.#labelNames(clause);
    this.#expect(on, a, node);
    this.#expect(on, b, node);
    if (isSet) return a;
    if (clause.getChild('GroupLeft') !== null) return this.#including(clause, a, b);
    return clause.getChild('GroupRight') === null ? new Set(on) : b;
  }

  /** What `group_left` takes from the other side. */
  #including(clause: Node, own: ReadonlySet<string>, other: ReadonlySet<string>): Labels {
    const [, included] = clause.getChildren('GroupingLabels');
    const names = (included?.getChildren('LabelName') ?? []).map((label) => this.#text(label));
    this.#expect(names, other, clause);
    return new Set([...own, ...names]);
  }

  #expect(wanted: readonly string[], labels: ReadonlySet<string>, node: Node): void {
    for (const label of wanted)
      if (!labels.has(label)) this.problems.push(`no label ${label} to go by: ${this.#text(node)}`);
  }

  /** Labels of `by`, `without`, `on`, `ignoring`, without those after `group_left`. */
  #labelNames(node: Node): readonly string[] {
    return (node.getChild('GroupingLabels')?.getChildren('LabelName') ?? []).map((label) => this.#text(label));
  }

  #arguments(node: Node): readonly Node[] {
    const body = node.getChild('FunctionCallBody');
    return body === null ? [] : children(body).filter(isExpression);
  }

  #text(node: Node | null): string {
    return node === null ? '' : this.#expr.slice(node.from, node.to);
  }
}

/** Each alternative of a pattern separately, because every one must be possible. */
function alternatives(operator: string | undefined, value: string): readonly string[] {
  return isPattern(operator) && !value.includes('(') ? value.split('|') : [value];
}

function isPattern(operator: string | undefined): boolean {
  return operator === '=~' || operator === '!~';
}

/** Prometheus anchors patterns at both ends. */
function fullMatch(pattern: string): (value: string) => boolean {
  const anchored = new RegExp(`^(?:${pattern})$`);
  return (value) => anchored.test(value);
}

function metricsIn(node: Node, expr: string): readonly string[] {
  if (node.name === 'VectorSelector') {
    const name = node.getChild('Identifier');
    return name === null ? [] : [expr.slice(name.from, name.to)];
  }
  return children(node).flatMap((child) => metricsIn(child, expr));
}

function isExpression(node: Node): boolean {
  return /(?:Expr|Selector|Literal|Call)$/.test(node.name) && !node.name.startsWith('Duration');
}

function children(node: Node): readonly Node[] {
  const found: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child);
  return found;
}

function minus(labels: ReadonlySet<string>, taken: readonly string[]): ReadonlySet<string> {
  return new Set([...labels].filter((label) => !taken.includes(label)));
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((label) => b.has(label));
}
