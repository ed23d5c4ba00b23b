import { useNavigate, useSearch } from '@tanstack/react-router'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { Tabs } from '../../../ui/page/Tabs.tsx'
import { DriftTab } from './compliance/DriftTab.tsx'
import { MatrixTab } from './compliance/MatrixTab.tsx'
import { PolicyForm } from './editor/PolicyForm.tsx'
import { PolicyList } from './PolicyList.tsx'
import { usePolicyActs } from './usePolicyActs.tsx'

const tabs = [
  { id: 'policies', label: 'Policies' },
  { id: 'matrix', label: 'Matrix' },
  { id: 'drift', label: 'Drift' },
] as const

/** What devices have to be like, and how many of them comply. */
export function PoliciesPage() {
  const { tab = 'policies' } = useSearch({ from: '/app/policies' })
  const navigate = useNavigate()
  const acts = usePolicyActs()
  const form = useNewForm('New policy', acts.mayWrite)
  return (
    <Page
      fill={tab === 'policies'}
      title="Configuration policies"
      lead="What devices have to be like. Muster notes which do not comply, since when and why."
      actions={form.button}
    >
      <Tabs label="Sections of policies" tabs={tabs} open={tab} />
      {tab === 'policies' && <PolicyList add={form.button} acts={acts} />}
      {tab === 'matrix' && <MatrixTab />}
      {tab === 'drift' && <DriftTab />}
      {form.isOpen && (
        <PolicyForm
          close={form.close}
          done={({ id }) => void navigate({ to: '/policies/$policyId', params: { policyId: id } })}
        />
      )}
      {acts.dialogs}
    </Page>
  )
}
