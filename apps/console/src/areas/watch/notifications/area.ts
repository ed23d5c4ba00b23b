import { Bell } from 'lucide-react'
import { lazy } from 'react'
import type { Area } from '../../../area.ts'
import { notificationRoutes } from './routes.ts'

const NotificationStream = lazy(() =>
  import('./NotificationStream.tsx').then((part) => ({ default: part.NotificationStream })),
)

export const notificationsArea = {
  routes: notificationRoutes,
  screens: [
    {
      path: '/notifications',
      label: 'Notifications',
      icon: Bell,
      order: 1,
      words: 'bell inbox unread mute preferences device watches online again',
    },
  ],
  inbox: [
    {
      path: '/notifications',
      label: 'Notifications',
      icon: Bell,
      operation: 'notifications.notifications.unreadCount',
      async count(api) {
        return (await api.notifications.notifications.unreadCount.query({})).count
      },
    },
  ],
  banners: [{ id: 'notification-stream', Content: NotificationStream }],
} as const satisfies Area
