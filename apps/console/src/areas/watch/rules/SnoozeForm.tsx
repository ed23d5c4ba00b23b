import type { AlertRule } from '@muster/areas/watch/alerts/rules/rules.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { ChoiceField } from '../../../ui/form/ChoiceField.tsx'
import { quietSpans } from './snooze.ts'

const minuteMs = 60_000

/** Keeps a rule quiet for a while. */
export function SnoozeForm({ rule, close }: { readonly rule: AlertRule; close(): void }) {
  const [minutes, setMinutes] = useState<string>(quietSpans[0][0])
  const save = useApiMutation(
    () =>
      api.alerts.rules.update.mutate({
        id: rule.id,
        snoozedUntil: new Date(Date.now() + Number(minutes) * minuteMs).toISOString(),
      }),
    {
      refresh: ['alerts'],
      done() {
        toast('Rule snoozed')
        close()
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title={`Snooze ${rule.name}`}
      description="The rule opens no alerts and sends no messages until then."
      verb="Snooze rule"
      busy={save.isPending}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <ChoiceField label="For" value={minutes} options={quietSpans} choose={setMinutes} />
    </SideForm>
  )
}
