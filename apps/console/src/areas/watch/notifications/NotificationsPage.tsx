import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { Tabs } from '../../../ui/page/Tabs.tsx'
import { NotificationList } from './NotificationList.tsx'
import { PreferencesForm } from './PreferencesForm.tsx'
import { WatchList } from './WatchList.tsx'

const tabs = [
  { id: 'notifications', label: 'Notifications' },
  { id: 'watches', label: 'Device watches' },
]

/** What the signed-in user was notified of, and the devices that the user waits for. */
export function NotificationsPage() {
  const mayWatch = useCan()('devices:read')
  const { tab } = useSearch({ from: '/app/notifications' })
  const [isEditing, setEditing] = useState(false)
  const showsWatches = mayWatch && tab === 'watches'
  return (
    <Page
      fill
      title="Notifications"
      lead="Your notifications of the last 90 days."
      actions={<Button onClick={() => setEditing(true)}>Preferences</Button>}
    >
      {mayWatch && (
        <Tabs label="Sections of notifications" tabs={tabs} open={showsWatches ? 'watches' : 'notifications'} />
      )}
      {showsWatches ? <WatchList /> : <NotificationList />}
      {isEditing && <PreferencesForm close={() => setEditing(false)} />}
    </Page>
  )
}
