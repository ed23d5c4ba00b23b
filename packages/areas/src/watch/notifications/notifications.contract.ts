import {
  changes,
  del,
  flag,
  get,
  id,
  page,
  pageOf,
  patch,
  people,
  signedIn,
  live as stream,
  success,
  time,
  unaudited,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { notificationsChanged } from './notification-events.contract.ts'

export const NotificationType = z.enum(['alert', 'device', 'script', 'automation', 'system', 'security', 'ticket'])
export type NotificationType = z.infer<typeof NotificationType>
export const NotificationPriority = z.enum(['low', 'normal', 'high', 'urgent'])
export type NotificationPriority = z.infer<typeof NotificationPriority>

/** What the console opens. */
export const NotificationLink = z.object({ kind: z.string(), id: z.string() })

/** What happened, told to one person. Repetitions raise the count. */
export const Notification = z.object({
  id: id(),
  type: NotificationType,
  priority: NotificationPriority,
  title: z.string(),
  body: z.string(),
  link: NotificationLink.nullable(),
  orgId: id().nullable(),
  count: z.number(),
  readAt: time().nullable(),
  createdAt: time(),
})
export type Notification = z.infer<typeof Notification>

/** Read the list: the stream begins, or something changed that was missed. */
const Resync = z.object({ type: z.literal('resync'), at: z.number() })
export const NotificationEvent = z.discriminatedUnion('type', [notificationsChanged.schema, Resync])

/** A person's own: no scope of an API key covers them. */
export const personal = signedIn({ kinds: people })
const unlogged = unaudited('it changes only what the caller sees of its own notifications')

export const notifications = {
  list: get('/notifications', {
    summary: 'List your notifications, newest first',
    access: personal,
    input: z.object({
      unread: flag().optional(),
      type: NotificationType.optional(),
      priority: NotificationPriority.optional(),
      ...page,
    }),
    output: pageOf(Notification),
  }),
  unreadCount: get('/notifications/unread-count', {
    summary: 'Get the number of your unread notifications',
    access: personal,
    input: z.object({}),
    output: z.object({ count: z.number() }),
  }),
  update: patch('/notifications/:id', {
    summary: 'Update whether one of your notifications is read',
    access: personal,
    audit: unlogged,
    input: changes({ id: id() }, { read: flag() }),
    output: Notification,
  }),
  remove: del('/notifications/:id', {
    summary: 'Delete one of your notifications',
    access: personal,
    audit: unlogged,
    input: z.object({ id: id() }),
    output: success,
  }),
  clear: del('/notifications', {
    summary: 'Delete all of your notifications',
    access: personal,
    audit: unlogged,
    input: z.object({}),
    output: z.object({ deleted: z.number() }),
  }),
  events: stream('/notifications/events', {
    summary: 'Stream changes of your notifications, starting with `resync`',
    access: personal,
    input: z.object({}),
    output: NotificationEvent,
  }),
}
