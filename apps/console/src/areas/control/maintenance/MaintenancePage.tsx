import { useSearch } from '@tanstack/react-router'
import { useCan } from '../../../session/session.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { Tabs } from '../../../ui/page/Tabs.tsx'
import { MaintenanceCalendar } from './MaintenanceCalendar.tsx'
import { WindowForm } from './windows/WindowForm.tsx'
import { WindowList } from './windows/WindowList.tsx'

const tabs = [
  { id: 'windows', label: 'Windows' },
  { id: 'calendar', label: 'Calendar' },
]

/** Planned work: the windows as a list, and their occurrences in a calendar. */
export function MaintenancePage() {
  const { tab = 'windows' } = useSearch({ from: '/app/maintenance' })
  const mayWrite = useCan()('devices:write') ? undefined : 'You don’t have permission to edit devices'
  const creation = useNewForm('New window', mayWrite)
  return (
    <Page
      fill
      title="Maintenance"
      lead="Times of planned work: what they suppress, and what happens only then."
      actions={creation.button}
    >
      <Tabs label="Sections of maintenance" tabs={tabs} open={tab} />
      {tab === 'windows' ? <WindowList add={creation.button} mayWrite={mayWrite} /> : <MaintenanceCalendar />}
      {creation.isOpen && <WindowForm close={creation.close} />}
    </Page>
  )
}
