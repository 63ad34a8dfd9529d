import type { CSSProperties } from 'react';
import { iconNames, type IconName } from '../generated/icons';
import sprite from '../generated/sprite.svg';

export type { IconName };

const known = new Set<string>(iconNames);

/** A palette's symbol as an icon; names that we do not draw become dots. */
export const symbolOf = (name: string | undefined): IconName =>
  known.has(name ?? '') ? (name as IconName) : 'dots';

export function Icon({ name, label }: { name: IconName; label?: string }) {
  return (
    <svg
      className="i"
      role={label ? 'img' : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}

interface MarkProps {
  icon: IconName;
  color?: string | undefined;
  size?: 's' | 'm';
}

/** A symbol on a tile of its colour; any colour passes, for ink is mixed in. */
export function Mark({ icon, color = '#808080', size = 'm' }: MarkProps) {
  const style = { '--c': color } as CSSProperties;
  return (
    <span className={size === 's' ? 'mark s' : 'mark'} style={style}>
      <Icon name={icon} />
    </span>
  );
}

const tints = ['', ' b', ' c', ' d', ' e'];

/** A person: their picture, or their initials on a tint that stays theirs. */
export function Face({ name, picture, size = 'm' }: {
  name: string;
  picture?: string;
  size?: 's' | 'm' | 'l';
}) {
  const letters = [...name.trim()];
  const words = name.trim().split(/\s+/);
  const initials = (words.length > 1 ? [
    words[0],
    words[words.length - 1],
  ] : [letters.slice(0, 2).join('')])
    .map((word) => (words.length > 1 ? [...(word ?? '')][0] : word))
    .join('');
  const tint = tints[letters.reduce(
    (sum, letter) => sum + (letter.codePointAt(0) ?? 0),
    0,
  ) % tints.length];
  const className = `face${tint}${size === 'm' ? '' : ` ${size}`}`;
  if (picture) return <img className={className} src={picture} alt="" />;
  return (
    <span className={className} aria-hidden="true">
      {initials.toLocaleUpperCase()}
    </span>
  );
}
