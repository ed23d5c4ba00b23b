import type { Partner } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import { partners } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import { type ReactNode, useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../../queries.ts'
import { useCan } from '../../../../session/session.tsx'
import { Button } from '../../../../ui/button/Button.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { SelectField, TextField } from '../../../../ui/form/fields.tsx'
import { TimezoneField } from '../../../../ui/form/TimezoneField.tsx'
import { Card } from '../../../../ui/page/display.tsx'
import { Page } from '../../../../ui/page/Page.tsx'
import { PendingPage } from '../../../../ui/page/PendingPage.tsx'
import { Refusal } from '../../../../ui/page/states.tsx'
import { TimeContext, useTimes } from '../../../../ui/text/time.tsx'
import { BusinessHours } from './BusinessHours.tsx'
import { SecondPerson } from './SecondPerson.tsx'
import { draftOf, inputOf, type SettingsDraft } from './settingsForm.ts'

/** The partner's settings: name, date and time formats, business hours, approval, contact. */
export function SettingsPage() {
  const answer = useApiQuery((client) => client.tenancy.partners.me, {})
  if (!answer.data) return <PendingPage title="Settings" answer={answer} />
  return <Editor key={answer.data.updatedAt} partner={answer.data} />
}

const writtenOf = (draft: SettingsDraft) => JSON.stringify([draft, [...draft.hours]])

function Editor({ partner }: { readonly partner: Partner }) {
  const mayWrite = useCan()('settings:write')
  const [draft, setDraft] = useState(() => draftOf(partner))
  const [wrong, setWrong] = useState<string | null>(null)
  const change = (next: Partial<SettingsDraft>) => setDraft((now) => ({ ...now, ...next }))
  const save = useApiMutation(
    (input: Parameters<typeof api.tenancy.partners.updateMe.mutate>[0]) => api.tenancy.partners.updateMe.mutate(input),
    { refresh: ['tenancy'], done: () => toast('Settings saved') },
  )
  const submit = () => {
    const checked = partners.updateMe.input.safeParse(inputOf(draft))
    setWrong(checked.success ? null : wordsOf(checked.error.issues[0]))
    if (checked.success) save.mutate(checked.data)
  }
  const isChanged = writtenOf(draft) !== writtenOf(draftOf(partner))
  return (
    <Page
      title="Settings"
      lead="Applies to your whole company."
      actions={
        <Button
          kind="primary"
          busy={save.isPending}
          blocked={!mayWrite ? 'You don’t have permission to edit settings' : !isChanged && 'No changes to save'}
          onClick={submit}
        >
          Save settings
        </Button>
      }
    >
      <fieldset disabled={!mayWrite} className="grid max-w-5xl items-start gap-4 lg:grid-cols-2">
        {(wrong !== null || save.error) && (
          <div className="lg:col-span-2">
            <Refusal error={wrong === null ? save.error : new Error(wrong)} />
          </div>
        )}
        <Company draft={draft} change={change} />
        <Formats draft={draft} change={change} />
        <Column>
          <Card title="Business hours">
            <BusinessHours draft={draft} change={change} />
          </Card>
          <SecondPerson />
        </Column>
        <Contact draft={draft} change={change} />
      </fieldset>
    </Page>
  )
}

const wordsOf = (issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined) =>
  issue ? `${issue.path.slice(-1).join('')}: ${issue.message}` : 'Check your input'

interface Part {
  readonly draft: SettingsDraft
  change(next: Partial<SettingsDraft>): void
}

const Column = ({ children }: { readonly children: ReactNode }) => <div className="grid gap-4">{children}</div>

const Company = ({ draft, change }: Part) => (
  <Card title="Company">
    <Column>
      <TextField label="Name" value={draft.name} onChange={({ target }) => change({ name: target.value })} />
      <TextField
        label="Billing email"
        optional
        type="email"
        value={draft.billingEmail}
        onChange={({ target }) => change({ billingEmail: target.value })}
      />
    </Column>
  </Card>
)

const dateFormats = ['YYYY-MM-DD', 'DD/MM/YYYY', 'MM/DD/YYYY'] as const
const timeFormats = [
  ['24h', '24 hours'],
  ['12h', '12 hours'],
] as const

function Formats({ draft, change }: Part) {
  const { timezone, dateFormat, timeFormat } = draft
  return (
    <Card title="Dates and times">
      <Column>
        <TimezoneField
          label="Time zone"
          optional
          hint="Empty for the time zone of each browser."
          value={timezone}
          onChange={({ target }) => change({ timezone: target.value })}
        />
        <SelectField
          label="Date format"
          value={dateFormat ?? ''}
          onChange={({ target }) => change({ dateFormat: dateFormats.find((each) => each === target.value) ?? null })}
        >
          <option value="">Browser default</option>
          {dateFormats.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </SelectField>
        <ChoiceField
          label="Time format"
          value={timeFormat ?? ''}
          options={[['', 'Browser default'], ...timeFormats]}
          choose={(next) => change({ timeFormat: next || null })}
        />
        <TimeContext value={{ timezone: isTimezone(timezone) ? timezone : null, dateFormat, timeFormat }}>
          <Sample />
        </TimeContext>
      </Column>
    </Card>
  )
}

const isTimezone = (text: string) => Intl.supportedValuesOf('timeZone').includes(text) || text === 'UTC'

function Sample() {
  const [now] = useState(() => new Date().toISOString())
  const { moment } = useTimes()
  return <p className="text-muted text-sm">Preview: {moment(now)}</p>
}

const contactFields = [
  ['name', 'Name', 'text'],
  ['email', 'Email', 'email'],
  ['phone', 'Phone', 'tel'],
  ['website', 'Website', 'url'],
] as const

const Contact = ({ draft: { contact }, change }: Part) => (
  <Card title="Contact">
    <Column>
      {contactFields.map(([name, label, type]) => (
        <TextField
          key={name}
          label={label}
          optional
          type={type}
          value={contact[name]}
          onChange={({ target }) => change({ contact: { ...contact, [name]: target.value } })}
        />
      ))}
    </Column>
  </Card>
)
