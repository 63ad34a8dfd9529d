/** Our own router: which screen an address names, and the browser's history. */
import type { ComponentType } from 'react';
import type { ScreenProps } from '../ui/screen';

export interface Route {
  readonly path: string;
  /** The people who see it: everybody, or users who are signed in. */
  readonly for: 'anyone' | 'user';
  readonly title: () => string;
  /** The page's heading, when it is another one than its title. */
  readonly heading?: (user: string) => string;
  readonly load: () => Promise<{ default: ComponentType<ScreenProps> }>;
  /** Drawn as a sheet over this address. */
  readonly over?: string;
}

export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** The names that a path has where a pattern has `{names}`; nothing when it is another path. */
export function namesIn(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.replace(/(.)\/$/, '$1').split('/');
  if (wanted.length !== given.length) return undefined;
  const names: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== value : value === '') return undefined;
    if (name === undefined) continue;
    try {
      names[name] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
  }
  return names;
}

/** A path without names goes before one with a name in the same place. */
export function match(routes: readonly Route[], path: string): Match | undefined {
  const fixed = routes.find((route) => !route.path.includes('{') && namesIn(route.path, path));
  if (fixed) return { route: fixed, params: {} };
  for (const route of routes) {
    const params = namesIn(route.path, path);
    if (params) return { route, params };
  }
  return undefined;
}

const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

export const address = (): string => location.pathname + location.search;

export function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('popstate', tell);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('popstate', tell);
  };
}

/** Each step of the history keeps where it was scrolled to. */
export function go(to: string, { replace = false }: { replace?: boolean } = {}): void {
  if (to === address()) return;
  if (replace) history.replaceState(history.state, '', to);
  else {
    history.replaceState({ ...(history.state as object | null), scroll: scrollY }, '');
    history.pushState({ isOurs: true }, '', to);
  }
  tell();
}

/** Goes back when the step before is ours, else to `otherwise`. */
export function back(otherwise: string): void {
  if ((history.state as { isOurs?: boolean } | null)?.isOurs) history.back();
  else go(otherwise, { replace: true });
}
