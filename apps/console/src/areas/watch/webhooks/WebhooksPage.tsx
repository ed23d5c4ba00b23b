import type { Webhook } from '@muster/areas/watch/webhooks/webhooks.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { ShownOnce } from '../../../ui/dialog/ShownOnce.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge } from '../../../ui/page/display.tsx'
import { toastError } from '../../../ui/page/states.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { organizationColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { eventText } from '../eventWords.ts'
import { WebhookForm } from './WebhookForm.tsx'

type What = 'edit' | 'rotate' | 'delete'
interface Open {
  readonly what: What
  readonly of: Webhook
}
const statuses = [
  ['active', 'Active'],
  ['disabled', 'Disabled'],
] as const

/** The endpoints that events are sent to. */
export function WebhooksPage() {
  const { status } = useSearch({ from: '/app/webhooks' })
  const navigate = useNavigate({ from: '/webhooks' })
  const narrow = (next: Webhook['status'] | undefined) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, status: next }), replace: true })
  const { org } = usePlace()
  const [open, setOpen] = useState<Open | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const close = () => setOpen(null)
  const list = useList(
    (client) => client.webhooks.webhooks.list,
    { ...(status && { status }), ...(org && { orgId: org }) },
    { everyMs: 30_000 },
  )
  const act = useActs(setSecret)
  const enable = (webhook: Webhook) => act.enable.mutate(webhook, { onError: toastError })
  const mayWrite = useCan()('settings:write') ? undefined : 'You don’t have permission to edit settings'
  const creation = useNewForm('New webhook', mayWrite)
  return (
    <ListPage
      title="Webhooks"
      lead="Endpoints that receive events as they happen."
      actions={creation.button}
      tools={<Select label="Status" none="All statuses" value={status} options={statuses} choose={narrow} />}
      label="Webhooks"
      list={list}
      columns={columnsWith(mayWrite, enable, (what, of) => setOpen({ what, of }))}
      rowId={({ id }) => id}
      empty={
        <NoRows
          icon={WebhookIcon}
          title="No webhooks yet"
          action={creation.button}
          clear={status && (() => narrow(undefined))}
        >
          Create a webhook to send events to another program. Each request is signed.
        </NoRows>
      }
    >
      {creation.isOpen && <WebhookForm close={creation.close} done={setSecret} />}
      {open?.what === 'edit' && <WebhookForm webhook={open.of} close={close} done={setSecret} />}
      <Confirm
        open={open?.what === 'rotate'}
        close={close}
        title={`Rotate the secret of “${open?.of.name ?? ''}”?`}
        verb="Rotate secret"
        act={() => act.rotate.mutateAsync(open?.of.id ?? '')}
      >
        Requests carry a signature with the previous secret too for 24 hours.
      </Confirm>
      <Confirm
        danger
        open={open?.what === 'delete'}
        close={close}
        title={`Delete “${open?.of.name ?? ''}”?`}
        verb="Delete webhook"
        act={() => act.remove.mutateAsync(open?.of.id ?? '')}
      >
        Its deliveries are deleted too. You cannot undo this.
      </Confirm>
      <ShownOnce title="Signing secret" text={secret} label="the secret" close={() => setSecret(null)} />
    </ListPage>
  )
}

function useActs(showSecret: (secret: string) => void) {
  const refresh = ['webhooks']
  return {
    enable: useApiMutation(
      ({ id, status }: Webhook) =>
        api.webhooks.webhooks.update.mutate({ id, status: status === 'active' ? 'disabled' : 'active' }),
      { refresh, done: ({ status }) => toast(status === 'active' ? 'Webhook enabled' : 'Webhook disabled') },
    ),
    rotate: useApiMutation((id: string) => api.webhooks.webhooks.update.mutate({ id, rotateSecret: true }), {
      refresh,
      done: ({ secret }) => showSecret(secret ?? ''),
    }),
    remove: useApiMutation((id: string) => api.webhooks.webhooks.remove.mutate({ id }), {
      refresh,
      done: () => toast('Webhook deleted'),
    }),
  }
}

const columnsWith = (
  mayWrite: string | undefined,
  enable: (webhook: Webhook) => void,
  open: (what: What, of: Webhook) => void,
): readonly Column<Webhook>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 160,
    grow: 1,
    cell: ({ id, name }) => (
      <Link to="/webhooks/$webhookId" params={{ webhookId: id }} className="font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 90,
    cell: ({ status }) => (
      <Badge tone={status === 'active' ? 'good' : 'bad'}>{status === 'active' ? 'Active' : 'Disabled'}</Badge>
    ),
  },
  { id: 'url', header: 'Address', width: 220, grow: 2, cell: ({ url }) => <span className="text-muted">{url}</span> },
  {
    id: 'events',
    header: 'Events',
    width: 150,
    grow: 1,
    cell: ({ events }) => events.map(eventText).join(', '),
    text: ({ events }) => events.join(', '),
  },
  organizationColumn,
  { id: 'reason', header: 'Reason', width: 160, grow: 1, cell: ({ disabledReason }) => disabledReason ?? '–' },
  { id: 'created', header: 'Created', width: 100, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (webhook) => (
      <RowMenu
        name={webhook.name}
        groups={[
          [
            { label: 'Edit webhook', blocked: mayWrite, act: () => open('edit', webhook) },
            { label: 'Rotate secret', blocked: mayWrite, act: () => open('rotate', webhook) },
            {
              label: webhook.status === 'active' ? 'Disable webhook' : 'Enable webhook',
              blocked: mayWrite,
              act: () => enable(webhook),
            },
          ],
          [{ label: 'Delete webhook', danger: true, blocked: mayWrite, act: () => open('delete', webhook) }],
        ]}
      />
    ),
  },
]
