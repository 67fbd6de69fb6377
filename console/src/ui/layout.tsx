// The frame of a page: its title, actions, panels, facts and filters.
import { type ReactNode, useEffect } from 'react';
import classes from '../styles/page.module.css';

export interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, description, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Model Gateway`;
  }, [title]);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <div className={classes.headText}>
          <h1>{title}</h1>
          {description === undefined ? null : <p className={classes.lead}>{description}</p>}
        </div>
        {actions === undefined ? null : <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export interface PanelProps {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({ title, actions, children }: PanelProps) {
  return (
    <section className={classes.panel}>
      {title === undefined && actions === undefined ? null : (
        <div className={classes.panelHead}>
          <h2>{title}</h2>
          {actions === undefined ? null : <div className={classes.actions}>{actions}</div>}
        </div>
      )}
      <div className={classes.panelBody}>{children}</div>
    </section>
  );
}

export function Filters({ children }: { readonly children: ReactNode }) {
  return <div className={classes.filters}>{children}</div>;
}

export function Row({ children }: { readonly children: ReactNode }) {
  return <div className={classes.row}>{children}</div>;
}

export function Stack({ children }: { readonly children: ReactNode }) {
  return <div className={classes.stack}>{children}</div>;
}

export function Grid({ children }: { readonly children: ReactNode }) {
  return <div className={classes.grid}>{children}</div>;
}

/** Two wide panels beside each other, where there is room. */
export function Pair({ children }: { readonly children: ReactNode }) {
  return <div className={classes.pair}>{children}</div>;
}

export function Stats({ isLoading, children }: { readonly isLoading: boolean; readonly children: ReactNode }) {
  return (
    <div className={classes.stats} {...(isLoading ? { 'data-loading': '' } : {})}>
      {children}
    </div>
  );
}

export interface StatProps {
  readonly label: string;
  readonly value: ReactNode;
  readonly detail?: ReactNode;
}

export function Stat({ label, value, detail }: StatProps) {
  return (
    <div className={classes.stat}>
      <p className={classes.statLabel}>{label}</p>
      <p className={classes.statValue}>{value}</p>
      <p className={classes.statDetail}>{detail ?? ' '}</p>
    </div>
  );
}

/** Names and values. A value that is undefined is left out with its name. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name} className={classes.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

export function Mono({ children }: { readonly children: ReactNode }) {
  return <code className={classes.mono}>{children}</code>;
}

export function Muted({ children }: { readonly children: ReactNode }) {
  return <span className={classes.muted}>{children}</span>;
}

/** How much of something is used. @param part 0 to 1 and above */
export function Bar({ part, label }: { readonly part: number; readonly label: string }) {
  const tone = part >= 1 ? classes.meterBad : part >= 0.8 ? classes.meterWarn : classes.meterGood;
  return (
    <meter
      className={`${classes.meter} ${tone}`}
      min={0}
      max={1}
      value={Math.max(0, Math.min(1, Number.isFinite(part) ? part : 0))}
      aria-label={label}
    />
  );
}
