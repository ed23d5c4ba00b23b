import type { ReviewItem } from '@muster/areas/access/access-reviews/reviews.contract.ts'
import { useEffect, useEffectEvent } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { toastError } from '../../../ui/page/states.tsx'

interface Situation {
  readonly review: { readonly id: string; readonly items: readonly ReviewItem[] }
  readonly isBlocked: boolean
  readonly isAsking: boolean
  ask(item: ReviewItem): void
}

interface Decision {
  readonly itemId: string
  readonly decision: ReviewItem['decision']
  readonly reason: string | null
}

/** Decisions on members: by button, or by the keys `a`, `r` and `u` on the focused row. */
export function useDecision({ review, isBlocked, isAsking, ask }: Situation) {
  const change = useApiMutation(
    (decision: Decision) => api.accessReviews.reviews.decide.mutate({ id: review.id, ...decision }),
    { refresh: ['accessReviews'] },
  )
  const decide = (item: ReviewItem, decision: 'approved' | 'pending') => {
    if (item.decision === decision) return
    change.mutate({ itemId: item.id, decision, reason: null }, { onError: toastError })
  }
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (isBlocked || isAsking || event.ctrlKey || event.metaKey || event.altKey) return
    const row = document.activeElement?.closest<HTMLElement>('main [data-row]')
    const item = review.items.find(({ id }) => id === row?.dataset.row)
    if (!item) return
    if (event.key === 'a') decide(item, 'approved')
    else if (event.key === 'u') decide(item, 'pending')
    else if (event.key === 'r') ask(item)
    else return
    event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
  return {
    decide,
    revoke: (item: ReviewItem, reason: string) => change.mutateAsync({ itemId: item.id, decision: 'revoked', reason }),
  }
}
