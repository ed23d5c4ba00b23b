import { KeptScript, type Script } from '@muster/areas/change/scripts/scripts.contract.ts'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { Button, buttonClass } from '../../../ui/button/Button.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Card, Facts } from '../../../ui/page/display.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PendingPage } from '../../../ui/page/PendingPage.tsx'
import { Loading } from '../../../ui/page/states.tsx'
import { Tabs } from '../../../ui/page/Tabs.tsx'
import { Moment } from '../../../ui/text/time.tsx'
import { capital } from '../../../ui/text/words.ts'
import { useUserNames } from '../../access/users/useUserNames.ts'
import { OrganizationLink } from '../../tenancy/tenancy/PlaceLinks.tsx'
import { RunsTab } from './runs/RunsTab.tsx'
import { UsageTab } from './UsageTab.tsx'
import { useScriptActs } from './useScriptActs.tsx'
import { VersionsTab } from './VersionsTab.tsx'
import { WarningList } from './WarningList.tsx'
import { languageText, ScriptMarks, systemsText } from './words.tsx'

const CodeView = lazy(() =>
  import('../../../ui/form/CodeDifference.tsx').then((module) => ({ default: module.CodeDifference })),
)

const up = { label: 'Scripts', to: '/scripts' } as const

/** One script: what it runs, its runs, its versions and its usage. */
export function ScriptPage() {
  const { scriptId } = useParams({ from: '/app/scripts/$scriptId' })
  const answer = useApiQuery((api) => api.scripts.scripts.get, { id: scriptId }, { everyMs: 15_000 })
  if (!answer.data) return <PendingPage title="Script" up={up} answer={answer} />
  const kept = KeptScript.safeParse(answer.data).data
  return kept === undefined ? <SystemSheet script={answer.data} /> : <Sheet script={kept} />
}

/** A script of the library, which is imported before it runs. */
function SystemSheet({ script }: { readonly script: Script }) {
  return (
    <Page
      title={script.name}
      up={{ label: 'Script library', to: '/scripts/library' }}
      lead={script.description}
      actions={
        <Link to="/scripts/library" search={{ q: script.name }} className={buttonClass('primary')}>
          Import
        </Link>
      }
    >
      <Content script={script} />
    </Page>
  )
}

const tabs = [
  { id: 'content', label: 'Content' },
  { id: 'runs', label: 'Runs' },
  { id: 'versions', label: 'Versions' },
  { id: 'usage', label: 'Usage' },
] as const

function Sheet({ script }: { readonly script: KeptScript }) {
  const { tab = 'content' } = useSearch({ from: '/app/scripts/$scriptId' })
  const navigate = useNavigate()
  const acts = useScriptActs(script, () => void navigate({ to: '/scripts' }))
  const unapproved = script.approvedVersionId === null && 'No version is approved yet'
  return (
    <Page
      fill={tab === 'runs' || tab === 'versions'}
      title={script.name}
      up={up}
      badge={<ScriptMarks script={script} />}
      lead={script.description}
      actions={
        <>
          {script.updateAvailable && (
            <Button blocked={acts.mayWrite} onClick={() => acts.open('update')}>
              Update from the library
            </Button>
          )}
          <Button blocked={acts.mayWrite} onClick={() => acts.open('edit')}>
            Edit script
          </Button>
          <Button kind="primary" blocked={acts.mayRun ?? unapproved} onClick={() => acts.open('run')}>
            <Play aria-hidden className="size-4" />
            Run script
          </Button>
          <RowMenu name={script.name} groups={acts.groups} />
        </>
      }
    >
      <Tabs label="Sections of the script" tabs={tabs} open={tab} />
      {tab === 'content' && <Content script={script} />}
      {tab === 'runs' && <RunsTab scriptId={script.id} />}
      {tab === 'versions' && <VersionsTab script={script} />}
      {tab === 'usage' && <UsageTab scriptId={script.id} />}
      {acts.dialogs}
    </Page>
  )
}

function Content({ script }: { readonly script: Script }) {
  return (
    <div className="grid gap-4">
      <WarningList warnings={script.warnings} />
      <div className="grid items-start gap-4 lg:grid-cols-[2fr_1fr]">
        <Suspense fallback={<Loading lines={8} />}>
          <CodeView
            label={`Version ${script.version}`}
            language={script.language}
            before={script.content}
            after={script.content}
          />
        </Suspense>
        <div className="grid gap-4">
          <About script={script} />
          <Parameters script={script} />
        </div>
      </div>
    </div>
  )
}

function About({ script }: { readonly script: Script }) {
  const nameOf = useUserNames(script.orgId ?? undefined)
  const codes = Object.entries(script.exitCodes).map(([code, severity]) => `${code}: ${severity}`)
  return (
    <Card title="Details">
      <Facts
        onlyKnown
        facts={[
          ['Language', languageText(script.language)],
          ['Systems', systemsText(script.osTypes)],
          ['Runs as', script.runAs === 'system' ? 'The system account' : (script.runAsUser ?? 'Who is signed in')],
          ['Timeout', `${script.timeoutSeconds} s`],
          ['Arguments', script.args.join(' ')],
          ['Exit codes', capital(codes.join(', '))],
          ['Tags', script.tags.join(', ')],
          ['Organization', script.source === 'system' ? null : <OrganizationLink key="org" orgId={script.orgId} />],
          ['Shared', script.sharedWithOrganizations ? 'Organizations see it and run it' : null],
          ['From the library', script.origin && `Version ${script.origin.version}`],
          ['Created by', script.createdBy && nameOf(script.createdBy)],
          ['Updated', <Moment key="updated" at={script.updatedAt} />],
          ['SHA-256', <code key="hash">{script.sha256}</code>],
        ]}
      />
    </Card>
  )
}

function Parameters({ script: { parameters } }: { readonly script: Script }) {
  if (parameters.length === 0) return null
  return (
    <Card title="Parameters">
      <Facts
        facts={parameters.map(({ name, label, type, required, default: usual }) => [
          name,
          [
            label,
            type,
            required ? 'required' : null,
            usual === null ? null : `default ${typeof usual === 'object' ? Object.values(usual).join('') : usual}`,
          ]
            .filter((part) => part !== null)
            .join(', '),
        ])}
      />
    </Card>
  )
}
