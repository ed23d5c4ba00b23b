import type { OutgoingMail } from '@muster/areas/platform/mail/mails.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Mail } from 'lucide-react'
import type { z } from 'zod'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'
import { toastError } from '../../../ui/page/states.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'

type Row = z.infer<typeof OutgoingMail>
const statuses = [
  ['waiting', 'Queued'],
  ['sent', 'Sent'],
  ['failed', 'Failed'],
] as const
const labels = new Map<Row['status'], string>(statuses)
const tones: Readonly<Record<Row['status'], Tone>> = { waiting: 'info', sent: 'good', failed: 'bad' }

/** The emails of the installation. Their text and links are not shown. */
export function MailPage() {
  const { status } = useSearch({ from: '/app/mail' })
  const navigate = useNavigate({ from: '/mail' })
  const narrow = (next: Row['status'] | undefined) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, status: next }), replace: true })
  const list = useList((client) => client.mail.mails.list, status ? { status } : {}, { everyMs: 10_000 })
  const blocked = useCan()('settings:write') ? undefined : 'You don’t have permission to edit settings'
  const retry = useApiMutation((id: string) => api.mail.mails.retry.mutate({ id }), {
    refresh: ['mail'],
    done: () => toast('Email queued'),
  })
  const again = (id: string) => retry.mutate(id, { onError: toastError })
  return (
    <ListPage
      title="Mail"
      lead="Queued, sent and failed emails."
      tools={<Select label="Status" none="All statuses" value={status} options={statuses} choose={narrow} />}
      label="Emails"
      list={list}
      columns={columnsWith(blocked, again)}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={Mail} title="No emails yet" clear={status && (() => narrow(undefined))}>
          Invitations, password resets and alerts of the installation appear here.
        </NoRows>
      }
    />
  )
}

const columnsWith = (blocked: string | undefined, again: (id: string) => void): readonly Column<Row>[] => [
  {
    id: 'to',
    header: 'Recipient',
    width: 200,
    grow: 1,
    cell: ({ toAddress }) => <span className="font-medium">{toAddress}</span>,
  },
  { id: 'template', header: 'Template', width: 140, cell: ({ template }) => template.replaceAll('-', ' ') },
  {
    id: 'status',
    header: 'Status',
    width: 90,
    cell: ({ status }) => <Badge tone={tones[status]}>{labels.get(status)}</Badge>,
  },
  { id: 'attempts', header: 'Attempts', width: 80, align: 'end', cell: ({ attempts }) => attempts },
  {
    id: 'error',
    header: 'Last error',
    width: 200,
    grow: 2,
    cell: ({ lastError }) => <span className="text-muted">{lastError ?? '–'}</span>,
  },
  { id: 'created', header: 'Created', width: 100, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { id: 'sent', header: 'Sent', width: 100, cell: ({ sentAt }) => <Ago at={sentAt} never="–" /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 90,
    cell: ({ id, status, toAddress }) =>
      status !== 'sent' && (
        <Button small blocked={blocked} aria-label={`Retry email to ${toAddress}`} onClick={() => again(id)}>
          Retry
        </Button>
      ),
  },
]
