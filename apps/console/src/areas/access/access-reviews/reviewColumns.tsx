import type { ReviewItem } from '@muster/areas/access/access-reviews/reviews.contract.ts'
import { Check, Undo2, X } from 'lucide-react'
import { IconButton } from '../../../ui/Button.tsx'
import type { Column } from '../../../ui/DataTable.tsx'
import { many } from '../../../ui/quantity.ts'
import { Ago } from '../../../ui/time.tsx'
import { DecisionBadge } from './status.tsx'

function reachOf({ orgAccess, orgIds, siteIds, deviceGroupIds }: ReviewItem): string {
  if (orgAccess === 'all') return 'Every organisation'
  if (orgAccess === 'none') return 'No organisation'
  if (orgAccess === 'selected') return many(orgIds?.length ?? 0, 'organisation')
  const limits = [siteIds && many(siteIds.length, 'site'), deviceGroupIds && many(deviceGroupIds.length, 'group')]
  return limits.filter(Boolean).join(', ') || 'All of it'
}

const outcomes = { kept: 'kept', revoked: 'revoked', gone: 'had left' }

/** Who, with which access, since when and used when; and the decision with the means to change it. */
export const reviewColumns = (
  blocked: string | undefined,
  decide: (item: ReviewItem, decision: 'approved' | 'pending') => void,
  ask: (item: ReviewItem) => void,
): readonly Column<ReviewItem>[] => [
  {
    id: 'decide',
    header: 'Decide',
    width: 120,
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
          <IconButton small label={`Undecide ${item.userName}`} onClick={() => decide(item, 'pending')}>
            <Undo2 aria-hidden className="size-4" />
          </IconButton>
        )}
      </span>
    ),
  },
  {
    id: 'who',
    header: 'Who',
    width: 240,
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
    width: 150,
    grow: 1,
    cell: ({ memberOrgName }) => memberOrgName ?? 'The company',
  },
  { id: 'role', header: 'Role', width: 150, grow: 1, cell: ({ roleName }) => roleName },
  { id: 'reach', header: 'Reaches', width: 150, cell: reachOf },
  { id: 'login', header: 'Last sign-in', width: 110, cell: ({ lastLoginAt }) => <Ago at={lastLoginAt} /> },
  { id: 'since', header: 'Member since', width: 110, cell: ({ memberSince }) => <Ago at={memberSince} /> },
  {
    id: 'decision',
    header: 'Decision',
    width: 200,
    grow: 1,
    cell: ({ decision, reason, outcome }) => (
      <>
        <DecisionBadge decision={decision} /> <span className="text-muted">{outcome ? outcomes[outcome] : reason}</span>
      </>
    ),
  },
]
