import type { ReviewItem } from '@muster/areas/access/access-reviews/reviews.contract.ts'
import { Check, Undo2, X } from 'lucide-react'
import { IconButton } from '../../../ui/button/Button.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'
import { DecisionBadge } from './status.tsx'

function reachOf({ orgAccess, orgIds, siteIds, deviceGroupIds }: ReviewItem): string {
  if (orgAccess === 'all') return 'All organizations'
  if (orgAccess === 'none') return 'No organizations'
  if (orgAccess === 'selected') return many(orgIds?.length ?? 0, 'organization')
  const limits = [siteIds && many(siteIds.length, 'site'), deviceGroupIds && many(deviceGroupIds.length, 'group')]
  return limits.filter(Boolean).join(', ') || 'Whole organization'
}

const outcomes = { kept: 'kept', revoked: 'revoked', gone: 'already removed' }

/** The columns of a review: the member, their access, and the decision. */
export const reviewColumns = (
  blocked: string | undefined,
  decide: (item: ReviewItem, decision: 'approved' | 'pending') => void,
  ask: (item: ReviewItem) => void,
): readonly Column<ReviewItem>[] => [
  {
    id: 'decide',
    header: 'Actions',
    width: 110,
    cell: (item) => (
      <span className="flex gap-0.5">
        <IconButton
          small
          label={`Keep ${item.userName}`}
          blocked={blocked}
          aria-pressed={item.decision === 'approved'}
          onClick={() => decide(item, 'approved')}
          className="aria-pressed:!bg-good-soft aria-pressed:!text-good-text"
        >
          <Check aria-hidden className="size-4" />
        </IconButton>
        <IconButton
          small
          label={`Revoke ${item.userName}`}
          blocked={blocked}
          aria-pressed={item.decision === 'revoked'}
          onClick={() => ask(item)}
          className="aria-pressed:!bg-bad-soft aria-pressed:!text-bad-text"
        >
          <X aria-hidden className="size-4" />
        </IconButton>
        {item.decision !== 'pending' && blocked === undefined && (
          <IconButton small label={`Reset decision on ${item.userName}`} onClick={() => decide(item, 'pending')}>
            <Undo2 aria-hidden className="size-4" />
          </IconButton>
        )}
      </span>
    ),
  },
  {
    id: 'who',
    header: 'User',
    width: 200,
    grow: 2,
    cell: ({ userName, userEmail }) => (
      <>
        <span className="font-medium">{userName}</span> <span className="text-muted">{userEmail}</span>
      </>
    ),
  },
  {
    id: 'where',
    header: 'Member of',
    width: 120,
    grow: 1,
    cell: ({ memberOrgName }) => memberOrgName ?? 'Your company',
  },
  { id: 'role', header: 'Role', width: 120, grow: 1, cell: ({ roleName }) => roleName },
  { id: 'reach', header: 'Access', width: 120, cell: reachOf },
  { id: 'login', header: 'Last sign-in', width: 100, cell: ({ lastLoginAt }) => <Ago at={lastLoginAt} /> },
  { id: 'since', header: 'Member since', width: 105, cell: ({ memberSince }) => <Ago at={memberSince} /> },
  {
    id: 'decision',
    header: 'Decision',
    width: 130,
    grow: 1,
    cell: ({ decision, reason, outcome }) => (
      <>
        <DecisionBadge decision={decision} /> <span className="text-muted">{outcome ? outcomes[outcome] : reason}</span>
      </>
    ),
  },
]
