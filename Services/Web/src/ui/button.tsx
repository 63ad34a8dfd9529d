import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Icon, type IconName } from './icon';

type Plain = ButtonHTMLAttributes<HTMLButtonElement>;

interface ButtonProps extends Plain {
  look?: 'main' | 'soft' | 'line' | 'plain' | 'bad';
  size?: 'small' | 'normal' | 'wide';
  icon?: IconName;
  /** The button's work is under way: it stays in place and takes no second press. */
  isBusy?: boolean;
}

export function Button({
  look = 'main',
  size = 'normal',
  icon,
  isBusy,
  children,
  ...rest
}: ButtonProps) {
  const names = ['btn', look === 'main' ? '' : look, size === 'normal' ? '' : size].filter(Boolean);
  return (
    <button
      type="button"
      {...rest}
      className={names.join(' ')}
      aria-busy={isBusy || undefined}
      disabled={isBusy || rest.disabled}
    >
      {icon ? <Icon name={icon} /> : null}
      {children}
    </button>
  );
}

/** A button that is only an icon; its name is for those who do not see it. */
export function IconButton({ icon, label, ...rest }: Plain & { icon: IconName; label: string }) {
  return (
    <button type="button" {...rest} className="round" aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}

/** A filter or a choice that is on or off. */
export function Chip({ icon, isOn, children, ...rest }: Plain & {
  icon?: IconName;
  isOn?: boolean;
}) {
  return (
    <button type="button" {...rest} className="chip" aria-pressed={isOn}>
      {icon ? <Icon name={icon} /> : null}
      {children}
    </button>
  );
}

interface SegmentsProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { readonly value: Value; readonly label: ReactNode; readonly name?: string }[];
  isFull?: boolean;
  onChange: (value: Value) => void;
}

/** One of a few: «Spent, Received, Moved». */
export function Segments<Value extends string>({
  label,
  value,
  options,
  isFull,
  onChange,
}: SegmentsProps<Value>) {
  return (
    <div className={isFull ? 'seg full' : 'seg'} role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          aria-label={option.name}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
