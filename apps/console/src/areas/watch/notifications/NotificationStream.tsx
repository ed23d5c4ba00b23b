import { api } from '../../../api.ts'
import { useStream } from '../../../live/useStream.ts'
import { useRefresh } from '../../../queries.ts'

/** Shows nothing: it reads the notifications again when they change. */
export function NotificationStream() {
  const refresh = useRefresh()
  useStream<{ readonly type: string }>(
    (handlers) => api.notifications.notifications.events.subscribe({}, handlers),
    ({ type }) => {
      if (type !== 'resync') void refresh('notifications')
    },
  )
  return null
}
