import type { AccessReview } from '@muster/areas/access/access-reviews/reviews.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ListChecks, Plus } from 'lucide-react'
import { useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { NoTenant, PartnerChoice, type Tenant, useTenant } from '../../../shell/tenant.tsx'
import { Button } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { Select } from '../../../ui/Select.tsx'
import { Note } from '../../../ui/states.tsx'
import { Moment } from '../../../ui/time.tsx'
import { ReviewForm } from './ReviewForm.tsx'
import { ReviewBadge, reviewWords } from './status.tsx'

const limit = 50

/** Reviews of who has access: begun, gone through and completed. */
export function ReviewsPage() {
  const tenant = useTenant()
  if (tenant === null)
    return (
      <Page title="Access reviews">
        <NoTenant what="Access reviews" />
      </Page>
    )
  return <Reviews tenant={tenant} />
}

function Reviews({ tenant }: { readonly tenant: Tenant }) {
  const { page = 1, status, form } = useSearch({ from: '/app/access-reviews' })
  const navigate = useNavigate({ from: '/access-reviews' })
  const change = (next: { status?: AccessReview['status']; page?: number; form?: 'new' }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const answer = useApiQuery(
    (api) => api.accessReviews.reviews.list,
    { ...tenant.input, page, limit, ...(status && { status }) },
    { keepLast: true, everyMs: 30_000 },
  )
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const start = (
    <Button
      kind="primary"
      blocked={useCan()('users:write') ? undefined : 'You need the permission to change users and roles'}
      onClick={() => change({ form: 'new' })}
    >
      <Plus aria-hidden className="size-4" />
      Start a review
    </Button>
  )
  return (
    <Page fill title="Access reviews" lead="Look at everybody who has access, and decide who keeps it." actions={start}>
      <div className="mb-3 flex flex-wrap gap-2">
        <Select
          label="Status"
          none="Every status"
          value={status ?? ''}
          options={reviewWords}
          choose={(next) => change({ status: next })}
        />
        <PartnerChoice />
      </div>
      <DataTable
        label="Access reviews"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={pagination.total}
        empty={
          <Note icon={ListChecks} title={status ? 'None is like that' : 'No reviews yet'} action={start}>
            A review lists everybody who has access today. You keep or revoke each; nothing changes before you complete
            it.
          </Note>
        }
        footer={<Pages {...pagination} set={(next) => change({ page: next > 1 ? next : undefined })} />}
      />
      {form === 'new' && <ReviewForm tenant={tenant} close={() => change({ form: undefined })} />}
    </Page>
  )
}

const columns: readonly Column<AccessReview>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 240,
    grow: 2,
    cell: ({ id, name }) => (
      <Link
        to="/access-reviews/$reviewId"
        params={{ reviewId: id }}
        className="truncate rounded font-medium hover:text-accent-text"
      >
        {name}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', width: 110, cell: ({ status }) => <ReviewBadge status={status} /> },
  {
    id: 'progress',
    header: 'Decided',
    width: 180,
    cell: ({ items, pending }) => <Progress done={items - pending} of={items} />,
  },
  { id: 'kept', header: 'Keep', width: 80, align: 'end', cell: ({ approved }) => approved },
  { id: 'revoked', header: 'Lose', width: 80, align: 'end', cell: ({ revoked }) => revoked },
  { id: 'due', header: 'Due', width: 215, cell: ({ dueAt }) => <Moment at={dueAt} /> },
  {
    id: 'completed',
    header: 'Completed',
    width: 215,
    cell: ({ completedAt }) => <Moment at={completedAt} never="not yet" />,
  },
]

/** How many of all are decided on, as a bar with its figures. */
export function Progress({ done, of }: { readonly done: number; readonly of: number }) {
  return (
    <span
      role="progressbar"
      aria-label="Decided"
      aria-valuenow={done}
      aria-valuemin={0}
      aria-valuemax={of}
      className="flex items-center gap-2"
    >
      <span className="h-1.5 w-20 overflow-hidden rounded-full bg-line">
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${of === 0 ? 100 : (done / of) * 100}%` }}
        />
      </span>
      <span className="tabular text-xs">
        {done} of {of}
      </span>
    </span>
  )
}
