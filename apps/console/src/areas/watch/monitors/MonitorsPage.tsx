import { useSearch } from '@tanstack/react-router'
import { useCan } from '../../../session/session.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { Tabs } from '../../../ui/page/Tabs.tsx'
import { MonitorDashboard } from './MonitorDashboard.tsx'
import { MonitorForm } from './MonitorForm.tsx'
import { MonitorList } from './MonitorList.tsx'

const tabs = [
  { id: 'monitors', label: 'Monitors' },
  { id: 'dashboard', label: 'Dashboard' },
]

/** What agents check again and again: the monitors as a list, and their figures. */
export function MonitorsPage() {
  const { tab = 'monitors' } = useSearch({ from: '/app/monitors' })
  const mayWrite = useCan()('alerts:write') ? undefined : 'You don’t have permission to edit monitors'
  const creation = useNewForm('New monitor', mayWrite)
  return (
    <Page
      fill={tab === 'monitors'}
      title="Monitors"
      lead="Hosts, ports, pages and names that your devices check."
      actions={creation.button}
    >
      <Tabs label="Sections of monitors" tabs={tabs} open={tab} />
      {tab === 'monitors' ? <MonitorList add={creation.button} mayWrite={mayWrite} /> : <MonitorDashboard />}
      {creation.isOpen && <MonitorForm close={creation.close} />}
    </Page>
  )
}
