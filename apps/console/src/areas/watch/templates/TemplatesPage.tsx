import type { AlertTemplate } from '@muster/areas/watch/templates/templates.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { LayoutTemplate } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { buttonClass } from '../../../ui/button/Button.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { ListTable, Tools } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Page } from '../../../ui/page/Page.tsx'
import { Tabs } from '../../../ui/page/Tabs.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { capital } from '../../../ui/text/words.ts'
import { organizationColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { SeverityBadge } from '../alerts/status.tsx'
import { TemplateDetails } from './TemplateDetails.tsx'
import { TemplateForm } from './TemplateForm.tsx'
import { usualConditions } from './usualConditions.ts'

const tabs = [
  { id: 'builtIn', label: 'Built-in' },
  { id: 'own', label: 'Your own' },
] as const

type What = 'show' | 'edit' | 'copy' | 'delete'
interface Open {
  readonly what: What
  readonly of: AlertTemplate
}

/** Templates of alert rules: those that come with Muster, and one's own. */
export function TemplatesPage() {
  const { tab = 'builtIn', q } = useSearch({ from: '/app/alerts/templates' })
  const navigate = useNavigate({ from: '/alerts/templates' })
  const search = (text: string | undefined) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, q: text }), replace: true })
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const mayWrite = useCan()('alerts:write') ? undefined : 'You don’t have permission to edit alert templates'
  const remove = useApiMutation((id: string) => api.alertTemplates.templates.remove.mutate({ id }), {
    refresh: ['alertTemplates'],
    done: () => toast('Template deleted'),
  })
  const creation = useNewForm('New template', mayWrite)
  const shared = { q, mayWrite, open: (what: What, of: AlertTemplate) => setOpen({ what, of }) }
  return (
    <Page
      fill
      title="Alert templates"
      lead="What alert rules have in common. Rules follow their template."
      actions={creation.button}
    >
      <Tabs label="Kinds of alert templates" tabs={tabs} open={tab} />
      <Tools>
        <SearchField label="Search templates" placeholder="Search by name" value={q} change={search} />
      </Tools>
      {tab === 'own' ? (
        <OwnTemplates {...shared} add={creation.button} clear={() => search(undefined)} />
      ) : (
        <BuiltInTemplates {...shared} clear={() => search(undefined)} />
      )}
      {creation.isOpen && <TemplateForm close={creation.close} />}
      {open?.what === 'edit' && <TemplateForm template={open.of} close={close} />}
      {open?.what === 'copy' && <TemplateForm template={open.of} isCopy close={close} />}
      {open?.what === 'show' && <TemplateDetails template={open.of} close={close} />}
      <Confirm
        danger
        open={open?.what === 'delete'}
        close={close}
        title={`Delete “${open?.of.name ?? ''}”?`}
        verb="Delete template"
        act={() => remove.mutateAsync(open?.of.id ?? '')}
      >
        A template that rules use cannot be deleted. You cannot undo this.
      </Confirm>
    </Page>
  )
}

interface ListProps {
  readonly q: string | undefined
  readonly mayWrite: string | undefined
  open(what: What, of: AlertTemplate): void
  clear(): void
}

function BuiltInTemplates({ q, mayWrite, open, clear }: ListProps) {
  const list = useList((client) => client.alertTemplates.templates.builtIn, q ? { search: q } : {})
  return (
    <ListTable
      label="Built-in templates"
      list={list}
      columns={columnsWith(mayWrite, open)}
      rowId={({ id }) => id}
      empty={<NoRows icon={LayoutTemplate} title="No templates" clear={q && clear} />}
    />
  )
}

function OwnTemplates({ q, mayWrite, open, clear, add }: ListProps & { readonly add: ReactNode }) {
  const { org } = usePlace()
  const list = useList((client) => client.alertTemplates.templates.list, {
    ...(q && { search: q }),
    ...(org && { orgId: org }),
  })
  return (
    <ListTable
      label="Your own templates"
      list={list}
      columns={[
        ...columnsWith(mayWrite, open).slice(0, -1),
        organizationColumn,
        ...columnsWith(mayWrite, open).slice(-1),
      ]}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={LayoutTemplate} title="No templates of your own yet" action={add} clear={q && clear}>
          Create a template for rules that differ only in a few values, or duplicate a built-in one.
        </NoRows>
      }
    />
  )
}

const columnsWith = (
  mayWrite: string | undefined,
  open: (what: What, of: AlertTemplate) => void,
): readonly Column<AlertTemplate>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 200,
    grow: 2,
    cell: (template) => <RowButton open={() => open('show', template)}>{template.name}</RowButton>,
  },
  { id: 'severity', header: 'Severity', width: 90, cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  {
    id: 'conditions',
    header: 'Conditions',
    width: 240,
    grow: 3,
    cell: (template) => <span title={usualConditions(template)}>{usualConditions(template)}</span>,
  },
  {
    id: 'create',
    header: 'New rule',
    width: 110,
    cell: ({ id, name }) =>
      mayWrite === undefined && (
        <Link
          to="/alerts/rules"
          search={({ org, site }) => ({ org, site, form: 'new' as const, template: id })}
          className={buttonClass('plain', true)}
          aria-label={`Create rule from ${name}`}
        >
          Create rule
        </Link>
      ),
  },
  { id: 'use', header: 'Rules', width: 70, align: 'end', cell: ({ ruleCount }) => ruleCount },
  { id: 'category', header: 'Category', width: 120, cell: ({ category }) => capital(category) },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (template) => {
      const fixed = template.builtIn ? 'Built-in templates cannot be changed. Duplicate it first' : mayWrite
      return (
        <RowMenu
          name={template.name}
          groups={[
            [
              { label: 'Show template', act: () => open('show', template) },
              { label: 'Edit template', blocked: fixed, act: () => open('edit', template) },
              { label: 'Duplicate template', blocked: mayWrite, act: () => open('copy', template) },
            ],
            [
              {
                label: 'Delete template',
                danger: true,
                blocked: fixed ?? (template.ruleCount > 0 ? 'Rules use this template' : undefined),
                act: () => open('delete', template),
              },
            ],
          ]}
        />
      )
    },
  },
]
