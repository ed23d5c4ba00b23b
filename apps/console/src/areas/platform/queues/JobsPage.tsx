import type { Job } from '@muster/areas/platform/queues/jobs.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ListTodo } from 'lucide-react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
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

const states = [
  ['failed', 'Failed'],
  ['retry', 'Retrying'],
  ['active', 'Running'],
  ['created', 'Queued'],
  ['completed', 'Succeeded'],
  ['cancelled', 'Canceled'],
] as const
const words = new Map<Job['state'], string>(states)
const tones: Readonly<Record<Job['state'], Tone>> = {
  failed: 'bad',
  retry: 'warn',
  active: 'info',
  created: 'plain',
  completed: 'good',
  cancelled: 'plain',
}

/** The background jobs, newest first. */
export function JobsPage() {
  const { queue, state, job: openId } = useSearch({ from: '/app/queues/jobs' })
  const navigate = useNavigate({ from: '/queues/jobs' })
  const blocked = useCan()('*:*') ? undefined : 'You need full access to do this'
  const narrow = (next: { queue?: string | undefined; state?: Job['state'] | undefined }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const open = (id: string | undefined) => void navigate({ search: (now) => ({ ...now, job: id }) })
  const list = useList(
    (client) => client.queues.jobs.list,
    { ...(queue && { queue }), ...(state && { state }) },
    { everyMs: 5_000 },
  )
  const queues = useApiQuery((client) => client.queues.jobs.queues, {}, { staleMs: 60_000 }).data?.data ?? []
  const retry = useApiMutation((id: string) => api.queues.jobs.retry.mutate({ id }), {
    refresh: ['queues.jobs'],
    done: () => toast('Job queued. A worker runs it within seconds'),
  })
  const again = (id: string) => retry.mutate(id, { onError: toastError })
  const opened = list.rows.find(({ id }) => id === openId)
  return (
    <ListPage
      title={queue ?? 'All jobs'}
      up={{ label: 'Jobs', to: '/queues' }}
      tools={
        <>
          <Select
            label="Type"
            none="All types"
            value={queue}
            options={queues.map(({ name }) => [name, name] as const)}
            choose={(next) => narrow({ queue: next })}
          />
          <Select
            label="State"
            none="All states"
            value={state}
            options={states}
            choose={(next) => narrow({ state: next })}
          />
        </>
      }
      label="Jobs"
      list={list}
      columns={columnsWith(blocked, again, open)}
      rowId={({ id }) => id}
      empty={
        <NoRows
          icon={ListTodo}
          title="No jobs yet"
          clear={(queue ?? state) && (() => narrow({ queue: undefined, state: undefined }))}
        >
          Finished jobs are kept for some days.
        </NoRows>
      }
    >
      {opened && <JobDialog job={opened} close={() => open(undefined)} />}
    </ListPage>
  )
}

function JobDialog({ job, close }: { readonly job: Job; close(): void }) {
  return (
    <Dialog open wide close={close} title={job.queue}>
      <div className="grid gap-4">
        <Facts
          facts={[
            ['State', words.get(job.state)],
            ['Attempts', `${job.tries + (job.startedAt === null ? 0 : 1)} of ${job.triesMax + 1}`],
            ['Created', <Moment key="created" at={job.createdAt} />],
            ['Due', <Moment key="due" at={job.dueAt} />],
            ['Started', <Moment key="started" at={job.startedAt} />],
            ['Finished', <Moment key="finished" at={job.completedAt} never="not yet" />],
          ]}
        />
        {job.lastError !== null && (
          <pre
            tabIndex={0}
            className="max-h-80 overflow-auto whitespace-pre-wrap break-words rounded-md bg-sunken p-3 font-mono text-xs"
          >
            {job.lastError}
          </pre>
        )}
      </div>
    </Dialog>
  )
}

const columnsWith = (
  blocked: string | undefined,
  again: (id: string) => void,
  open: (id: string) => void,
): readonly Column<Job>[] => [
  {
    id: 'queue',
    header: 'Type',
    width: 200,
    grow: 1,
    cell: ({ id, queue }) => <RowButton open={() => open(id)}>{queue}</RowButton>,
  },
  {
    id: 'state',
    header: 'State',
    width: 140,
    cell: ({ state }) => <Badge tone={tones[state]}>{words.get(state)}</Badge>,
  },
  { id: 'created', header: 'Created', width: 110, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { id: 'started', header: 'Started', width: 110, cell: ({ startedAt }) => <Ago at={startedAt} /> },
  {
    id: 'finished',
    header: 'Finished',
    width: 110,
    cell: ({ completedAt }) => <Ago at={completedAt} never="not yet" />,
  },
  {
    id: 'error',
    header: 'Error',
    width: 220,
    grow: 3,
    cell: ({ lastError }) => <span className="text-muted">{lastError ?? '–'}</span>,
  },
  {
    id: 'actions',
    header: 'Actions',
    width: 110,
    cell: ({ id, state }) =>
      state === 'failed' && (
        <Button small blocked={blocked} onClick={() => again(id)}>
          Retry
        </Button>
      ),
  },
]
