import type { Queue } from '@muster/areas/platform/queues/jobs.contract.ts'
import { Link } from '@tanstack/react-router'
import { ListTodo } from 'lucide-react'
import { useApiQuery } from '../../../queries.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Badge } from '../../../ui/display.tsx'
import { Page } from '../../../ui/Page.tsx'
import { count } from '../../../ui/quantity.ts'
import { Note } from '../../../ui/states.tsx'
import { Tip } from '../../../ui/Tip.tsx'
import { Ago } from '../../../ui/time.tsx'

/** The kinds of background work, and how they do. */
export function QueuesPage() {
  const answer = useApiQuery((api) => api.queues.jobs.queues, {}, { everyMs: 5_000, keepLast: true })
  const rows = answer.data?.data ?? []
  return (
    <Page
      fill
      title="Jobs"
      lead="What workers do in the background, by kind. Each is done once per time of its schedule."
      actions={
        <Link to="/queues/jobs" className={buttonClass()}>
          All jobs
        </Link>
      }
    >
      <DataTable
        label="Kinds of jobs"
        columns={columns}
        rows={rows}
        rowId={({ name }) => name}
        answer={answer}
        empty={
          <Note icon={ListTodo} title="No jobs yet">
            Workers register theirs when they first start. If none runs, start one.
          </Note>
        }
      />
    </Page>
  )
}

const columns: readonly Column<Queue>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 220,
    grow: 2,
    cell: ({ name }) => (
      <Link to="/queues/jobs" search={{ queue: name }} className="rounded font-medium hover:text-accent-text">
        {name}
      </Link>
    ),
  },
  {
    id: 'schedule',
    header: 'Schedule (UTC)',
    width: 140,
    cell: ({ schedule }) => (schedule ? <code className="text-xs">{schedule}</code> : 'on demand'),
  },
  { id: 'waiting', header: 'Waiting', width: 90, align: 'end', cell: ({ waiting }) => count(waiting) },
  { id: 'active', header: 'Running', width: 90, align: 'end', cell: ({ active }) => count(active) },
  { id: 'completed', header: 'Done', width: 90, align: 'end', cell: ({ completed }) => count(completed) },
  {
    id: 'failed',
    header: 'Failed',
    width: 90,
    align: 'end',
    cell: ({ name, failed }) =>
      failed === 0 ? (
        '0'
      ) : (
        <Link to="/queues/jobs" search={{ queue: name, state: 'failed' }} className="rounded">
          <Badge tone="bad">{count(failed)}</Badge>
        </Link>
      ),
  },
  { id: 'last', header: 'Last done', width: 120, cell: ({ lastCompletedAt }) => <Ago at={lastCompletedAt} /> },
  {
    id: 'error',
    header: 'Last error',
    width: 200,
    grow: 2,
    cell: ({ lastError, lastFailedAt }) =>
      lastError === null ? (
        <span className="text-muted">–</span>
      ) : (
        <Tip text={lastError}>
          <span>
            <Ago at={lastFailedAt} /> <span className="text-muted">{lastError}</span>
          </span>
        </Tip>
      ),
  },
]
