/** Six digits that were sent by mail or SMS, or that an app shows: they send themselves. */
import { useState } from 'react';
import type { ChallengeView } from '../../generated/api';
import * as words from '../../generated/words';
import { Button } from '../../ui/button';
import { Field } from '../../ui/field';
import { Note } from '../../ui/states';
import { textOf } from '../../ui/refusals';
import { answerCode } from './write';

interface CodeFormProps {
  challenge: ChallengeView;
  /** The label of the button; «Sign in» by default. */
  action?: string;
  onDone: () => void;
  onBack: () => void;
}

const LENGTH = 6;

export function CodeForm({ challenge, action, onDone, onBack }: CodeFormProps) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);

  async function send(text: string): Promise<void> {
    setSending(true);
    try {
      await answerCode(challenge.id, text);
      onDone();
    } catch (refused) {
      setError(textOf(refused));
      setCode('');
    } finally {
      setSending(false);
    }
  }

  const says = challenge.channel === 'totp' ? words.codeFromApp() : words.codeSent({ to: challenge.to ?? '' });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void send(code);
      }}
    >
      <Note>{says}</Note>
      <Field label={words.code()} error={error}>
        {(ties) => (
          <input
            {...ties}
            className="input num code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={challenge.channel === 'totp' ? 16 : LENGTH}
            value={code}
            autoFocus
            onChange={(event) => {
              const typed = event.target.value.trim();
              setCode(typed);
              setError(undefined);
              if (/^\d{6}$/.test(typed)) void send(typed);
            }}
          />
        )}
      </Field>
      <Button type="submit" size="wide" isBusy={isSending}>{action ?? words.signIn()}</Button>
      <Button look="plain" onClick={onBack}>{words.goBack()}</Button>
    </form>
  );
}
