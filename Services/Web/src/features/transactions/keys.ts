/** Keys of the list: arrows move from row to row, Delete deletes the one in focus. */
import type { KeyboardEvent } from 'react';

export function listKeys(event: KeyboardEvent<HTMLElement>, remove: (id: string) => void): void {
  const row = (event.target as HTMLElement).closest('li');
  if (!row) return;
  if (event.key === 'Delete') {
    const id = new URL(
      (event.target as HTMLAnchorElement).href,
      location.href,
    ).searchParams.get('open');
    if (id) remove(id);
    return;
  }
  const isDown = event.key === 'ArrowDown';
  if (!isDown && event.key !== 'ArrowUp') return;
  event.preventDefault();
  for (let next = step(row, isDown); next; next = step(next, isDown)) {
    const link = next.querySelector('a');
    if (link) return link.focus();
  }
}

const step = (row: Element, isDown: boolean): Element | null =>
  isDown ? row.nextElementSibling : row.previousElementSibling;
