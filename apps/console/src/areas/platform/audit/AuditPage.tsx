import type { AuditLog } from '@muster/areas/platform/audit/logs.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText, X } from 'lucide-react'
import { type FormEvent, useMemo, useState } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Badge } from '../../../ui/display.tsx'
import { inputClass } from '../../../ui/fields.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { Select } from '../../../ui/Select.tsx'
import { Note } from '../../../ui/states.tsx'
import { Moment } from '../../../ui/time.tsx'
import { actionWords } from '../../tenancy/overview/auditLabels.ts'
import { ExportMenu } from './ExportMenu.tsx'
import { type AuditSearch, actors, filtersOf, results, resultWords } from './filters.ts'
import { RecordDialog } from './RecordDialog.tsx'

const limit = 50
const tones = { success: 'plain', failure: 'warn', denied: 'bad' } as const

/** Who did what, when and from where; the newest first. */
export function AuditPage() {
  const search = useSearch({ from: '/app/audit' })
  const { page = 1, q, record } = search
  const navigate = useNavigate({ from: '/audit' })
  const change = (next: AuditSearch & { page?: number | undefined; record?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: next.record === undefined })
  const filters = { page, limit, ...filtersOf(search) }
  const listed = useApiQuery((api) => api.audit.logs.list, filters, { enabled: !q, keepLast: true, everyMs: 30_000 })
  const found = useApiQuery(
    (api) => api.audit.logs.search,
    { ...filters, q: q ?? '' },
    { enabled: Boolean(q), keepLast: true },
  )
  const answer = q ? found : listed
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const columns = useMemo(
    () => columnsWith((id) => void navigate({ search: (now) => ({ ...now, record: id }) })),
    [navigate],
  )
  return (
    <Page
      fill
      title="Audit log"
      lead="What happened, kept so that nobody can change it unseen."
      actions={<ExportMenu search={search} />}
    >
      <Filters search={search} change={change} />
      <DataTable
        label="Audit log"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={pagination.total}
        empty={
          <Note icon={ScrollText} title="Nothing matches">
            Search for whole words or their beginnings, or take a filter away.
          </Note>
        }
        footer={<Pages {...pagination} set={(next) => change({ page: next > 1 ? next : undefined })} />}
      />
      {record && <RecordDialog id={record} close={() => change({ record: undefined, page })} />}
    </Page>
  )
}

interface FiltersProps {
  readonly search: AuditSearch
  change(next: AuditSearch): void
}

function Filters({ search, change }: FiltersProps) {
  const { q, result, actor, action, from, to } = search
  const day = (name: 'from' | 'to', label: string) => (
    <input
      type="date"
      aria-label={label}
      title={label}
      value={search[name] ?? ''}
      onChange={({ target }) => change({ [name]: target.value || undefined })}
      className={`${inputClass} !w-36`}
    />
  )
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <Search value={q ?? ''} change={(text) => change({ q: text === '' ? undefined : text })} />
      <Select
        label="Result"
        none="Every result"
        value={result ?? ''}
        options={results}
        choose={(next) => change({ result: next })}
      />
      <Select
        label="By"
        none="By anybody"
        value={actor ?? ''}
        options={actors}
        choose={(next) => change({ actor: next })}
      />
      {day('from', 'From this day on')}
      {day('to', 'Until this day')}
      {action && (
        <Button onClick={() => change({ action: undefined })}>
          {actionWords(action)}
          <X aria-label="Every action" className="size-3.5" />
        </Button>
      )}
      {(q || result || actor || action || from || to) && (
        <Button
          kind="quiet"
          onClick={() =>
            change({
              q: undefined,
              result: undefined,
              actor: undefined,
              action: undefined,
              from: undefined,
              to: undefined,
            })
          }
        >
          Clear
        </Button>
      )}
    </div>
  )
}

function Search({ value, change }: { readonly value: string; change(text: string): void }) {
  const [typed, setTyped] = useState(value)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change(typed.trim())
  }
  return (
    <form onSubmit={submit} className="w-72">
      <input
        type="search"
        aria-label="Search the audit log"
        placeholder="Search; Enter starts it"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        className={inputClass}
      />
    </form>
  )
}

const columnsWith = (open: (id: string) => void): readonly Column<AuditLog>[] => [
  { id: 'at', header: 'When', width: 215, cell: ({ at }) => <Moment at={at} /> },
  {
    id: 'action',
    header: 'What',
    width: 170,
    grow: 1,
    cell: ({ id, action }) => (
      <button type="button" className="rounded font-medium hover:text-accent-text" onClick={() => open(id)}>
        {actionWords(action)}
      </button>
    ),
  },
  {
    id: 'resource',
    header: 'To what',
    width: 180,
    grow: 1,
    cell: ({ resourceName, resourceType }) => resourceName ?? resourceType,
  },
  {
    id: 'fields',
    header: 'Changed',
    width: 130,
    grow: 1,
    cell: ({ changedFields }) => <span className="text-muted">{changedFields?.join(', ') || '–'}</span>,
  },
  { id: 'actor', header: 'Who', width: 190, grow: 1, cell: ({ actorEmail, actorType }) => actorEmail ?? actorType },
  { id: 'ip', header: 'From', width: 120, cell: ({ ipAddress }) => ipAddress ?? '–' },
  {
    id: 'result',
    header: 'Result',
    width: 100,
    cell: ({ result }) => <Badge tone={tones[result]}>{resultWords.get(result)}</Badge>,
  },
]
