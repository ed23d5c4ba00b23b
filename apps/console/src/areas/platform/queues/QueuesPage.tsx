import type { Queue } from '@muster/areas/platform/queues/jobs.contract.ts'
import { Link } from '@tanstack/react-router'
import { ListTodo } from 'lucide-react'
import { useApiQuery } from '../../../queries.ts'
import { buttonClass } from '../../../ui/button/Button.tsx'
import { Tip } from '../../../ui/button/Tip.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { wholeList } from '../../../ui/list/useList.ts'
import { Badge } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { count } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'

/** The types of background jobs and their counts. */
export function QueuesPage() {
  const answer = useApiQuery((api) => api.queues.jobs.queues, {}, { everyMs: 5_000, keepLast: true })
  return (
    <ListPage
      title="Jobs"
      lead="Background jobs of the workers, by type."
      actions={
        <Link to="/queues/jobs" className={buttonClass()}>
          View all jobs
        </Link>
      }
      label="Job types"
      list={wholeList(answer.data?.data ?? [], answer)}
      columns={columns}
      rowId={({ name }) => name}
      empty={
        <NoRows icon={ListTodo} title="No jobs yet">
          Workers register their jobs when they start. Start a worker.
        </NoRows>
      }
    />
  )
}

const columns: readonly Column<Queue>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 200,
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
    width: 130,
    cell: ({ schedule }) => (schedule ? <code className="text-xs">{schedule}</code> : 'on demand'),
  },
  { id: 'waiting', header: 'Queued', width: 80, align: 'end', cell: ({ waiting }) => count(waiting) },
  { id: 'active', header: 'Running', width: 80, align: 'end', cell: ({ active }) => count(active) },
  { id: 'completed', header: 'Succeeded', width: 90, align: 'end', cell: ({ completed }) => count(completed) },
  {
    id: 'failed',
    header: 'Failed',
    pinned: true,
    width: 75,
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
  { id: 'last', header: 'Last success', width: 115, cell: ({ lastCompletedAt }) => <Ago at={lastCompletedAt} /> },
  {
    id: 'error',
    header: 'Last error',
    width: 180,
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
