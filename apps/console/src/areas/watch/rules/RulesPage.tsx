import type { AlertRule } from '@muster/areas/watch/alerts/rules/rules.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { SlidersHorizontal } from 'lucide-react'
import { usePlace } from '../../../shell/place.ts'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { NewButton } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { organizationColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { SeverityBadge } from '../alerts/status.tsx'
import { severities } from '../alerts/words.ts'
import { conditionsText } from '../conditions/words.ts'
import { RuleForm } from './RuleForm.tsx'
import { OpenAlertsLink, RuleState } from './RuleState.tsx'
import { targetsText } from './targetsText.ts'
import { type RuleActs, useRuleActs } from './useRuleActs.tsx'

const states = [
  ['enabled', 'Enabled'],
  ['disabled', 'Disabled'],
] as const

/** What raises alerts. */
export function RulesPage() {
  const { q, severity, state, form, template } = useSearch({ from: '/app/alerts/rules' })
  const navigate = useNavigate({ from: '/alerts/rules' })
  const narrow = (next: {
    q?: string | undefined
    severity?: AlertRule['severity'] | undefined
    state?: 'enabled' | 'disabled' | undefined
  }) => void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const setForm = (next: 'new' | undefined, from?: string) =>
    void navigate({ search: (now) => ({ ...now, form: next, template: from }) })
  const { org } = usePlace()
  const list = useList(
    (client) => client.alerts.rules.list,
    {
      ...(q && { search: q }),
      ...(severity && { severity: [severity] }),
      ...(state && { enabled: state === 'enabled' }),
      ...(org && { orgId: org }),
    },
    { everyMs: 15_000 },
  )
  const acts = useRuleActs()
  const isNarrowed = Boolean(q || severity || state)
  const clear = () => narrow({ q: undefined, severity: undefined, state: undefined })
  const add = (
    <NewButton blocked={acts.mayWrite} act={() => setForm('new')}>
      New rule
    </NewButton>
  )
  return (
    <ListPage
      title="Alert rules"
      lead="What opens alerts, and for which devices."
      actions={add}
      tools={
        <>
          <SearchField
            label="Search rules"
            placeholder="Search by name"
            value={q}
            change={(text) => narrow({ q: text })}
          />
          <Select
            label="Severity"
            none="All severities"
            value={severity}
            options={severities}
            choose={(next) => narrow({ severity: next })}
          />
          <Select
            label="State"
            none="All states"
            value={state}
            options={states}
            choose={(next) => narrow({ state: next })}
          />
        </>
      }
      label="Alert rules"
      list={list}
      columns={columnsWith(acts)}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={SlidersHorizontal} title="No alert rules yet" action={add} clear={isNarrowed && clear}>
          Create a rule, or begin with a template: CPU, disks, offline devices, services and more.
        </NoRows>
      }
    >
      {form === 'new' && acts.mayWrite === undefined && (
        <RuleForm
          templateId={template}
          chooseTemplate={(id) => setForm('new', id)}
          close={() => setForm(undefined)}
          done={({ id }) => void navigate({ to: '/alerts/rules/$ruleId', params: { ruleId: id } })}
        />
      )}
      {acts.dialogs}
    </ListPage>
  )
}

const columnsWith = (acts: RuleActs): readonly Column<AlertRule>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 180,
    grow: 2,
    cell: ({ id, name }) => (
      <Link
        to="/alerts/rules/$ruleId"
        params={{ ruleId: id }}
        className="rounded font-medium hover:text-accent-text hover:underline"
      >
        {name}
      </Link>
    ),
  },
  { id: 'severity', header: 'Severity', width: 90, cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  { id: 'state', header: 'State', width: 100, cell: (rule) => <RuleState rule={rule} /> },
  { id: 'open', header: 'Open alerts', width: 90, align: 'end', cell: (rule) => <OpenAlertsLink rule={rule} /> },
  {
    id: 'conditions',
    header: 'Conditions',
    width: 180,
    grow: 3,
    cell: ({ conditions }) => <span title={conditionsText(conditions)}>{conditionsText(conditions)}</span>,
  },
  { id: 'targets', header: 'Targets', width: 130, grow: 2, cell: (rule) => targetsText(rule) },
  organizationColumn,
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (rule) => <RowMenu name={rule.name} groups={acts.groupsFor(rule)} />,
  },
]
