import { useSearch } from '@tanstack/react-router'
import { useMe } from '../../../session/session.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { Tabs } from '../../../ui/page/Tabs.tsx'
import { EmergencyStop } from './EmergencyStop.tsx'
import { PinsTab } from './PinsTab.tsx'
import { RolloutsTab } from './RolloutsTab.tsx'
import { StuckTab } from './StuckTab.tsx'
import { VersionsTab } from './VersionsTab.tsx'

/** The agent versions: rollouts, versions, pins and stuck updates. */
export function AgentVersionsPage() {
  const isSystem = useMe().scope === 'system'
  const { tab = isSystem ? 'rollouts' : 'versions' } = useSearch({ from: '/app/agent-versions' })
  const tabs = [
    ...(isSystem ? [{ id: 'rollouts', label: 'Rollouts' }] : []),
    { id: 'versions', label: 'Versions' },
    { id: 'pins', label: 'Pins' },
    { id: 'stuck', label: 'Stuck updates' },
  ]
  return (
    <Page
      fill={tab !== 'rollouts'}
      title="Agent versions"
      lead={
        isSystem
          ? 'Rollouts reach the fleet in stages and halt automatically when devices fail.'
          : 'Rollouts reach the whole installation in stages. Pins keep your devices at a version.'
      }
    >
      {isSystem && <EmergencyStop />}
      <Tabs label="Sections of agent versions" tabs={tabs} open={tab} />
      {tab === 'rollouts' && <RolloutsTab />}
      {tab === 'versions' && <VersionsTab />}
      {tab === 'pins' && <PinsTab />}
      {tab === 'stuck' && <StuckTab />}
    </Page>
  )
}
