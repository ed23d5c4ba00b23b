import type { Job } from '@muster/areas/platform/queues/jobs.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ListTodo } from 'lucide-react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Badge, Facts, type Tone } from '../../../ui/display.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { Select } from '../../../ui/Select.tsx'
import { messageOf, Note } from '../../../ui/states.tsx'
import { Ago, Moment } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toasts.tsx'

const limit = 50
const states = [
  ['failed', 'Failed'],
  ['retry', 'To be tried again'],
  ['active', 'Running'],
  ['created', 'Waiting'],
  ['completed', 'Done'],
  ['cancelled', 'Called off'],
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

/** Single pieces of background work, newest first. */
export function JobsPage() {
  const { page = 1, queue, state, job: openId } = useSearch({ from: '/app/queues/jobs' })
  const navigate = useNavigate({ from: '/queues/jobs' })
  const mayChange = useCan()('*:*') ? undefined : 'Only somebody who may do everything can do that'
  const change = (next: { page?: number; queue?: string; state?: Job['state']; job?: string }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const answer = useApiQuery(
    (client) => client.queues.jobs.list,
    { page, limit, ...(queue && { queue }), ...(state && { state }) },
    { everyMs: 5_000, keepLast: true },
  )
  const queues = useApiQuery((client) => client.queues.jobs.queues, {}, { staleMs: 60_000 }).data?.data ?? []
  const retry = useApiMutation((id: string) => api.queues.jobs.retry.mutate({ id }), {
    refresh: ['queues.jobs'],
    done: () => toast('A worker tries it again within seconds'),
  })
  const again = (id: string) => retry.mutate(id, { onError: (error) => toast(messageOf(error), { bad: true }) })
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const opened = rows.find(({ id }) => id === openId)
  return (
    <Page fill title={queue ?? 'All jobs'} up={{ label: 'Jobs', to: '/queues' }}>
      <div className="mb-3 flex flex-wrap gap-2">
        <Select
          label="Kind"
          none="Every kind"
          value={queue ?? ''}
          options={queues.map(({ name }) => [name, name] as const)}
          choose={(next) => change({ queue: next })}
        />
        <Select
          label="State"
          none="Every state"
          value={state ?? ''}
          options={states}
          choose={(next) => change({ state: next })}
        />
      </div>
      <DataTable
        label="Jobs"
        columns={columnsWith(mayChange, again, (id) => change({ job: id, page }))}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={pagination.total}
        empty={
          <Note icon={ListTodo} title="None is like that">
            Done jobs are kept for some days. Take a filter away to see others.
          </Note>
        }
        footer={<Pages {...pagination} set={(next) => change({ page: next > 1 ? next : undefined })} />}
      />
      {opened && <JobDialog job={opened} close={() => change({ job: undefined, page })} />}
    </Page>
  )
}

function JobDialog({ job, close }: { readonly job: Job; close(): void }) {
  return (
    <Dialog open wide close={close} title={job.queue}>
      <div className="grid gap-4">
        <Facts
          facts={[
            ['State', words.get(job.state)],
            ['Tries', `${job.tries + (job.startedAt === null ? 0 : 1)} of at most ${job.triesMax + 1}`],
            ['Made', <Moment key="made" at={job.createdAt} />],
            ['Due', <Moment key="due" at={job.dueAt} />],
            ['Begun', <Moment key="begun" at={job.startedAt} />],
            ['Ended', <Moment key="ended" at={job.completedAt} never="not yet" />],
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
    header: 'Kind',
    width: 200,
    grow: 1,
    cell: ({ id, queue }) => (
      <button type="button" className="rounded font-medium hover:text-accent-text" onClick={() => open(id)}>
        {queue}
      </button>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: 140,
    cell: ({ state }) => <Badge tone={tones[state]}>{words.get(state)}</Badge>,
  },
  { id: 'made', header: 'Made', width: 110, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { id: 'begun', header: 'Begun', width: 110, cell: ({ startedAt }) => <Ago at={startedAt} /> },
  { id: 'ended', header: 'Ended', width: 110, cell: ({ completedAt }) => <Ago at={completedAt} never="not yet" /> },
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
          Try again
        </Button>
      ),
  },
]
