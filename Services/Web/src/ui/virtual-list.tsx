/**
 * A list of any length that draws only what is seen, and five rows more on each side: at most 24
 * rows of 64 px on a desktop.
 *
 * Heights are known before drawing: each row says its own. The list scrolls with the page. The next
 * page is asked for while the last rows come near.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';

interface VirtualListProps<Row> {
  label: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  heightOf: (row: Row) => number;
  draw: (row: Row) => ReactNode;
  /** How many rows there are in all; unknown while pages are missing. */
  total?: number | undefined;
  /** Asks for the next page; absent on the last one. */
  onEnd?: (() => void) | undefined;
}

const OVERSCAN = 5;

/** The first index whose end lies below `y`. */
function indexAt(ends: readonly number[], y: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > y) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function VirtualList<Row>({
  label,
  rows,
  keyOf,
  heightOf,
  draw,
  total,
  onEnd,
}: VirtualListProps<Row>) {
  const list = useRef<HTMLUListElement>(null);
  const ends = useMemo(() => {
    let y = 0;
    return rows.map((row) => (y += heightOf(row)));
  }, [rows, heightOf]);
  const [seen, setSeen] = useState({ from: 0, to: 12 });

  useLayoutEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const from = Math.max(0, indexAt(ends, -top) - OVERSCAN);
      const to = Math.min(ends.length, indexAt(ends, window.innerHeight - top) + 1 + OVERSCAN);
      setSeen((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    const later = () => (frame ||= requestAnimationFrame(look));
    look();
    window.addEventListener('scroll', later, { passive: true });
    window.addEventListener('resize', later);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', later);
      window.removeEventListener('resize', later);
    };
  }, [ends]);

  const isNearEnd = seen.to >= rows.length - OVERSCAN;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, onEnd, rows.length]);

  const height = ends[ends.length - 1] ?? 0;
  return (
    <ul className="list virtual" ref={list} aria-label={label} style={{ height }}>
      {rows.slice(seen.from, seen.to).map((row, offset) => {
        const index = seen.from + offset;
        const y = index === 0 ? 0 : ends[index - 1] ?? 0;
        return (
          <li
            key={keyOf(row)}
            aria-posinset={index + 1}
            aria-setsize={total ?? (onEnd ? -1 : rows.length)}
            style={{ transform: `translateY(${y}px)`, height: heightOf(row) }}
          >
            {draw(row)}
          </li>
        );
      })}
    </ul>
  );
}
