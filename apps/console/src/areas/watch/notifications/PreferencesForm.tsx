import {
  type NotificationPriority,
  NotificationType,
} from '@muster/areas/watch/notifications/notifications.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { CheckList } from '../../../ui/form/CheckList.tsx'
import { ChoiceField } from '../../../ui/form/ChoiceField.tsx'
import { priorityOptions, typeOptions } from './words.ts'

const choices = typeOptions.map(([id, label]) => ({ id, label }))
const isType = (text: string): text is NotificationType => NotificationType.safeParse(text).success

/** Which notifications the signed-in user receives. */
export function PreferencesForm({ close }: { close(): void }) {
  const stored = useApiQuery((client) => client.notifications.preferences.get, {}).data
  const [changed, setChanged] = useState<{ muted?: NotificationType[]; minPriority?: NotificationPriority }>({})
  const muted = changed.muted ?? stored?.muted ?? []
  const save = useApiMutation(() => api.notifications.preferences.update.mutate(changed), {
    refresh: ['notifications'],
    done() {
      toast('Preferences saved')
      close()
    },
  })
  return (
    <SideForm
      open
      close={close}
      title="Notification preferences"
      verb="Save preferences"
      busy={save.isPending}
      blocked={Object.keys(changed).length === 0 && 'Nothing has changed'}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <CheckList
        label="Types"
        choices={choices}
        chosen={choices.flatMap(({ id }) => (muted.includes(id) ? [] : [id]))}
        change={(chosen) => {
          const left = choices.map(({ id }) => id).filter((id) => !chosen.includes(id))
          setChanged((now) => ({ ...now, muted: left.filter(isType) }))
        }}
      />
      <ChoiceField
        label="Lowest priority"
        value={changed.minPriority ?? stored?.minPriority ?? 'low'}
        options={priorityOptions}
        choose={(minPriority) => setChanged((now) => ({ ...now, minPriority }))}
      />
    </SideForm>
  )
}
