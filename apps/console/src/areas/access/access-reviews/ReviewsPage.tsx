import type { AccessReview } from '@muster/areas/access/access-reviews/reviews.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ListChecks } from 'lucide-react'
import { useCan } from '../../../session/session.tsx'
import { NoTenant, PartnerChoice, type Tenant, useTenant } from '../../../shell/tenant.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Page } from '../../../ui/page/Page.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
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
  const { status } = useSearch({ from: '/app/access-reviews' })
  const navigate = useNavigate({ from: '/access-reviews' })
  const narrow = (next: AccessReview['status'] | undefined) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, status: next }), replace: true })
  const list = useList(
    (api) => api.accessReviews.reviews.list,
    { ...tenant.input, ...(status && { status }) },
    { everyMs: 30_000 },
  )
  const mayWrite = useCan()('users:write') ? undefined : 'You don’t have permission to edit users and roles'
  const creation = useNewForm('Start access review', mayWrite)
  return (
    <ListPage
      title="Access reviews"
      lead="Review all members, and approve or revoke their access."
      actions={creation.button}
      tools={
        <>
          <Select label="Status" none="All statuses" value={status} options={reviewWords} choose={narrow} />
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
          action={creation.button}
          clear={status && (() => narrow(undefined))}
        >
          A review lists all current members. You approve or revoke each of them. Changes apply when you complete the
          review.
        </NoRows>
      }
    >
      {creation.isOpen && <ReviewForm tenant={tenant} close={creation.close} />}
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
