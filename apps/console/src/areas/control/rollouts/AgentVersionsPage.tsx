import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMe } from '../../../session/session.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { EmergencyStop } from './EmergencyStop.tsx'
import { PinsTab } from './PinsTab.tsx'
import { RolloutsTab } from './RolloutsTab.tsx'
import { StuckTab } from './StuckTab.tsx'
import type { VersionTab } from './search.ts'
import { VersionsTab } from './VersionsTab.tsx'

/** The agent versions: rollouts, versions, pins and stuck updates. */
export function AgentVersionsPage() {
  const isSystem = useMe().scope === 'system'
  const { tab = isSystem ? 'rollouts' : 'versions' } = useSearch({ from: '/app/agent-versions' })
  const navigate = useNavigate({ from: '/agent-versions' })
  const tabs: readonly (readonly [VersionTab, string])[] = [
    ...(isSystem ? [['rollouts', 'Rollouts'] as const] : []),
    ['versions', 'Versions'],
    ['pins', 'Pins'],
    ['stuck', 'Stuck updates'],
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
      <Tabs
        label="Sections of agent versions"
        tabs={tabs}
        open={tab}
        choose={(next) => void navigate({ search: ({ org, site }) => ({ org, site, tab: next }) })}
      />
      {tab === 'rollouts' && <RolloutsTab />}
      {tab === 'versions' && <VersionsTab />}
      {tab === 'pins' && <PinsTab />}
      {tab === 'stuck' && <StuckTab />}
    </Page>
  )
}
