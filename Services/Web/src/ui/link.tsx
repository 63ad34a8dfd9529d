/** A link within the client: it changes the page without loading it, and is a real link otherwise. */
import { createContext, useContext, type AnchorHTMLAttributes, type MouseEvent } from 'react';

/** Set by the router; without one (in the page of components) links are plain. */
export const Navigate = createContext<((to: string) => void) | undefined>(undefined);

export function Link({ to, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { to: string }) {
  const navigate = useContext(Navigate);
  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    rest.onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!navigate || event.defaultPrevented || !isPlain) return;
    event.preventDefault();
    navigate(to);
  }
  return <a {...rest} href={to} onClick={follow} />;
}
