import type { WebhookDelivery } from '@muster/areas/watch/webhooks/deliveries.contract.ts'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge, Facts, type Tone } from '../../../ui/page/display.tsx'
import { toastError } from '../../../ui/page/states.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago, Moment } from '../../../ui/text/time.tsx'
import { eventText } from '../eventWords.ts'

type Delivery = z.infer<typeof WebhookDelivery>
const statuses = [
  ['pending', 'Pending'],
  ['delivering', 'Delivering'],
  ['succeeded', 'Succeeded'],
  ['failed', 'Failed'],
] as const
const words = new Map<Delivery['status'], string>(statuses)
const tones: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'info',
  delivering: 'info',
  succeeded: 'good',
  failed: 'bad',
}
const dayMs = 86_400_000

/** One webhook and what was sent to it. */
export function WebhookPage() {
  const { webhookId: id } = useParams({ from: '/app/webhooks/$webhookId' })
  const { status } = useSearch({ from: '/app/webhooks/$webhookId' })
  const navigate = useNavigate({ from: '/webhooks/$webhookId' })
  const narrow = (next: Delivery['status'] | undefined) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, status: next }), replace: true })
  const [shown, setShown] = useState<Delivery | null>(null)
  const [replaying, setReplaying] = useState(false)
  const webhook = useApiQuery((client) => client.webhooks.webhooks.get, { id }).data
  const filter = { id, ...(status && { status }) }
  const list = useList((client) => client.webhooks.deliveries.list, filter, { everyMs: 5_000 })
  const mayWrite = useCan()('settings:write') ? undefined : 'You don’t have permission to edit settings'
  const isDisabled = webhook?.status === 'disabled' ? 'Enable the webhook first' : undefined
  const acts = useActs(id)
  const retry = (deliveryId: string) => acts.retry.mutate(deliveryId, { onError: toastError })
  return (
    <ListPage
      title={webhook?.name ?? 'Webhook'}
      lead={webhook?.disabledReason ?? webhook?.url}
      up={{ label: 'Webhooks', to: '/webhooks' }}
      actions={
        <>
          <Button blocked={mayWrite ?? isDisabled} onClick={() => setReplaying(true)}>
            Replay failed
          </Button>
          <Button
            kind="primary"
            blocked={mayWrite}
            busy={acts.test.isPending}
            onClick={() => acts.test.mutate(undefined)}
          >
            <Send aria-hidden className="size-4" />
            Send test
          </Button>
        </>
      }
      tools={<Select label="Status" none="All statuses" value={status} options={statuses} choose={narrow} />}
      label="Deliveries"
      list={list}
      columns={columnsWith(mayWrite ?? isDisabled, retry, setShown)}
      rowId={(delivery) => delivery.id}
      empty={
        <NoRows icon={Send} title="No deliveries yet" clear={status && (() => narrow(undefined))}>
          Events of the chosen types appear here for 30 days.
        </NoRows>
      }
    >
      <Confirm
        open={replaying}
        close={() => setReplaying(false)}
        title="Replay failed deliveries?"
        verb="Replay"
        act={() => acts.replay.mutateAsync(undefined)}
      >
        All deliveries that failed in the last 30 days are sent again, with the same webhook-id.
      </Confirm>
      {shown && <Attempts delivery={shown} close={() => setShown(null)} />}
    </ListPage>
  )
}

function useActs(id: string) {
  const refresh = ['webhooks']
  return {
    test: useApiMutation(() => api.webhooks.webhooks.test.mutate({ id }), {
      refresh,
      done: ({ error, status, durationMs }) =>
        toast(error ?? `The endpoint answered ${status} in ${durationMs} ms`, { bad: error !== null }),
    }),
    retry: useApiMutation((deliveryId: string) => api.webhooks.deliveries.retry.mutate({ id, deliveryId }), {
      refresh,
      done: () => toast('Delivery queued'),
    }),
    replay: useApiMutation(
      () => api.webhooks.deliveries.replay.mutate({ id, from: new Date(Date.now() - 30 * dayMs).toISOString() }),
      { refresh, done: ({ queued }) => toast(`${queued} queued`) },
    ),
  }
}

const columnsWith = (
  blocked: string | undefined,
  retry: (id: string) => void,
  show: (delivery: Delivery) => void,
): readonly Column<Delivery>[] => [
  {
    id: 'event',
    header: 'Event',
    width: 260,
    grow: 1,
    cell: ({ eventType }) => (
      <>
        <span className="font-medium">{eventText(eventType)}</span>{' '}
        <code className="text-muted text-xs">{eventType}</code>
      </>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 100,
    cell: ({ status }) => <Badge tone={tones[status]}>{words.get(status)}</Badge>,
  },
  { id: 'attempts', header: 'Attempts', width: 80, align: 'end', cell: ({ attempts }) => attempts.length },
  {
    id: 'error',
    header: 'Last error',
    width: 200,
    grow: 2,
    cell: ({ attempts }) => <span className="text-muted">{attempts.at(-1)?.error ?? '–'}</span>,
  },
  { id: 'next', header: 'Next attempt', width: 110, cell: ({ nextAttemptAt }) => <Ago at={nextAttemptAt} never="–" /> },
  { id: 'created', header: 'Created', width: 100, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (delivery) => {
      const isOpen = delivery.status === 'pending' || delivery.status === 'delivering'
      return (
        <RowMenu
          name={delivery.eventType}
          groups={[
            [
              { label: 'Show attempts', act: () => show(delivery) },
              {
                label: 'Retry delivery',
                blocked: blocked ?? (isOpen ? 'The delivery has not ended yet' : undefined),
                act: () => retry(delivery.id),
              },
            ],
          ]}
        />
      )
    },
  },
]

function Attempts({ delivery, close }: { readonly delivery: Delivery; close(): void }) {
  return (
    <Dialog
      open
      wide
      title={eventText(delivery.eventType)}
      close={close}
      actions={<Button onClick={close}>Done</Button>}
    >
      <div className="grid gap-4">
        <Facts
          facts={[
            ['Event type', <code key="type">{delivery.eventType}</code>],
            ['webhook-id', <code key="id">{delivery.eventId}</code>],
          ]}
        />
        {delivery.attempts.map((attempt) => (
          <Facts
            key={attempt.at}
            facts={[
              ['Time', <Moment key="at" at={attempt.at} />],
              ['Status', attempt.status ?? 'No answer'],
              ['Duration', `${attempt.durationMs} ms`],
              ['Error', attempt.error ?? '–'],
              ['Answer', <code key="body">{attempt.body ?? '–'}</code>],
            ]}
          />
        ))}
      </div>
    </Dialog>
  )
}
