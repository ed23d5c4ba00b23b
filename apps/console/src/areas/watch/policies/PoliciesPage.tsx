import { useSearch } from '@tanstack/react-router'
import { Page } from '../../../ui/page/Page.tsx'
import { Tabs } from '../../../ui/page/Tabs.tsx'
import { PoliciesTab } from './PoliciesTab.tsx'
import { PreviewTab } from './PreviewTab.tsx'

const tabs = [
  { id: 'policies', label: 'Policies' },
  { id: 'preview', label: 'Who would hear what' },
] as const

/** Who is notified of which alerts, and when. */
export function PoliciesPage() {
  const { tab = 'policies' } = useSearch({ from: '/app/alerts/policies' })
  return (
    <Page fill title="Alert policies" lead="Who is notified of which alerts, and when.">
      <Tabs label="Sections of alert policies" tabs={tabs} open={tab} />
      {tab === 'policies' ? <PoliciesTab /> : <PreviewTab />}
    </Page>
  )
}
