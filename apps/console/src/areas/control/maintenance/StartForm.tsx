import type { Occurrence } from '@muster/areas/control/maintenance/occurrences/occurrences.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { momentOf } from '../../../ui/text/localMoment.ts'
import { many } from '../../../ui/text/quantity.ts'

/** Starts a scheduled occurrence at once, for its duration or until another end. */
export function StartForm({ occurrence, close }: { readonly occurrence: Occurrence; close(): void }) {
  const { id, name, deviceCount } = occurrence
  const [end, setEnd] = useState('')
  const endsAt = momentOf(end)
  const start = useApiMutation(
    () => api.maintenance.occurrences.start.mutate({ id, ...(endsAt !== null && { endsAt }) }),
    {
      refresh: ['maintenance'],
      done() {
        toast('Maintenance started')
        close()
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title={`Start “${name}” now`}
      description={`The window takes effect on ${many(deviceCount, 'device')} at once.`}
      verb="Start maintenance"
      busy={start.isPending}
      blocked={endsAt !== null && Date.parse(endsAt) <= Date.now() && 'Enter an end in the future'}
      error={start.error}
      submit={() => start.mutate(undefined)}
    >
      <TextField
        label="End"
        optional
        hint="In the time of your browser. Empty for the full duration of the window."
        type="datetime-local"
        value={end}
        onChange={({ target }) => setEnd(target.value)}
      />
    </SideForm>
  )
}
