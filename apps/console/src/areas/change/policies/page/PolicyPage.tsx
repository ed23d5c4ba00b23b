import type { Policy } from '@muster/areas/change/device-policies/policies.contract.ts'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useApiQuery } from '../../../../queries.ts'
import { Button } from '../../../../ui/button/Button.tsx'
import { RowMenu } from '../../../../ui/button/RowMenu.tsx'
import { Badge } from '../../../../ui/page/display.tsx'
import { Page } from '../../../../ui/page/Page.tsx'
import { PendingPage } from '../../../../ui/page/PendingPage.tsx'
import { Tabs } from '../../../../ui/page/Tabs.tsx'
import { cannotActivate, usePolicyActs } from '../usePolicyActs.tsx'
import { heldText, modeText, PolicyBadge } from '../words.tsx'
import { ComplianceTab } from './ComplianceTab.tsx'
import { ExceptionsTab } from './ExceptionsTab.tsx'
import { HistoryTab } from './HistoryTab.tsx'
import { OverviewTab } from './OverviewTab.tsx'

const up = { label: 'Configuration policies', to: '/policies' } as const
const tabs = [
  { id: 'overview', label: 'Overview' },
  { id: 'compliance', label: 'Compliance' },
  { id: 'exceptions', label: 'Exceptions' },
  { id: 'history', label: 'History' },
] as const

/** One policy: what it requires, which devices comply, its exceptions, and what changed. */
export function PolicyPage() {
  const { policyId } = useParams({ from: '/app/policies/$policyId' })
  const answer = useApiQuery((client) => client.policies.policies.get, { id: policyId }, { everyMs: 5_000 })
  if (!answer.data) return <PendingPage title="Policy" up={up} answer={answer} />
  return <Sheet policy={answer.data} />
}

function Sheet({ policy }: { readonly policy: Policy }) {
  const { tab = 'overview' } = useSearch({ from: '/app/policies/$policyId' })
  const navigate = useNavigate()
  const acts = usePolicyActs(() => void navigate({ to: '/policies' }))
  const { name, description, status, mode, held } = policy
  return (
    <Page
      fill={tab !== 'overview'}
      title={name}
      up={up}
      badge={
        <>
          <PolicyBadge status={status} />
          <Badge>{modeText(mode)}</Badge>
        </>
      }
      lead={held === null ? description : heldText[held]}
      actions={
        <>
          <Button blocked={acts.mayWrite} onClick={() => acts.open('edit', policy)}>
            Edit policy
          </Button>
          {status !== 'active' && status !== 'awaiting_approval' && (
            <Button
              kind="primary"
              blocked={acts.mayWrite ?? cannotActivate(policy)}
              onClick={() => acts.open('activate', policy)}
            >
              Activate policy
            </Button>
          )}
          <RowMenu name={name} groups={acts.groupsFor(policy)} />
        </>
      }
    >
      <Tabs label="Sections of the policy" tabs={tabs} open={tab} />
      {tab === 'overview' && <OverviewTab policy={policy} />}
      {tab === 'compliance' && <ComplianceTab policy={policy} mayWrite={acts.mayWrite} />}
      {tab === 'exceptions' && <ExceptionsTab policy={policy} mayWrite={acts.mayWrite} />}
      {tab === 'history' && <HistoryTab policyId={policy.id} />}
      {acts.dialogs}
    </Page>
  )
}
