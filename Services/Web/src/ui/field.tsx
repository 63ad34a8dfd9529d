import {
  useId,
  useState,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
} from 'react';
import * as words from '../generated/words';
import { IconButton } from './button';
import { Icon } from './icon';

interface Around {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  /** Beside the label, for example «Forgot it?». */
  aside?: ReactNode;
}

/** The ids that tie a control to its label, hint and error. */
export interface Ties {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

/** A label, a control, a hint and an error, tied together for those who do not see them. */
export function Field({
  label,
  hint,
  error,
  aside,
  children,
}: Around & { children: (ties: Ties) => ReactNode }) {
  const id = useId();
  const described = [
    hint ? `${id}-hint` : '',
    error ? `${id}-error` : '',
  ].filter(Boolean).join(' ');
  const ties: Ties = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': error ? true : undefined,
  };
  return (
    <div className="field">
      {aside ? (
        <div className="row between">
          <label className="label" htmlFor={id}>{label}</label>
          {aside}
        </div>
      ) : (
        <label htmlFor={id}>{label}</label>
      )}
      {children(ties)}
      {hint ? <p className="hint" id={`${id}-hint`}>{hint}</p> : null}
      {error ? (
        <p className="error" id={`${id}-error`}>
          <Icon name="alert" /> <span>{error}</span>
        </p>
      ) : null}
    </div>
  );
}

type Input = Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'className'>;

export function TextField({ label, hint, error, aside, ...input }: Around & Input) {
  return (
    <Field label={label} hint={hint} error={error} aside={aside}>
      {(ties) => <input {...input} {...ties} className="input" />}
    </Field>
  );
}

/** A password with an eye: it shows only what is being typed. */
export function PasswordField({ label, hint, error, aside, ...input }: Around & Input) {
  const [isShown, setShown] = useState(false);
  return (
    <Field label={label} hint={hint} error={error} aside={aside}>
      {(ties) => (
        <div className="within">
          <input
            {...input}
            {...ties}
            className="input"
            type={isShown ? 'text' : 'password'}
            spellCheck={false}
            autoCapitalize="none"
          />
          <IconButton
            icon={isShown ? 'eye-off' : 'eye'}
            label={isShown ? words.fieldHidePassword() : words.fieldShowPassword()}
            onClick={() => setShown(!isShown)}
          />
        </div>
      )}
    </Field>
  );
}

type SelectProps = Around & Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id' | 'className'>;

export function SelectField({ label, hint, error, aside, children, ...select }: SelectProps) {
  return (
    <Field label={label} hint={hint} error={error} aside={aside}>
      {(ties) => (
        <select {...select} {...ties} className="input">
          {children}
        </select>
      )}
    </Field>
  );
}

/** A setting that is on or off at once. */
export function SwitchRow({ label, about, ...input }: Input & { label: string; about?: string }) {
  const id = useId();
  return (
    <div className="set">
      <label className="what" htmlFor={id}>
        <b>{label}</b>
        {about ? <span id={`${id}-about`}>{about}</span> : null}
      </label>
      <input
        {...input}
        id={id}
        type="checkbox"
        role="switch"
        className="switch"
        aria-describedby={about ? `${id}-about` : undefined}
      />
    </div>
  );
}

export function CheckRow({ label, ...input }: Input & { label: ReactNode }) {
  const id = useId();
  return (
    <label className="row" htmlFor={id}>
      <input {...input} id={id} type="checkbox" className="check" />
      <span className="grow">{label}</span>
    </label>
  );
}
