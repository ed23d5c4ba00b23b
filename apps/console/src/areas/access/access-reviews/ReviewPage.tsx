import type { ReviewItem } from '@muster/areas/access/access-reviews/reviews.contract.ts'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Keys } from '../../../ui/button/Menu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PendingPage } from '../../../ui/page/PendingPage.tsx'
import { Note } from '../../../ui/page/states.tsx'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { Moment } from '../../../ui/text/time.tsx'
import { Progress } from './Progress.tsx'
import { RevokeDialog } from './RevokeDialog.tsx'
import { reviewColumns } from './reviewColumns.tsx'
import { decisionWords, ReviewBadge } from './status.tsx'
import { useDecision } from './useDecision.ts'

const up = { label: 'Access reviews', to: '/access-reviews' } as const
type Review = Awaited<ReturnType<typeof api.accessReviews.reviews.get.query>>

/** One review with its members, decided by button or key. */
export function ReviewPage() {
  const { reviewId } = useParams({ from: '/app/access-reviews/$reviewId' })
  const answer = useApiQuery((client) => client.accessReviews.reviews.get, { id: reviewId }, { everyMs: 15_000 })
  if (!answer.data) return <PendingPage title="Access review" up={up} answer={answer} />
  return <Sheet review={answer.data} answer={answer} />
}

interface SheetProps {
  readonly review: Review
  readonly answer: { readonly isPending: boolean; readonly error: unknown; refetch(): unknown }
}

function Sheet({ review, answer }: SheetProps) {
  const { decision } = useSearch({ from: '/app/access-reviews/$reviewId' })
  const navigate = useNavigate({ from: '/access-reviews/$reviewId' })
  const can = useCan()
  const [revoking, setRevoking] = useState<ReviewItem | null>(null)
  const isDone = review.status === 'completed'
  const blocked = isDone
    ? 'The review is completed'
    : can('users:write')
      ? undefined
      : 'You don’t have permission to edit users and roles'
  const { decide, revoke } = useDecision({
    review,
    isBlocked: blocked !== undefined,
    isAsking: revoking !== null,
    ask: setRevoking,
  })
  const columns = reviewColumns(blocked, decide, setRevoking)
  const rows = review.items.filter((each) => !decision || each.decision === decision)
  return (
    <Page
      fill
      title={review.name}
      up={up}
      badge={<ReviewBadge status={review.status} />}
      lead={
        <>
          {review.description && `${review.description} `}Due <Moment at={review.dueAt} />
        </>
      }
      actions={<Complete review={review} />}
    >
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Select
          label="Decision"
          none="All decisions"
          value={decision}
          options={decisionWords}
          choose={(next) => void navigate({ search: (now) => ({ ...now, decision: next }), replace: true })}
        />
        <Progress done={review.itemCount - review.pending} of={review.itemCount} />
        {blocked === undefined && (
          <span className="flex flex-wrap items-center gap-1.5 text-muted text-xs">
            <Keys keys="j k" /> move <Keys keys="a" /> approve <Keys keys="r" /> revoke <Keys keys="u" /> reset
          </span>
        )}
      </div>
      <DataTable
        label="Memberships under review"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        empty={<Note icon={CircleCheck} title={decision ? 'No matches' : 'No members to review'} />}
      />
      {revoking && <RevokeDialog item={revoking} revoke={revoke} close={() => setRevoking(null)} />}
    </Page>
  )
}

function Complete({ review }: { readonly review: Review }) {
  const can = useCan()
  const [isAsking, setAsking] = useState(false)
  const complete = useApiMutation(() => api.accessReviews.reviews.complete.mutate({ id: review.id }), {
    refresh: ['accessReviews', 'users', 'roles'],
    done: ({ revoked }) => toast(`Review completed. ${many(revoked, 'membership')} revoked`),
  })
  if (review.status === 'completed') return null
  return (
    <>
      <Button
        kind="primary"
        blocked={
          !can('users:delete')
            ? 'You don’t have permission to delete users and roles'
            : review.pending > 0 && `${many(review.pending, 'decision')} pending`
        }
        onClick={() => setAsking(true)}
      >
        Complete review
      </Button>
      <Confirm
        open={isAsking}
        danger={review.revoked > 0}
        close={() => setAsking(false)}
        title="Complete this review?"
        verb="Complete review"
        act={() => complete.mutateAsync(undefined)}
      >
        {review.revoked === 0
          ? 'All members keep their access. You cannot change the decisions later.'
          : `${many(review.revoked, 'user loses', 'users lose')} access immediately, also in open sessions; ${many(review.approved, 'user keeps', 'users keep')} it. You cannot change the decisions later, but you can invite users again.`}
      </Confirm>
    </>
  )
}
