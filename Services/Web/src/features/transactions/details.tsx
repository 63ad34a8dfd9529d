/** Name, account and day of a new transaction: chips on phones, fields on wide screens. */
import { useState } from 'react';
import type { AccountView } from '../../generated/api';
import { relativeDay, type DateFormat } from '../../domain/dates';
import * as words from '../../generated/words';
import { Chip } from '../../ui/button';
import { DateInput } from '../../ui/date-input';
import { SelectField, TextField } from '../../ui/field';
import { kindIcon } from '../../ui/kinds';
import { dateLocale } from '../../ui/words';

export interface Details {
  readonly accountId: string;
  readonly name: string;
  readonly date: string;
}

interface DetailsProps {
  isWide: boolean;
  details: Details;
  accounts: readonly AccountView[];
  day: string;
  format: DateFormat;
  onChange: (details: Details) => void;
}

type Part = 'name' | 'account' | 'day';

export function DetailsFields({ isWide, details, accounts, day, format, onChange }: DetailsProps) {
  const [open, setOpen] = useState<Part>();
  const toggle = (part: Part) => () => setOpen(open === part ? undefined : part);
  const account = accounts.find((one) => one.id === details.accountId);
  const isShown = (part: Part) => isWide || open === part;
  return (
    <>
      {isWide ? null : (
        <div className="chips scroll">
          <Chip icon="pen" aria-expanded={open === 'name'} onClick={toggle('name')}>
            {details.name || words.name()}
          </Chip>
          <Chip icon="cal" aria-expanded={open === 'day'} onClick={toggle('day')}>
            {relativeDay(details.date, day, dateLocale())}
          </Chip>
          {account ? (
            <Chip
              icon={kindIcon(account.kind)}
              aria-expanded={open === 'account'}
              onClick={toggle('account')}
            >
              {account.name}
            </Chip>
          ) : null}
        </div>
      )}
      <div className={isWide ? 'fx' : 'stack details'}>
        {isShown('name') ? (
          <TextField
            label={words.name()}
            value={details.name}
            autoComplete="off"
            autoFocus={!isWide}
            maxLength={140}
            onChange={(event) => onChange({ ...details, name: event.target.value })}
          />
        ) : null}
        {isShown('account') ? (
          <SelectField
            label={words.account()}
            value={details.accountId}
            onChange={(event) => onChange({ ...details, accountId: event.target.value })}
          >
            {accounts.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}
          </SelectField>
        ) : null}
        {isShown('day') ? (
          <DateInput
            label={words.day()}
            today={day}
            initial={details.date}
            format={format}
            onChange={(date) => date && onChange({ ...details, date })}
          />
        ) : null}
      </div>
    </>
  );
}
