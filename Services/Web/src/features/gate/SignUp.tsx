/** G2: creating an account. */
import { useRead } from '../../api/react';
import { listCurrencies } from './read';
import * as words from '../../generated/words';
import { Button } from '../../ui/button';
import { PasswordField, SelectField, TextField } from '../../ui/field';
import { Form, needed, type Values } from '../../ui/form';
import { Link } from '../../ui/link';
import { placed } from '../../ui/refusals';
import type { ScreenProps } from '../../ui/screen';
import { locale } from '../../ui/words';
import { Gate } from './Gate';
import { signUp } from './write';

const rules = {
  '/email': (value: string) => (/^\S+@\S+\.\S+$/.test(value.trim()) ? undefined : words.emailFault()),
  '/password': (value: string) => (value.length < 8 ? words.passwordShort() : undefined),
};

const optional = (value: string | undefined) => value?.trim() || undefined;

async function send(values: Values) {
  try {
    await signUp({
      email: (values['/email'] ?? '').trim(),
      password: values['/password'] ?? '',
      firstName: optional(values['/firstName']),
      lastName: optional(values['/lastName']),
      currency: optional(values['/currency']),
      language: locale(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
    location.replace('/');
    return undefined;
  } catch (error) {
    return placed(error, { 'email-taken': '/email' });
  }
}

export default function SignUp(_: ScreenProps) {
  const currencies = useRead(listCurrencies, {}).body?.items ?? [];
  return (
    <Gate>
      <div>
        <h1 className="big-h">{words.signUpTitle()}</h1>
        <p className="sub">{words.signUpWhy()}</p>
      </div>
      <Form
        rules={{ ...rules, '/firstName': needed }}
        labels={{ '/email': words.email(), '/password': words.password() }}
        onSend={send}
      >
        {({ errors, isSending }) => (
          <>
            <TextField
              label={words.firstName()}
              name="/firstName"
              autoComplete="given-name"
              error={errors['/firstName']}
            />
            <TextField
              label={words.lastName()}
              name="/lastName"
              autoComplete="family-name"
              error={errors['/lastName']}
            />
            <TextField
              label={words.email()}
              name="/email"
              type="email"
              autoComplete="email"
              error={errors['/email']}
            />
            <PasswordField
              label={words.password()}
              name="/password"
              autoComplete="new-password"
              hint={words.passwordHint()}
              error={errors['/password']}
            />
            {currencies.length > 0 ? (
              <SelectField
                label={words.currency()}
                name="/currency"
                defaultValue="EUR"
                error={errors['/currency']}
              >
                {currencies.map((one) => (
                  <option key={one.code} value={one.code}>{one.code} · {one.name}</option>
                ))}
              </SelectField>
            ) : null}
            <Button type="submit" size="wide" isBusy={isSending}>{words.createAccount()}</Button>
          </>
        )}
      </Form>
      <p className="sub">
        {words.haveAccount()} <Link className="link" to="/sign-in">{words.signIn()}</Link>
      </p>
    </Gate>
  );
}
