import type { AuditLog } from '@muster/areas/platform/audit/logs.contract.ts'
import { auditActions } from '@muster/areas/vocabulary.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useFullList } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { useTenant } from '../../../shell/tenant.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { inputClass } from '../../../ui/form/fields.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Moment } from '../../../ui/text/time.tsx'
import { actionWords } from '../../tenancy/overview/auditLabels.ts'
import { ExportMenu } from './ExportMenu.tsx'
import { type AuditSearch, actors, actorWords, filtersOf, noFilters, results, resultWords } from './filters.ts'
import { RecordDialog } from './RecordDialog.tsx'

const tones = { success: 'plain', failure: 'warn', denied: 'bad' } as const
const actionOptions = auditActions
  .map((action) => [action, actionWords(action)] as const)
  .toSorted(([, one], [, other]) => one.localeCompare(other))

/** The audit log, newest first. */
export function AuditPage() {
  const search = useSearch({ from: '/app/audit' })
  const { q, record } = search
  const navigate = useNavigate({ from: '/audit' })
  const narrow = (next: AuditSearch) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const filters = filtersOf(search)
  const listed = useList((api) => api.audit.logs.list, filters, { enabled: !q, everyMs: 30_000 })
  const found = useList((api) => api.audit.logs.search, { ...filters, q: q ?? '' }, { enabled: Boolean(q) })
  const columns = useMemo(
    () => columnsWith((id) => void navigate({ search: (now) => ({ ...now, record: id }) })),
    [navigate],
  )
  const isNarrowed = Object.keys(noFilters).some((name) => name in search)
  const clear = isNarrowed && (() => narrow(noFilters))
  return (
    <ListPage
      title="Audit log"
      lead="Tamper-evident record of all activity."
      actions={<ExportMenu search={search} />}
      tools={
        <>
          <Filters search={search} change={narrow} />
          {clear && (
            <Button kind="quiet" onClick={clear}>
              Clear filters
            </Button>
          )}
        </>
      }
      label="Audit log"
      list={q ? found : listed}
      columns={columns}
      rowId={({ id }) => id}
      empty={<NoRows icon={ScrollText} title="No records yet" clear={clear} />}
    >
      {record && (
        <RecordDialog
          id={record}
          close={() => void navigate({ search: (now) => ({ ...now, record: undefined }) })}
          narrow={(next) => narrow({ ...next, record: undefined })}
        />
      )}
    </ListPage>
  )
}

interface FiltersProps {
  readonly search: AuditSearch
  change(next: AuditSearch): void
}

function Filters({ search, change }: FiltersProps) {
  const { q, result, actor, action } = search
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
    <>
      <SearchForm key={q} value={q ?? ''} change={(text) => change({ q: text === '' ? undefined : text })} />
      <Select
        label="Action"
        none="All actions"
        value={actionOptions.find(([each]) => each === action)?.[0] ?? ''}
        options={actionOptions}
        choose={(next) => change({ action: next })}
      />
      <UserFilter search={search} change={change} />
      <Select
        label="Actor"
        none="All actors"
        className="!w-36"
        value={actor}
        options={actors}
        choose={(next) => change({ actor: next })}
      />
      <Select
        label="Result"
        none="All results"
        className="!w-32"
        value={result}
        options={results}
        choose={(next) => change({ result: next })}
      />
      {day('from', 'From')}
      {day('to', 'To')}
    </>
  )
}

/** Narrows the log to one user of the tenant. */
function UserFilter({ search: { user }, change }: FiltersProps) {
  const tenant = useTenant()
  const enabled = useCan()('users:read') && tenant !== null
  const users =
    useFullList((api) => api.users.users.list, { ...tenant?.input }, { enabled, staleMs: 60_000 }).data ?? []
  const options = users.map(({ id, name }) => [id, name] as const)
  if (user !== undefined && !users.some(({ id }) => id === user)) options.push([user, 'Selected user'])
  if (options.length === 0) return null
  return (
    <Select label="User" none="All users" value={user} options={options} choose={(next) => change({ user: next })} />
  )
}

function SearchForm({ value, change }: { readonly value: string; change(text: string): void }) {
  const [typed, setTyped] = useState(value)
  return (
    <Form submit={() => change(typed.trim())} className="w-60">
      <input
        type="search"
        aria-label="Search audit log"
        placeholder="Search audit log"
        title="Press Enter to search"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        className={inputClass}
      />
    </Form>
  )
}

const columnsWith = (open: (id: string) => void): readonly Column<AuditLog>[] => [
  { id: 'at', header: 'Time', width: 188, cell: ({ at }) => <Moment at={at} /> },
  {
    id: 'action',
    header: 'Action',
    width: 150,
    pinned: true,
    grow: 1,
    cell: ({ id, action }) => <RowButton open={() => open(id)}>{actionWords(action)}</RowButton>,
  },
  {
    id: 'target',
    header: 'Target',
    width: 150,
    grow: 1,
    cell: ({ resourceName, resourceType }) => resourceName ?? resourceType,
  },
  {
    id: 'fields',
    header: 'Changed fields',
    width: 110,
    grow: 1,
    cell: ({ changedFields }) => <span className="text-muted">{changedFields?.join(', ') || '–'}</span>,
  },
  {
    id: 'actor',
    header: 'Actor',
    width: 160,
    grow: 1,
    cell: ({ actorEmail, actorType }) => actorEmail ?? actorWords.get(actorType),
  },
  { id: 'ip', header: 'IP address', width: 100, cell: ({ ipAddress }) => ipAddress ?? '–' },
  {
    id: 'result',
    header: 'Result',
    width: 96,
    cell: ({ result }) => <Badge tone={tones[result]}>{resultWords.get(result)}</Badge>,
  },
]
