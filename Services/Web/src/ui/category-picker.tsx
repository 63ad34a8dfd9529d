/** Tiles of categories, those used most first; letters filter them by name. */
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import * as words from '../generated/words';
import { Mark, symbolOf } from './icon';
import { locale } from './words';

export interface CategoryChoice {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  readonly symbol?: string | undefined;
}

interface CategoryPickerProps {
  categories: readonly CategoryChoice[];
  value: string | undefined;
  /** How many tiles stand before «All». */
  shown?: number;
  onChange: (id: string) => void;
}

const plain = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase(locale());

/** Those whose name, or a word of it, begins with what was typed. */
export function matching(
  categories: readonly CategoryChoice[],
  typed: string,
): readonly CategoryChoice[] {
  const wanted = plain(typed.trim());
  if (wanted === '') return categories;
  return categories.filter((one) => plain(one.name).split(/[\s&/-]+/).some((word) => word.startsWith(wanted)) || plain(one.name).startsWith(wanted));
}

export function CategoryPicker({ categories, value, shown = 7, onChange }: CategoryPickerProps) {
  const [isWhole, setWhole] = useState(false);
  const [typed, setTyped] = useState('');
  const group = useRef<HTMLDivElement>(null);
  const found = useMemo(() => matching(categories, typed), [categories, typed]);
  const isCut = !isWhole && typed === '' && found.length > shown + 1;
  const tiles = isCut ? withChosen(found, shown, value) : found;

  /** Letters that are typed on a tile filter; Backspace takes the last one back. */
  function filter(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
    if (event.key === 'Backspace') setTyped(typed.slice(0, -1));
    else if (/^\p{L}$/u.test(event.key)) setTyped(typed + event.key);
    else return;
    event.preventDefault();
  }

  return (
    <div className="stack tight" onKeyDown={filter}>
      {isWhole || typed !== '' ? (
        <input
          className="input"
          type="search"
          value={typed}
          aria-label={words.categoryFilter()}
          placeholder={words.categoryFilter()}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            const first = found[0];
            if (event.key !== 'Enter' || !first) return;
            event.preventDefault();
            onChange(first.id);
          }}
        />
      ) : null}
      <div className="cats" ref={group} role="group" aria-label={words.category()}>
        {tiles.map((one) => (
          <button
            key={one.id}
            type="button"
            className="cat"
            aria-pressed={one.id === value}
            onClick={() => onChange(one.id)}
          >
            <Mark icon={symbolOf(one.symbol)} color={one.color} />
            <span>{one.name}</span>
          </button>
        ))}
        {isCut ? (
          <button type="button" className="cat" onClick={() => setWhole(true)}>
            <Mark icon="dots" />
            <span>{words.categoryAll()}</span>
          </button>
        ) : null}
      </div>
      {tiles.length === 0 ? (
        <p className="sub" role="status">{words.categoryNone({ typed })}</p>
      ) : null}
    </div>
  );
}

/** The first ones, and the chosen one in the last place when it would be hidden. */
function withChosen(
  all: readonly CategoryChoice[],
  shown: number,
  value: string | undefined,
): readonly CategoryChoice[] {
  const first = all.slice(0, shown);
  const chosen = all.find((one) => one.id === value);
  return !chosen || first.includes(chosen) ? first : [...first.slice(0, -1), chosen];
}
