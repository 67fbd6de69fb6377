// Text to copy: snippets, ids, values that are shown once.
import { useEffect, useState } from 'react';
import classes from '../styles/page.module.css';
import { Button } from './button.tsx';

export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <figure className={classes.code}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={text} label={`Copy ${label}`} />
    </figure>
  );
}

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <Button aria-label={label} onPress={() => void copy()}>
      {copied ? 'Copied' : 'Copy'}
    </Button>
  );
}
