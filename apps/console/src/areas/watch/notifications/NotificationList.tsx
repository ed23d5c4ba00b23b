import type { Notification } from '@muster/areas/watch/notifications/notifications.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Bell } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListTable, Tools } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'
import { priorityWords, typeOptions, typeWords } from './words.ts'

const tones: Readonly<Record<Notification['priority'], Tone>> = {
  low: 'plain',
  normal: 'info',
  high: 'warn',
  urgent: 'bad',
}
const readStates = [['true', 'Unread']] as const
/** The page of what a notification is about. */
const pages: Readonly<Record<string, (id: string) => string>> = {
  alert: (id) => `/alerts/${id}`,
  automation: (id) => `/automations/${id}`,
  device: (id) => `/devices/${id}`,
  webhook: (id) => `/webhooks/${id}`,
}

/** What the signed-in user was notified of. */
export function NotificationList() {
  const { unread, type } = useSearch({ from: '/app/notifications' })
  const navigate = useNavigate({ from: '/notifications' })
  const [isClearing, setClearing] = useState(false)
  const list = useList(
    (client) => client.notifications.notifications.list,
    { ...(unread && { unread: true }), ...(type && { type }) },
    { everyMs: 60_000 },
  )
  const refresh = ['notifications']
  const read = useApiMutation(
    ({ id, readAt }: Notification) => api.notifications.notifications.update.mutate({ id, read: readAt === null }),
    { refresh },
  )
  const remove = useApiMutation(({ id }: Notification) => api.notifications.notifications.remove.mutate({ id }), {
    refresh,
  })
  const clear = useApiMutation(() => api.notifications.notifications.clear.mutate({}), {
    refresh,
    done: ({ deleted }) => toast(`${many(deleted, 'notification')} deleted`),
  })
  const open = (notification: Notification) => {
    if (notification.readAt === null) read.mutate(notification)
    const page = notification.link && pages[notification.link.kind]?.(notification.link.id)
    if (page) void navigate({ to: page })
  }
  return (
    <>
      <Tools>
        <Select
          label="State"
          none="Read and unread"
          value={unread}
          options={readStates}
          choose={(next) =>
            void navigate({ search: (now) => ({ ...now, page: undefined, unread: next }), replace: true })
          }
        />
        <Select
          label="Type"
          none="All types"
          value={type}
          options={typeOptions}
          choose={(next) =>
            void navigate({ search: (now) => ({ ...now, page: undefined, type: next }), replace: true })
          }
        />
        <span className="flex-1" />
        <Button blocked={list.total === 0 && 'There are no notifications'} onClick={() => setClearing(true)}>
          Clear all
        </Button>
      </Tools>
      <ListTable
        label="Notifications"
        list={list}
        columns={columnsWith({ open, read: read.mutate, remove: remove.mutate })}
        rowId={({ id }) => id}
        empty={
          <NoRows
            icon={Bell}
            title="No notifications"
            clear={(unread || type) && (() => void navigate({ search: {}, replace: true }))}
          >
            Alerts and changes that need you appear here.
          </NoRows>
        }
      />
      <Confirm
        danger
        open={isClearing}
        close={() => setClearing(false)}
        title="Delete all notifications?"
        verb="Delete all"
        act={() => clear.mutateAsync(undefined)}
      >
        Alerts stay as they are. You cannot undo this.
      </Confirm>
    </>
  )
}

interface Acts {
  open(notification: Notification): void
  read(notification: Notification): void
  remove(notification: Notification): void
}

const columnsWith = ({ open, read, remove }: Acts): readonly Column<Notification>[] => [
  {
    id: 'title',
    header: 'Notification',
    width: 260,
    grow: 3,
    cell: (notification) => (
      <button
        type="button"
        onClick={() => open(notification)}
        className={`truncate text-left hover:underline ${notification.readAt === null ? 'font-semibold' : ''}`}
      >
        {notification.title}
        {notification.count > 1 && <span className="text-muted"> ({notification.count} updates)</span>}
      </button>
    ),
  },
  {
    id: 'priority',
    header: 'Priority',
    width: 80,
    cell: ({ priority }) => <Badge tone={tones[priority]}>{priorityWords.get(priority)}</Badge>,
  },
  {
    id: 'body',
    header: 'Details',
    width: 220,
    grow: 2,
    cell: ({ body }) => <span className="text-muted">{body}</span>,
  },
  { id: 'type', header: 'Type', width: 100, cell: ({ type }) => typeWords.get(type) },
  { id: 'created', header: 'Received', width: 100, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (notification) => (
      <RowMenu
        name={notification.title}
        groups={[
          [
            {
              label: notification.readAt === null ? 'Mark as read' : 'Mark as unread',
              act: () => read(notification),
            },
          ],
          [{ label: 'Delete notification', danger: true, act: () => remove(notification) }],
        ]}
      />
    ),
  },
]
