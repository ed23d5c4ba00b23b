import type { AlertChannel } from '@muster/areas/watch/channels/channels.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { ChoiceField } from '../../../ui/form/ChoiceField.tsx'
import { AreaField, CheckField, TextField } from '../../../ui/form/fields.tsx'
import { OwnerField } from '../../tenancy/tenancy/organizations/OwnerField.tsx'
import { useOwner } from '../../tenancy/tenancy/organizations/useOwner.ts'
import { headersFrom } from '../headers.ts'
import { typeOptions } from './words.ts'

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
const listOf = (value: unknown) => (Array.isArray(value) ? value.join('\n') : '')

const draftOf = (channel: AlertChannel | undefined) => ({
  name: channel?.name ?? '',
  type: channel?.type ?? ('email' as const),
  enabled: channel?.enabled ?? true,
  sendResolved: channel?.sendResolved ?? true,
  to: listOf(channel?.config.to),
  url: textOf(channel?.config.url),
  /** Secrets are never shown: empty keeps the stored one. */
  secret: '',
  headers: '',
})
type Draft = ReturnType<typeof draftOf>

/** The configuration that the type needs, with secrets only if they were entered. */
function configOf({
  type,
  to,
  url,
  secret,
  headers,
}: Draft): Record<string, string | string[] | Record<string, string>> {
  const entered = (name: string) => (secret.trim() === '' ? {} : { [name]: secret.trim() })
  switch (type) {
    case 'email':
    case 'sms':
      return { to: to.split(/[\s,]+/).filter((each) => each !== '') }
    case 'slack':
    case 'teams':
      return entered('webhookUrl')
    case 'pagerduty':
      return entered('routingKey')
    case 'webhook':
      return { url, ...entered('secret'), ...(headers.trim() === '' ? {} : { headers: headersFrom(headers) }) }
  }
}

interface Props {
  /** The channel to edit. A new one is created without it. */
  readonly channel?: AlertChannel
  close(): void
}

/** Type and address of a channel. The type cannot change later. */
export function ChannelForm({ channel, close }: Props) {
  const owner = useOwner(channel)
  const [draft, setDraft] = useState(() => draftOf(channel))
  const set = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  const save = useApiMutation(
    () => {
      const { name, type, enabled, sendResolved } = draft
      const given = { name, enabled, sendResolved, config: configOf(draft) }
      return channel
        ? api.alertChannels.channels.update.mutate({ id: channel.id, ...given })
        : api.alertChannels.channels.create.mutate({ ...given, type, ...(owner.orgId && { orgId: owner.orgId }) })
    },
    {
      refresh: ['alertChannels'],
      done() {
        toast('Channel saved')
        close()
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title={channel ? `Edit ${channel.name}` : 'New alert channel'}
      verb={channel ? 'Save channel' : 'Create channel'}
      busy={save.isPending}
      blocked={draft.name.trim() === '' ? 'Enter a name' : owner.fault}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <TextField label="Name" value={draft.name} onChange={({ target }) => set({ name: target.value })} />
      <OwnerField {...owner} />
      <ChoiceField
        label="Type"
        disabled={channel !== undefined}
        value={draft.type}
        options={typeOptions}
        choose={(type) => set({ type })}
      />
      <Address draft={draft} isStored={channel !== undefined} set={set} />
      <CheckField label="Enabled" checked={draft.enabled} onChange={(enabled) => set({ enabled })} />
      <CheckField
        label="Notify when alerts are resolved"
        checked={draft.sendResolved}
        onChange={(sendResolved) => set({ sendResolved })}
      />
    </SideForm>
  )
}

interface AddressProps {
  readonly draft: Draft
  readonly isStored: boolean
  set(part: Partial<Draft>): void
}

/** Where the messages go, by type. */
function Address({ draft, isStored, set }: AddressProps) {
  const { type } = draft
  const kept = isStored ? ' Empty keeps the stored one.' : ''
  if (type === 'email' || type === 'sms') {
    return (
      <AreaField
        label={type === 'email' ? 'Email addresses' : 'Phone numbers'}
        hint={type === 'email' ? 'One per line.' : 'One per line, such as +491701234567.'}
        value={draft.to}
        onChange={({ target }) => set({ to: target.value })}
      />
    )
  }
  const secretLabel = type === 'pagerduty' ? 'Routing key' : type === 'webhook' ? 'Signing secret' : 'Webhook address'
  return (
    <>
      {type === 'webhook' && (
        <>
          <TextField label="Address" value={draft.url} onChange={({ target }) => set({ url: target.value })} />
          <AreaField
            label="Headers"
            optional
            hint={`One “Name: value” per line.${kept}`}
            value={draft.headers}
            onChange={({ target }) => set({ headers: target.value })}
          />
        </>
      )}
      <TextField
        label={secretLabel}
        optional={type === 'webhook'}
        autoComplete="off"
        hint={type === 'pagerduty' ? `Of an Events API v2 integration.${kept}` : kept.trim() || undefined}
        value={draft.secret}
        onChange={({ target }) => set({ secret: target.value })}
      />
    </>
  )
}
