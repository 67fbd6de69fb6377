// Light, dark, or as the system is. The choice is kept in the browser; without storage it lasts as long as the page.
export type Theme = 'system' | 'light' | 'dark';

const name = 'model-gateway-theme';

export function storedTheme(): Theme {
  try {
    const value = localStorage.getItem(name);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(name, theme);
  } catch {
    // The browser keeps nothing.
  }
}
