import type { AlertChannel } from '@muster/areas/watch/channels/channels.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Megaphone } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'
import { toastError } from '../../../ui/page/states.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { organizationColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { ChannelForm } from './ChannelForm.tsx'
import { typeOptions, typeWords } from './words.ts'

interface Open {
  readonly what: 'edit' | 'delete'
  readonly of: AlertChannel
}
const states: Readonly<Record<AlertChannel['status'], readonly [Tone, string]>> = {
  untested: ['plain', 'Untested'],
  ok: ['good', 'OK'],
  failing: ['bad', 'Failing'],
}

/** The ways in which people hear of alerts. */
export function ChannelsPage() {
  const { type } = useSearch({ from: '/app/alerts/channels' })
  const navigate = useNavigate({ from: '/alerts/channels' })
  const narrow = (next: AlertChannel['type'] | undefined) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, type: next }), replace: true })
  const { org } = usePlace()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const filter = { ...(type && { type }), ...(org && { orgId: org }) }
  const list = useList((client) => client.alertChannels.channels.list, filter, { everyMs: 30_000 })
  const refresh = ['alertChannels']
  const test = useApiMutation((id: string) => api.alertChannels.channels.test.mutate({ id }), {
    refresh,
    done: ({ delivered, error, latencyMs }) =>
      toast(delivered ? `Delivered in ${latencyMs} ms` : (error ?? 'Not delivered'), { bad: !delivered }),
  })
  const remove = useApiMutation((id: string) => api.alertChannels.channels.remove.mutate({ id }), {
    refresh,
    done: () => toast('Channel deleted'),
  })
  const send = (id: string) => test.mutate(id, { onError: toastError })
  const mayWrite = useCan()('alerts:write') ? undefined : 'You don’t have permission to edit alert channels'
  const creation = useNewForm('New channel', mayWrite)
  return (
    <ListPage
      title="Alert channels"
      lead="Where people hear of alerts."
      actions={creation.button}
      tools={<Select label="Type" none="All types" value={type} options={typeOptions} choose={narrow} />}
      label="Alert channels"
      list={list}
      columns={columnsWith(mayWrite, send, (what, of) => setOpen({ what, of }))}
      rowId={({ id }) => id}
      empty={
        <NoRows
          icon={Megaphone}
          title="No alert channels yet"
          action={creation.button}
          clear={type && (() => narrow(undefined))}
        >
          Create a channel, then choose it in alert rules and policies.
        </NoRows>
      }
    >
      {creation.isOpen && <ChannelForm close={creation.close} />}
      {open?.what === 'edit' && <ChannelForm channel={open.of} close={close} />}
      <Confirm
        danger
        open={open?.what === 'delete'}
        close={close}
        title={`Delete “${open?.of.name ?? ''}”?`}
        verb="Delete channel"
        act={() => remove.mutateAsync(open?.of.id ?? '')}
      >
        Messages that wait for it are not sent. You cannot undo this.
      </Confirm>
    </ListPage>
  )
}

const columnsWith = (
  mayWrite: string | undefined,
  send: (id: string) => void,
  open: (what: Open['what'], of: AlertChannel) => void,
): readonly Column<AlertChannel>[] => [
  { id: 'name', header: 'Name', width: 180, grow: 1, cell: ({ name }) => <span className="font-medium">{name}</span> },
  { id: 'type', header: 'Type', width: 110, cell: ({ type }) => typeWords.get(type) },
  {
    id: 'status',
    header: 'Status',
    width: 90,
    cell: ({ enabled, status }) =>
      enabled ? <Badge tone={states[status][0]}>{states[status][1]}</Badge> : <Badge>Disabled</Badge>,
  },
  organizationColumn,
  { id: 'success', header: 'Last success', width: 110, cell: ({ lastSuccessAt }) => <Ago at={lastSuccessAt} /> },
  {
    id: 'error',
    header: 'Last error',
    width: 200,
    grow: 2,
    cell: ({ lastError }) => <span className="text-muted">{lastError ?? '–'}</span>,
  },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (channel) => (
      <RowMenu
        name={channel.name}
        groups={[
          [
            { label: 'Send test', blocked: mayWrite, act: () => send(channel.id) },
            { label: 'Edit channel', blocked: mayWrite, act: () => open('edit', channel) },
          ],
          [{ label: 'Delete channel', danger: true, blocked: mayWrite, act: () => open('delete', channel) }],
        ]}
      />
    ),
  },
]
