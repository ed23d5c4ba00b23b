import type { AccessReview } from '@muster/areas/access/access-reviews/reviews.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ListChecks, Plus } from 'lucide-react'
import { useCan } from '../../../session/session.tsx'
import { NoTenant, PartnerChoice, type Tenant, useTenant } from '../../../shell/tenant.tsx'
import { Button } from '../../../ui/Button.tsx'
import type { Column } from '../../../ui/DataTable.tsx'
import { ListPage } from '../../../ui/ListPage.tsx'
import { NoRows } from '../../../ui/NoRows.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Select } from '../../../ui/Select.tsx'
import { Ago } from '../../../ui/time.tsx'
import { useList } from '../../../ui/useList.ts'
import { Progress } from './Progress.tsx'
import { ReviewForm } from './ReviewForm.tsx'
import { ReviewBadge, reviewWords } from './status.tsx'

/** The access reviews of the tenant. */
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
  const { status, form } = useSearch({ from: '/app/access-reviews' })
  const navigate = useNavigate({ from: '/access-reviews' })
  const narrow = (next: AccessReview['status'] | undefined) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, status: next }), replace: true })
  const setForm = (next: 'new' | undefined) => void navigate({ search: (now) => ({ ...now, form: next }) })
  const list = useList(
    (api) => api.accessReviews.reviews.list,
    { ...tenant.input, ...(status && { status }) },
    { everyMs: 30_000 },
  )
  const start = (
    <Button
      kind="primary"
      blocked={useCan()('users:write') ? undefined : 'You don’t have permission to edit users and roles'}
      onClick={() => setForm('new')}
    >
      <Plus aria-hidden className="size-4" />
      Start access review
    </Button>
  )
  return (
    <ListPage
      title="Access reviews"
      lead="Review all members, and approve or revoke their access."
      actions={start}
      tools={
        <>
          <Select label="Status" none="All statuses" value={status ?? ''} options={reviewWords} choose={narrow} />
          <PartnerChoice />
        </>
      }
      label="Access reviews"
      list={list}
      columns={columns}
      rowId={({ id }) => id}
      empty={
        <NoRows
          icon={ListChecks}
          title="No access reviews yet"
          action={start}
          clear={status && (() => narrow(undefined))}
        >
          A review lists all current members. You approve or revoke each of them. Changes apply when you complete the
          review.
        </NoRows>
      }
    >
      {form === 'new' && <ReviewForm tenant={tenant} close={() => setForm(undefined)} />}
    </ListPage>
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
  { id: 'approved', header: 'Approved', width: 90, align: 'end', cell: ({ approved }) => approved },
  { id: 'revoked', header: 'Revoked', width: 80, align: 'end', cell: ({ revoked }) => revoked },
  { id: 'due', header: 'Due', width: 110, cell: ({ dueAt }) => <Ago at={dueAt} /> },
  {
    id: 'completed',
    header: 'Completed',
    width: 120,
    cell: ({ completedAt }) => <Ago at={completedAt} never="not yet" />,
  },
]
