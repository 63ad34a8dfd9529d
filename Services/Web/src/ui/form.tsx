/**
 * The form helper: fields keep their own values; the form reads them when it is sent.
 *
 * Names of fields are the API's pointers («/amount»). A rule returns what is wrong, or nothing. What
 * the server refuses is put beside the field that its pointer names, and the rest on top.
 */
import { useCallback, useRef, useState, type FormEvent, type ReactNode } from 'react';
import * as words from '../generated/words';
import { Countdown } from './countdown';
import { Icon } from './icon';

export type Values = Readonly<Record<string, string>>;
export type Errors = Readonly<Record<string, string>>;
export type Rules = Readonly<Record<string, (value: string, values: Values) => string | undefined>>;

/** A refusal as a form shows it: texts by pointer, and one for the top. */
export interface FormRefusal {
  readonly fields: Errors;
  readonly whole?: string | undefined;
  /** Seconds until it may be sent again: they are counted down in the place of `whole`. */
  readonly retryAfter?: number | undefined;
}

interface FormProps {
  rules?: Rules;
  /** The labels of the fields, for the links of the summary. */
  labels?: Readonly<Record<string, string>>;
  /** Sends the values; returns what was refused. */
  onSend: (values: Values, submitter: string | undefined) => Promise<FormRefusal | undefined>;
  children: (state: { errors: Errors; isSending: boolean }) => ReactNode;
}

export function readForm(form: HTMLFormElement): Values {
  const values: Record<string, string> = {};
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') values[name] = value;
  return values;
}

export function faultsOf(rules: Rules, values: Values): Errors {
  const errors: Record<string, string> = {};
  for (const [name, rule] of Object.entries(rules)) {
    const fault = rule(values[name] ?? '', values);
    if (fault) errors[name] = fault;
  }
  return errors;
}

export function Form({ rules = {}, labels = {}, onSend, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [refusal, setRefusal] = useState<FormRefusal>({ fields: {} });
  const [isSending, setSending] = useState(false);

  function show(refused: FormRefusal): void {
    setRefusal(refused);
    const first = Object.keys(refused.fields)[0];
    // After the errors are drawn, so that the focused field is read out with its error.
    requestAnimationFrame(() => {
      const control = first ? fieldOf(form.current, first) : form.current?.querySelector<HTMLElement>('[data-summary]');
      control?.focus();
    });
  }

  async function send(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isSending) return;
    const values = readForm(event.currentTarget);
    const fields = faultsOf(rules, values);
    if (Object.keys(fields).length > 0) return show({ fields });
    const { submitter } = event.nativeEvent as SubmitEvent;
    setSending(true);
    try {
      const refused = await onSend(values, submitter?.getAttribute('value') ?? undefined);
      refused ? show(refused) : setRefusal({ fields: {} });
    } finally {
      setSending(false);
    }
  }

  const clear = useCallback(() => setRefusal({ fields: {} }), []);
  const names = Object.keys(refusal.fields);
  return (
    <form ref={form} className="stack" noValidate onSubmit={(event) => void send(event)}>
      {refusal.whole || names.length > 1 ? (
        <div className="note bad" role="alert" tabIndex={-1} data-summary>
          <Icon name="alert" />
          <div>
            <p>
              {refusal.retryAfter ? (
                <Countdown seconds={refusal.retryAfter} onDone={clear} />
              ) : (
                refusal.whole ?? words.formFaults({ count: names.length })
              )}
            </p>
            {names.map((name) => (
              <p key={name}>
                <button
                  type="button"
                  className="link"
                  onClick={() => fieldOf(form.current, name)?.focus()}
                >
                  {labels[name] ?? name.slice(1)}
                </button>
              </p>
            ))}
          </div>
        </div>
      ) : null}
      {children({ errors: refusal.fields, isSending })}
    </form>
  );
}

function fieldOf(form: HTMLFormElement | null, name: string): HTMLElement | null {
  const control = form?.elements.namedItem(name);
  return control instanceof HTMLElement ? control : null;
}

/** A field that must not be left empty. */
export const needed = (value: string): string | undefined =>
  value.trim() === '' ? words.fieldNeeded() : undefined;
