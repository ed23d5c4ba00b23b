import type { AccessReview, ReviewItem } from '@muster/areas/access/access-reviews/reviews.contract.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'

export const reviewWords = [
  ['open', 'Open'],
  ['overdue', 'Overdue'],
  ['completed', 'Completed'],
] as const
const tones: Readonly<Record<AccessReview['status'], Tone>> = { open: 'info', overdue: 'bad', completed: 'good' }
const wordsOf = new Map<AccessReview['status'], string>(reviewWords)

export const ReviewBadge = ({ status }: { readonly status: AccessReview['status'] }) => (
  <Badge tone={tones[status]}>{wordsOf.get(status)}</Badge>
)

export const decisionWords = [
  ['pending', 'Pending'],
  ['approved', 'Approved'],
  ['revoked', 'Revoked'],
] as const
const decisionTones: Readonly<Record<ReviewItem['decision'], Tone>> = {
  pending: 'plain',
  approved: 'good',
  revoked: 'bad',
}
const decisionsOf = new Map<ReviewItem['decision'], string>(decisionWords)

export const DecisionBadge = ({ decision }: { readonly decision: ReviewItem['decision'] }) => (
  <Badge tone={decisionTones[decision]}>{decisionsOf.get(decision)}</Badge>
)
