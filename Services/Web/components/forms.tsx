/** Buttons, fields, pickers and the split editor. */
import { useState } from 'react';
import { Button, Chip, IconButton, Segments } from '../src/ui/button';
import { Calendar } from '../src/ui/calendar';
import { CategoryPicker } from '../src/ui/category-picker';
import { DateInput } from '../src/ui/date-input';
import { CheckRow, PasswordField, SelectField, SwitchRow, TextField } from '../src/ui/field';
import { Form, needed } from '../src/ui/form';
import { Keypad } from '../src/ui/keypad';
import { MoneyInput } from '../src/ui/money-input';
import { Card } from '../src/ui/rows';
import { SplitEditor, type EditedKind, type SplitState } from '../src/ui/split-editor';
import { toast } from '../src/ui/toast';
import { categories, eur, members, TODAY } from './data';

export function FormSamples() {
  const [kind, setKind] = useState('spent');
  const [category, setCategory] = useState<string | undefined>('restaurants');
  return (
    <div className="two even">
      <div className="stack wide">
        <Card title="Buttons">
          <div className="stack">
            <div className="row wrap">
              <Button>Save</Button>
              <Button look="soft" icon="plus">Add</Button>
              <Button look="line">Return</Button>
              <Button look="plain">Skip</Button>
              <Button look="bad" icon="bin">Delete</Button>
              <Button isBusy>Sending</Button>
              <Button disabled>Not now</Button>
              <Button size="small">Small</Button>
              <IconButton icon="pen" label="Edit" />
            </div>
            <Button size="wide">Save €23.50 in Restaurants</Button>
            <div className="chips">
              <Chip icon="cal" isOn>November</Chip>
              <Chip icon="tag">Any category</Chip>
              <Chip>Money out</Chip>
            </div>
            <Segments
              label="Kind"
              value={kind}
              options={[
                { value: 'spent', label: 'Spent' },
                { value: 'received', label: 'Received' },
                { value: 'moved', label: 'Moved' },
              ]}
              onChange={setKind}
            />
            <div className="row">
              <Button
                look="soft"
                onClick={() => toast({
                  text: 'Coffee Bar Luce deleted',
                  action: { label: 'Undo', run: () => undefined },
                })}
              >
                Show a toast
              </Button>
            </div>
          </div>
        </Card>
        <Card title="Amount to add">
          <div className="stack">
            <MoneyInput
              isBig
              label="Amount"
              currency="EUR"
              initial="23.50"
              onCurrency={() => undefined}
            />
            <CategoryPicker categories={categories} value={category} onChange={setCategory} />
            <Keypad point="." onKey={() => undefined} onDelete={() => undefined} />
          </div>
        </Card>
        <Split kind="equal" />
        <Split kind="shares" values={{ marco: '2' }} />
        <Split kind="exact" values={{ you: '100', marco: '12.50' }} />
        <Split kind="percent" values={{ you: '60', marco: '30', sofia: '20' }} />
      </div>
      <div className="stack wide">
        <Card title="Fields">
          <Form
            rules={{ '/name': needed, '/note': needed }}
            labels={{ '/name': 'Name', '/note': 'Note' }}
            onSend={async () => ({
              fields: { '/name': 'Must be shorter.' },
              whole: 'Could not be saved.',
            })}
          >
            {({ errors, isSending }) => (
              <>
                <TextField
                  label="Name"
                  name="/name"
                  hint="As it will be seen by others."
                  error={errors['/name']}
                />
                <TextField label="Note" name="/note" error={errors['/note'] ?? 'Is needed.'} />
                <PasswordField
                  label="Password"
                  name="/password"
                  autoComplete="current-password"
                  aside={<a className="link sub" href="#forgot">Forgot it?</a>}
                />
                <SelectField label="Currency">
                  <option>EUR · Euro</option><option>JPY · Yen</option>
                </SelectField>
                <MoneyInput label="Price" name="/price" currency="EUR" initial="1234.50" />
                <MoneyInput
                  label="Sum"
                  currency="EUR"
                  initial="19.50"
                  error="Everyday has €12.00 free."
                />
                <MoneyInput label="In yen" currency="JPY" onCurrency={() => undefined} />
                <DateInput label="Day" today={TODAY} initial="2026-11-27" format="dd/MM/yyyy" />
                <CheckRow label="Remember me on this device" defaultChecked />
                <Button type="submit" isBusy={isSending}>Save</Button>
              </>
            )}
          </Form>
        </Card>
        <Card isFlush title="Settings">
          <SwitchRow
            label="Ask before deleting"
            about="For more than one transaction."
            defaultChecked
          />
          <SwitchRow label="Single keys" about="N adds, G then H goes home." />
        </Card>
        <Card title="Month">
          <Calendar day="2026-11-26" today={TODAY} onChoose={() => undefined} />
        </Card>
      </div>
    </div>
  );
}

function Split({ kind, values = {} }: { kind: EditedKind; values?: Record<string, string> }) {
  const taking = new Set(['you', 'sofia', 'marco']);
  const [state, setState] = useState<SplitState>({ kind, taking, values });
  return (
    <Card isFlush title={`Split: ${kind}`}>
      <SplitEditor
        amount={eur('126.01')}
        day={TODAY}
        members={members}
        state={state}
        onChange={setState}
      />
      <div className="pb" />
    </Card>
  );
}
