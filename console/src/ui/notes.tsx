// What a page says instead of, or beside, its content: errors with what to do, empty states, loading.
import type { ReactNode } from 'react';
import { adviceFor, Problem } from '../api/problem.ts';
import classes from '../styles/page.module.css';
import { Button } from './button.tsx';

/** Nothing if there is no error. */
export function ErrorNote({ error, onRetry }: { readonly error: Error | null; readonly onRetry?: () => void }) {
  if (error === null) return null;
  const violations = error instanceof Problem ? error.violations : [];
  const requestId = error instanceof Problem ? error.requestId : undefined;
  return (
    <div role="alert" className={`${classes.note} ${classes.noteBad}`}>
      <strong>{sentence(error.message)}</strong>
      {violations.length === 0 ? null : (
        <ul className={classes.violations}>
          {violations.map(({ field, description }) => (
            <li key={`${field} ${description}`}>
              <code>{field}</code> {description}
            </li>
          ))}
        </ul>
      )}
      <p>{adviceFor(error)}</p>
      {requestId === undefined ? null : (
        <p>
          Request id <code>{requestId}</code>
        </p>
      )}
      {onRetry === undefined ? null : <Button onPress={onRetry}>Try again</Button>}
    </div>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

export interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className={classes.empty}>
      <h2>{title}</h2>
      {children === undefined ? null : <p>{children}</p>}
      {action}
    </div>
  );
}

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent';

/** A state in one word. The word says it; the colour only repeats it. */
export function Badge({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={`${classes.badge} ${classes[`tone-${tone}`]}`}>{children}</span>;
}

export function Note({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <div className={`${classes.note} ${classes[`tone-${tone}`]}`}>{children}</div>;
}

/** Keeps its room while something loads, so that nothing moves when it is there. */
export function Loading({ rows = 6 }: { readonly rows?: number }) {
  const bars = Array.from({ length: rows }, (_, index) => `bar ${index}`);
  return (
    <div className={classes.loading} role="status" aria-label="Loading">
      {bars.map((name) => (
        <div key={name} className={classes.bar} />
      ))}
    </div>
  );
}
