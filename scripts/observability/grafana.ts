// Renders dashboards for Grafana from the tables (the only importer of Grafana's SDK). They contain nothing specific to
// an installation: the page lets the viewer choose the data source, and no dashboard has a numeric id.
import { PanelBuilder as BarsBuilder } from '@grafana/grafana-foundation-sdk/bargauge';
import {
  BigValueGraphMode,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizOrientation,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardBuilder,
  DashboardCursorSync,
  type DashboardLink,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { compactJson } from '../compact-json.ts';
import { type Choice, type Dashboard, type Panel, type Query, type Row, scopeLabels } from './dashboard.ts';

const tag = 'model-gateway';
/** A list of all pages at the top of each page. The SDK's builder would put it into a menu. */
const otherPages: DashboardLink = {
  title: 'Model Gateway',
  type: DashboardLinkType.Dashboards,
  tags: [tag],
  asDropdown: true,
  includeVars: true,
  keepTime: true,
  targetBlank: false,
  icon: 'external link',
  tooltip: '',
};
const datasource = { type: 'prometheus', uid: '$datasource' };

/** @returns the content of a dashboard's file, a line for each panel */
export function renderDashboard(dashboard: Dashboard): string {
  const { name, title, description, about, choices = [], rows } = dashboard;
  const builder = new DashboardBuilder(`Model Gateway / ${title}`)
    .uid(`${tag}-${name}`)
    .description(description)
    .tags([tag])
    .time({ from: 'now-3h', to: 'now' })
    .refresh('1m')
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .link({ build: () => otherPages })
    .withVariable(new DatasourceVariableBuilder('datasource').type('prometheus').label('Data source'));
  for (const choice of [...scopeChoices(about), ...choices]) builder.withVariable(variable(choice));
  const ids = numbers();
  for (const row of rows) addRow(builder, row, ids);
  return compactJson(builder.build(), 2);
}

/** Expands `$scope` to label matchers; Grafana replaces the `$variables` in them. */
export function inScope(expr: string): string {
  return expr.replaceAll('$scope', scopeLabels.map((label) => `${label}=~"$${label}"`).join(', '));
}

/** Each variable offers values within the earlier choices. */
function scopeChoices(about: string): readonly Choice[] {
  return scopeLabels.map((label, index) => {
    const before = scopeLabels.slice(0, index).map((earlier) => `${earlier}=~"$${earlier}"`);
    return { name: label, metric: before.length === 0 ? about : `${about}{${before.join(', ')}}`, label };
  });
}

function variable({ name, metric, label, text }: Choice): QueryVariableBuilder {
  const builder = new QueryVariableBuilder(name)
    .label(name.slice(0, 1).toUpperCase() + name.slice(1))
    .datasource(datasource);
  if (text === undefined) builder.query({ query: `label_values(${metric}, ${label})`, refId: name });
  else
    builder
      .query({ query: `query_result(max by (${label}, ${text}) (${metric}))`, refId: name })
      .regex(`/${text}="(?<text>[^"]+)|${label}="(?<value>[^"]+)/g`);
  return builder
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current({ text: ['All'], value: ['$__all'] });
}

/** Numbers the panels of a page, so that a link to a panel stays valid. */
function numbers(): () => number {
  let last = 0;
  return () => ++last;
}

function addRow(builder: DashboardBuilder, { title, panels }: Row, id: () => number): void {
  builder.withRow(new RowBuilder(title).id(id()));
  for (const panel of panels) builder.withPanel(panelBuilder(panel).id(id()));
}

function panelBuilder(panel: Panel): TimeseriesBuilder | StatBuilder | BarsBuilder {
  switch (panel.kind) {
    case 'timeseries':
      return timeseries(panel);
    case 'stat':
      return stat(panel);
    case 'bars':
      return bars(panel);
  }
}

function timeseries(panel: Panel): TimeseriesBuilder {
  const { width = 8, max, stacked = false } = panel;
  const builder = new TimeseriesBuilder()
    .span(width)
    .height(8)
    .min(0)
    .lineWidth(1)
    .fillOpacity(stacked ? 40 : 8)
    .showPoints(VisibilityMode.Never)
    .stacking(new StackingConfigBuilder().mode(stacked ? StackingMode.Normal : StackingMode.None))
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.Table)
        .placement(LegendPlacement.Bottom)
        .calcs(['mean', 'max']),
    );
  if (max !== undefined) builder.max(max);
  if (panel.thresholds !== undefined)
    builder.thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed));
  return described(builder, panel);
}

function stat(panel: Panel): StatBuilder {
  const builder = new StatBuilder()
    .span(panel.width ?? 4)
    .height(4)
    .graphMode(BigValueGraphMode.Area)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
  return described(builder, panel);
}

function bars(panel: Panel): BarsBuilder {
  const builder = new BarsBuilder()
    .span(panel.width ?? 8)
    .height(8)
    .min(0)
    .orientation(VizOrientation.Horizontal)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
  return described(builder, panel);
}

/** Sets the options that all kinds of panels share. */
function described<Builder extends TimeseriesBuilder | StatBuilder | BarsBuilder>(
  builder: Builder,
  { title, description, unit, queries, thresholds, kind }: Panel,
): Builder {
  builder.title(title).description(description).unit(unit).datasource(datasource);
  builder.thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps(thresholds ?? [])));
  queries.forEach((query, index) => {
    builder.withTarget(target(query, index, kind));
  });
  return builder;
}

function target({ expr, legend }: Query, index: number, kind: Panel['kind']): DataqueryBuilder {
  const builder = new DataqueryBuilder()
    .expr(inScope(expr))
    .legendFormat(legend)
    .refId(String.fromCharCode('A'.charCodeAt(0) + index))
    .datasource(datasource);
  // One value for the whole shown range: an instant query, not one per point.
  return kind === 'bars' || expr.includes('[$__range]') ? builder.instant() : builder.range();
}

/** Green up to the first threshold. If the second is lower than the first, less is worse. */
function steps(thresholds: readonly number[]): { value: number | null; color: string }[] {
  const [warning, critical] = thresholds;
  if (warning === undefined || critical === undefined) return [{ value: null, color: 'green' }];
  if (warning < critical)
    return [
      { value: null, color: 'green' },
      { value: warning, color: 'orange' },
      { value: critical, color: 'red' },
    ];
  return [
    { value: null, color: 'red' },
    { value: critical, color: 'orange' },
    { value: warning, color: 'green' },
  ];
}
