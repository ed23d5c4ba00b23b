import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMe } from '../../../session/session.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { EmergencyStop } from './EmergencyStop.tsx'
import { PinsTab } from './PinsTab.tsx'
import { RolloutsTab } from './RolloutsTab.tsx'
import type { versionTabs } from './routes.ts'
import { StuckTab } from './StuckTab.tsx'
import { VersionsTab } from './VersionsTab.tsx'

type Tab = (typeof versionTabs)[number]

/** The versions of the agent: which there are, how they go out, what is kept from them, and where they do not arrive. */
export function AgentVersionsPage() {
  const isSystem = useMe().scope === 'system'
  const { tab = isSystem ? 'rollouts' : 'versions' } = useSearch({ from: '/app/agent-versions' })
  const navigate = useNavigate({ from: '/agent-versions' })
  const tabs: readonly (readonly [Tab, string])[] = [
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
          ? 'A version goes out ring by ring, and stops by itself when devices fail.'
          : 'Versions go out ring by ring, for the whole installation. Pins keep your devices from them.'
      }
    >
      {isSystem && <EmergencyStop />}
      <Tabs
        label="Parts of agent versions"
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
