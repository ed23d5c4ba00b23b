import { eventPatterns, type Webhook } from '@muster/areas/watch/webhooks/webhooks.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { CheckList } from '../../../ui/form/CheckList.tsx'
import { AreaField, TextField } from '../../../ui/form/fields.tsx'
import { GroupedCheckList } from '../../../ui/form/GroupedCheckList.tsx'
import { OwnerField } from '../../tenancy/tenancy/organizations/OwnerField.tsx'
import { useOwner } from '../../tenancy/tenancy/organizations/useOwner.ts'
import { usePlaceNames } from '../../tenancy/tenancy/placeNames.ts'
import { severities } from '../alerts/words.ts'
import { eventGroup, eventText } from '../eventWords.ts'
import { headersFrom } from '../headers.ts'

const eventChoices = [...eventPatterns]
  .sort()
  .map((id) => ({ id, group: eventGroup(id), label: eventText(id), hint: id }))
const severityChoices = severities.map(([id, label]) => ({ id, label }))

interface Props {
  /** The webhook to edit. A new one is created without it. */
  readonly webhook?: Webhook
  close(): void
  /** Called with the secret of a new webhook. */
  done(secret: string): void
}

const draftOf = (webhook: Webhook | undefined) => ({
  name: webhook?.name ?? '',
  url: webhook?.url ?? '',
  events: webhook?.events ?? [],
  filter: webhook?.filter ?? { orgIds: [], severities: [] },
  headers: '',
  concurrency: webhook?.concurrency ?? 2,
})
type Draft = ReturnType<typeof draftOf>

/** Address, events and headers of a webhook. */
export function WebhookForm({ webhook, close, done }: Props) {
  const owner = useOwner(webhook)
  const [draft, setDraft] = useState(() => draftOf(webhook))
  const set = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  const save = useApiMutation(
    async () => {
      const { headers, ...given } = draft
      const more = headers.trim() === '' ? {} : { headers: headersFrom(headers) }
      if (webhook) return api.webhooks.webhooks.update.mutate({ id: webhook.id, ...given, ...more })
      return api.webhooks.webhooks.create.mutate({ ...given, ...more, ...(owner.orgId && { orgId: owner.orgId }) })
    },
    {
      refresh: ['webhooks'],
      done({ secret }) {
        close()
        if (webhook === undefined && secret !== undefined) done(secret)
        else toast('Webhook saved')
      },
    },
  )
  const blocked = draft.name.trim() === '' ? 'Enter a name' : draft.url.trim() === '' ? 'Enter an address' : owner.fault
  return (
    <SideForm
      open
      close={close}
      title={webhook ? `Edit ${webhook.name}` : 'New webhook'}
      verb={webhook ? 'Save webhook' : 'Create webhook'}
      busy={save.isPending}
      blocked={blocked ?? (draft.events.length === 0 && 'Select at least one event')}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <TextField label="Name" value={draft.name} onChange={({ target }) => set({ name: target.value })} />
      <OwnerField
        {...owner}
        choose={(next) => {
          owner.choose(next)
          set({ filter: { ...draft.filter, orgIds: [] } })
        }}
      />
      <TextField
        label="Address"
        hint="Such as https://example.com/hook."
        value={draft.url}
        onChange={({ target }) => set({ url: target.value })}
      />
      <GroupedCheckList
        label="Events"
        choices={eventChoices}
        chosen={draft.events}
        change={(events) => set({ events })}
      />
      <FilterFields
        isOfPartner={owner.orgId === null && owner.fault === undefined}
        filter={draft.filter}
        change={(filter) => set({ filter })}
      />
      <AreaField
        label="Headers"
        optional
        hint={
          webhook && webhook.headerNames.length > 0
            ? `One “Name: value” per line, in place of ${webhook.headerNames.join(', ')}. Empty keeps them.`
            : 'One “Name: value” per line.'
        }
        value={draft.headers}
        onChange={({ target }) => set({ headers: target.value })}
      />
      <TextField
        label="Requests at once"
        type="number"
        min={1}
        max={10}
        value={draft.concurrency}
        onChange={({ target }) => set({ concurrency: Number(target.value) })}
      />
    </SideForm>
  )
}

interface FilterProps {
  /** Only webhooks of the whole partner choose among organizations. */
  readonly isOfPartner: boolean
  readonly filter: Draft['filter']
  change(filter: Draft['filter']): void
}

/** Which of the events are sent. */
function FilterFields({ isOfPartner, filter, change }: FilterProps) {
  const { orgs } = usePlaceNames()
  return (
    <>
      {isOfPartner && orgs.size > 1 && (
        <CheckList
          label="Only these organizations"
          hint="None: events of all organizations."
          choices={[...orgs].map(([id, label]) => ({ id, label }))}
          chosen={filter.orgIds}
          change={(orgIds) => change({ ...filter, orgIds })}
        />
      )}
      <CheckList
        label="Only these severities"
        hint="None: all severities. Events without a severity are always sent."
        choices={severityChoices}
        chosen={filter.severities}
        change={(chosen) =>
          change({ ...filter, severities: severities.map(([id]) => id).filter((id) => chosen.includes(id)) })
        }
      />
    </>
  )
}
