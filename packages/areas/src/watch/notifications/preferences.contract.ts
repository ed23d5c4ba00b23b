import { changes, get, patch, unaudited } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { NotificationPriority, NotificationType, personal } from './notifications.contract.ts'

/** Which notifications a person gets. */
export const NotificationPreferences = z.object({
  /** Types that are left out. */
  muted: z.array(NotificationType),
  /** Notifications below are left out. */
  minPriority: NotificationPriority,
})

export const preferences = {
  get: get('/notifications/preferences', {
    summary: 'Get which notifications you receive',
    access: personal,
    input: z.object({}),
    output: NotificationPreferences,
  }),
  update: patch('/notifications/preferences', {
    summary: 'Update which notifications you receive',
    access: personal,
    audit: unaudited('it changes only the notifications of the caller'),
    input: changes({}, { muted: z.array(NotificationType).max(10), minPriority: NotificationPriority }),
    output: NotificationPreferences,
  }),
}
