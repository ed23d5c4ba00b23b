import type { Automation } from '@muster/areas/change/automations/automations.contract.ts'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { FlaskConical, Play } from 'lucide-react'
import { useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PendingPage } from '../../../ui/page/PendingPage.tsx'
import { Tabs } from '../../../ui/page/Tabs.tsx'
import { EditTab } from './editor/EditTab.tsx'
import { OverviewTab } from './OverviewTab.tsx'
import { RunsTab } from './runs/RunsTab.tsx'
import { type AutomationActs, useAutomationActs, whyNotRun } from './useAutomationActs.tsx'
import { reasonText, StatusBadge, triggerText } from './words.tsx'

const up = { label: 'Automations', to: '/automations' } as const
const tabs = [
  { id: 'overview', label: 'Overview' },
  { id: 'runs', label: 'Runs' },
  { id: 'edit', label: 'Edit' },
] as const

/** One automation: what it does, its runs, and its editor. */
export function AutomationPage() {
  const { automationId: id } = useParams({ from: '/app/automations/$automationId' })
  const answer = useApiQuery((api) => api.automations.automations.get, { id }, { everyMs: 5_000 })
  if (!answer.data) return <PendingPage title="Automation" up={up} answer={answer} />
  return <Sheet key={id} automation={answer.data} />
}

function Sheet({ automation }: { readonly automation: Automation }) {
  const { id, name, status, trigger } = automation
  const { tab = 'overview' } = useSearch({ from: '/app/automations/$automationId' })
  const navigate = useNavigate()
  const acts = useAutomationActs(() => void navigate({ to: '/automations' }))
  return (
    <Page
      fill={tab === 'runs'}
      title={name}
      up={up}
      badge={<StatusBadge status={status} />}
      lead={triggerText(trigger)}
      actions={
        <>
          <Button blocked={acts.mayWrite} busy={acts.isTrying} onClick={() => acts.tryOut(automation)}>
            <FlaskConical aria-hidden className="size-4" />
            Dry run
          </Button>
          <Button
            kind="primary"
            blocked={acts.mayWrite ?? whyNotRun(automation)}
            onClick={() => acts.open('run', automation)}
          >
            <Play aria-hidden className="size-4" />
            Run now
          </Button>
          <RowMenu name={name} groups={acts.groupsFor(automation)} />
        </>
      }
    >
      <Stopped automation={automation} acts={acts} />
      <Tabs label="Sections of the automation" tabs={tabs} open={tab} />
      {tab === 'overview' && <OverviewTab automation={automation} />}
      {tab === 'runs' && <RunsTab automationId={id} />}
      {tab === 'edit' && <EditTab automation={automation} showSecret={(text) => acts.showSecret({ id, text })} />}
      {acts.dialogs}
    </Page>
  )
}

/** Why it does not run, and what to do. */
function Stopped({ automation, acts }: { readonly automation: Automation; readonly acts: AutomationActs }) {
  const { status, statusReason } = automation
  if (status === 'enabled') return null
  if (status === 'awaiting_approval')
    return (
      <Notice>
        <p>A second person has to approve it before it runs.</p>
        <Link to="/approvals" className="rounded font-medium underline">
          Show approvals
        </Link>
      </Notice>
    )
  return (
    <Notice>
      <p>{statusReason === null ? 'It is disabled and does not start.' : `${reasonText(statusReason)}.`}</p>
      <Button small blocked={acts.mayWrite} onClick={() => acts.switchTo(true, automation)}>
        {status === 'tripped' ? 'Enable again' : 'Enable'}
      </Button>
    </Notice>
  )
}

const Notice = ({ children }: { readonly children: React.ReactNode }) => (
  <section
    aria-label="Why it does not run"
    className="mb-3 flex flex-wrap items-center justify-between gap-3 rounded-lg bg-warn-soft px-4 py-2.5 text-sm text-warn-text"
  >
    {children}
  </section>
)
